// Projects by path and by URL, and the settings that are in force for them.
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ProjectSlug } from "#contract/ids.ts";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { agreed, fingerprint, write } from "#test/support/world.ts";

const slug = ProjectSlug.parse("p");

describe("a project by path", () => {
	test("is a repository's root, and nothing in it changes", async () => {
		const world = makeWorld();
		const before = fingerprint(world.repository);
		expect(agreed(await world.workspaces.openProject({ slug, source: world.repository }))).toEqual({
			path: world.repository,
			url: null,
			base: "main",
		});
		expect(fingerprint(world.repository)).toEqual(before);
		expect(Object.keys(fingerprint(path.join(world.home, "projects")))).toContain(`${slug}/`);
	});

	test("may have no commit yet", async () => {
		const world = makeWorld({ empty: true });
		expect(agreed(await world.workspaces.openProject({ slug, source: world.repository })).base).toBe("main");
	});

	test("is not a folder inside a repository, a worktree of one, a folder without git, a file or a relative path", async () => {
		const world = makeWorld();
		world.git(world.repository, "worktree", "add", "-q", path.join(world.root, "linked"));
		mkdirSync(path.join(world.root, "plain"));
		for (const source of [
			path.join(world.repository, "folder"),
			path.join(world.root, "linked"),
			path.join(world.root, "plain"),
			path.join(world.repository, "a.txt"),
			"repository",
			"",
		]) {
			expectRefusal(await world.workspaces.openProject({ slug, source }), "VALIDATION_ERROR");
		}
	});

	test("is known by its real path, whatever link leads there", async () => {
		const world = makeWorld();
		symlinkSync(world.repository, path.join(world.root, "link"));
		expect(agreed(await world.workspaces.openProject({ slug, source: path.join(world.root, "link") })).path).toBe(
			world.repository,
		);
	});

	test("refuses a base branch that is not there", async () => {
		const world = makeWorld();
		expectRefusal(await world.workspaces.openProject({ slug, source: world.repository, base: "nope" }), "NOT_FOUND");
		expectRefusal(
			await world.workspaces.openProject({ slug, source: world.repository, base: "--nope" }),
			"VALIDATION_ERROR",
		);
	});
});

describe("a project by URL", () => {
	const bareCloneOf = (home: string): string => path.join(home, "projects", "p", "repo.git");

	test("is cloned once as a bare clone and found again", async () => {
		const world = makeWorld();
		const source = `file://${world.repository}`;
		const first = agreed(await world.workspaces.openProject({ slug, source }));
		expect(first).toEqual({ path: bareCloneOf(world.home), url: source, base: "main" });
		expect(agreed(await world.workspaces.openProject({ slug, source }))).toEqual(first);
		expect(world.commands.filter((args) => args.includes("clone"))).toHaveLength(1);
	});

	test("follows its remote only forwards: what is only here stays", async () => {
		const world = makeWorld();
		const { path: bare } = agreed(await world.workspaces.openProject({ slug, source: `file://${world.repository}` }));
		const project = { slug, path: bare };
		const next = world.commit(world.repository, { "a.txt": "more\n" });
		expect(await world.workspaces.refresh(project)).toMatchObject({ took: 1, ahead: 0, behind: 0, error: null });
		expect(world.tip("refs/heads/main", bare)).toBe(next);
		const here = world.git(bare, "commit-tree", "-p", next, "-m", "only here", `${next}^{tree}`);
		world.git(bare, "update-ref", "refs/heads/main", here);
		world.commit(world.repository, { "a.txt": "and more\n" });
		expect(await world.workspaces.refresh(project)).toMatchObject({ took: 0, ahead: 1, behind: 1, error: null });
		expect(world.tip("refs/heads/main", bare)).toBe(here);
	});

	test("leaves nothing behind when the remote is not there, and says so", async () => {
		const world = makeWorld();
		const before = fingerprint(world.home, (name) => /^(projects|trash)(\/p)?$/.test(name));
		expectRefusal(await world.workspaces.openProject({ slug, source: `file://${world.root}/nowhere` }), "NOT_FOUND");
		expect(fingerprint(world.home, (name) => /^(projects|trash)(\/p)?$/.test(name))).toEqual(before);
		agreed(await world.workspaces.openProject({ slug, source: `file://${world.repository}` }));
		world.git(world.root, "-C", bareCloneOf(world.home), "config", "remote.origin.url", `file://${world.root}/gone`);
		expect((await world.workspaces.refresh({ slug, path: bareCloneOf(world.home) }))?.error).toMatch(/repository/);
	});

	test("is never put over something that is there", async () => {
		const world = makeWorld();
		write(bareCloneOf(world.home), "precious", "mine\n");
		expectRefusal(await world.workspaces.openProject({ slug, source: `file://${world.repository}` }), "PATH_EXISTS");
		expect(fingerprint(bareCloneOf(world.home))).toHaveProperty("precious");
	});

	test.each([
		"ext::sh -c 'touch x'",
		"https://user:secret@example.invalid/x",
		"https://ghp_secret@example.invalid/x",
		"http://secret@example.invalid/x",
		"git://secret@example.invalid/x",
		"https://example.invalid/x?access_token=secret",
		"https://example.invalid/x.git#secret",
		"ssh://git@example.invalid/x?token=secret",
		"oauth2:secret@example.invalid:x",
		"fd::17",
		"ftp://example.invalid/x",
		"https://",
		"ssh://-oProxyCommand=x/y",
		"--upload-pack=x://y",
		"https://a b/c",
		"a:b\nc://",
	])("refuses %j before git sees it", async (source) => {
		const world = makeWorld();
		expectRefusal(await world.workspaces.openProject({ slug, source }), "VALIDATION_ERROR");
		expect(world.commands).toEqual([]);
	});
});

describe("settings", () => {
	test("are the usual ones where nobody says anything", async () => {
		const world = makeWorld();
		expect(agreed(await world.workspaces.settings(world.project))).toEqual({
			settings: {
				base: "main",
				shared: [],
				copy: [],
				setup: null,
				setupForks: true,
				env: [],
				check: null,
				teardown: null,
				merge: "merge",
				presets: {},
				sandbox: "off",
				push: "never",
				integrate: "merge",
				submodules: "leave",
				snapshots: "database",
				fileBytesMax: 52_428_800,
			},
			fingerprint: null,
			unapprovedConfig: null,
		});
	});

	test("of the home rank above those of the repository, and those that run are asked for by content", async () => {
		const world = makeWorld();
		world.commit(world.repository, { ".brood.yaml": "merge: squash\nsetup: npm ci\nshared: [node_modules]\n" });
		world.configure("merge: rebase\n");
		const asked = agreed(await world.workspaces.settings(world.project));
		expect(asked.settings).toMatchObject({ merge: "rebase", shared: ["node_modules"], setup: null });
		expect(asked.unapprovedConfig).toEqual({
			fingerprint: asked.fingerprint,
			setup: "npm ci",
			check: null,
			teardown: null,
			presets: [],
			presetActions: [],
			env: [],
		});
		const [allowed] = [asked.fingerprint ?? ""];
		const approved = agreed(await world.workspaces.settings(world.project, [allowed]));
		expect([approved.settings.setup, approved.unapprovedConfig]).toEqual(["npm ci", null]);

		world.commit(world.repository, {
			".brood.yaml": "# another comment, another order\nshared: [node_modules]\nsetup: npm ci\nmerge: squash\n",
		});
		expect(agreed(await world.workspaces.settings(world.project, [allowed])).unapprovedConfig).toBeNull();
		world.commit(world.repository, { ".brood.yaml": "setup: npm ci;\n" });
		expect(agreed(await world.workspaces.settings(world.project, [allowed])).unapprovedConfig?.setup).toBe("npm ci;");
		world.configure("setup: make\n");
		expect(agreed(await world.workspaces.settings(world.project))).toMatchObject({
			settings: { setup: "make" },
			unapprovedConfig: null,
		});
	});

	test("have the base that the project was added with, unless the home says another", async () => {
		const world = makeWorld();
		world.git(world.repository, "branch", "dev");
		const baseOf = async (base?: string | null): Promise<string> =>
			agreed(await world.workspaces.settings({ ...world.project, ...(base === undefined ? {} : { base }) })).settings
				.base;
		expect([await baseOf(), await baseOf(null), await baseOf("dev")]).toEqual(["main", "main", "dev"]);
		world.configure("base: main\n");
		expect(await baseOf("dev")).toBe("main");
	});

	test("are read from base, not from a tree that somebody is changing", async () => {
		const world = makeWorld();
		write(world.repository, ".brood.yaml", "setup: touch fired\n");
		expect(agreed(await world.workspaces.settings(world.project)).unapprovedConfig).toBeNull();
	});

	test.each([
		["config.yaml", "base: main\nmerge: octopus\n", "config.yaml:2:8: merge: "],
		["config.yaml", "shared:\n  - ok\n  - ../out\n", "config.yaml:3:5: shared.1: "],
		["config.yaml", "a: [\n", "config.yaml:2:1: "],
		["config.yaml", "base: main\ncolour: red\n", "config.yaml:2:1: "],
		["config.yaml", "base: -x\n", "config.yaml:1:7: base: "],
		[".brood.yaml", "push: approve\n", ".brood.yaml:1:1: "],
		[".brood.yaml", "sandbox: off\n", ".brood.yaml:1:1: "],
	])("in %s that are wrong are refused with their place: %j", async (file, text, place) => {
		const world = makeWorld();
		if (file === "config.yaml") world.configure(text);
		else world.commit(world.repository, { [file]: text });
		const refusal = expectRefusal(await world.workspaces.settings(world.project), "VALIDATION_ERROR");
		expect([refusal.message, refusal.suggestions]).toEqual([
			expect.stringMatching(
				`${RegExp.escape(place)}.*${file === ".brood.yaml" ? "\\. Correct it on main and commit it\\.$" : ""}`,
			),
			[],
		]);
	});
});
