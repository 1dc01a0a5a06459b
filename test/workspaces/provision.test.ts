// Making workspaces: what is there afterwards, what is not, and what happens when it goes wrong.
import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { agreed, fingerprint, identity, read, type World, write } from "#test/support/world.ts";

const place = (world: World, handle: string): string => path.join(world.home, "projects", "p", "agents", handle);

describe("a worktree", () => {
	test("has base's files on a branch of its own, and the agent's name on its commits only", async () => {
		const world = makeWorld();
		const before = fingerprint(world.repository, (name) => name === ".git");
		const config = read(world.repository, ".git/config");
		const request = { project: world.project, agent: identity("opus-1"), kind: "worktree" } as const;
		const made = agreed(await world.workspaces.provision(request));
		expect(made).toEqual({
			workspace: { kind: "worktree", path: place(world, "opus-1"), branch: "brood/opus-1", base: "main" },
			head: world.tip("main"),
			shared: [],
			setup: null,
			found: false,
			missing: [],
			notes: [],
		});
		expect(world.git(made.workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/opus-1");
		expect(read(made.workspace.path, "a.txt")).toBe("one\ntwo\nthree\n");
		expect(fingerprint(world.repository, (name) => name === ".git")).toEqual(before);
		expect(read(world.repository, ".git/config")).toBe(config);
		expect(world.workspaces.identity(request.agent)).toMatchObject({
			GIT_AUTHOR_NAME: "brood-agent-opus-1",
			GIT_COMMITTER_EMAIL: "opus-1@brood.local",
		});
		expect(agreed(await world.workspaces.provision(request))).toEqual({ ...made, found: true });
	});

	test("starts from another branch if that is asked for, and from nothing where there is no commit", async () => {
		const world = makeWorld();
		world.git(world.repository, "checkout", "-qb", "feature/one");
		const tip = world.commit(world.repository, { "f.txt": "f\n" });
		world.git(world.repository, "checkout", "-q", "main");
		const { workspace } = await world.agent("a", { from: "feature/one" });
		expect([workspace.base, world.tip("HEAD", workspace.path)]).toEqual(["feature/one", tip]);

		const empty = makeWorld({ empty: true });
		const checkout = await empty.agent("a");
		expect(empty.git(checkout.workspace.path, "status", "--porcelain", "--branch")).toBe(
			"## No commits yet on brood/a",
		);
		write(checkout.workspace.path, "first.txt", "first\n");
		agreed(await empty.workspaces.commit(checkout, { message: "first" }));
		expect(agreed(await empty.workspaces.branchStatus(checkout))).toMatchObject({
			ahead: 1,
			behind: 0,
			baseCommit: null,
			uncommitted: false,
		});
	});

	test("uses another prefix if a branch is named brood", async () => {
		const world = makeWorld();
		world.git(world.repository, "branch", "brood");
		expect((await world.agent("a")).workspace.branch).toBe("brood-a");
	});

	test("can belong to a bare clone", async () => {
		const world = makeWorld();
		const { path: bare } = agreed(
			await world.workspaces.openProject({ slug: world.project.slug, source: `file://${world.repository}` }),
		);
		const made = agreed(
			await world.workspaces.provision({
				project: { slug: world.project.slug, path: bare },
				agent: identity("a"),
				kind: "worktree",
			}),
		);
		expect(world.git(made.workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/a");
	});

	test("is refused where something is in the way, which stays as it is", async () => {
		const world = makeWorld();
		write(place(world, "folder"), "precious", "mine\n");
		write(path.dirname(place(world, "file")), "file", "mine\n");
		symlinkSync("/nowhere", place(world, "link"));
		world.git(world.repository, "worktree", "add", "-q", place(world, "foreign"), "-b", "foreign");
		const before = fingerprint(world.home);
		for (const handle of ["folder", "file", "link", "foreign"]) {
			expectRefusal(
				await world.workspaces.provision({ project: world.project, agent: identity(handle), kind: "worktree" }),
				"PATH_EXISTS",
			);
		}
		expect(fingerprint(world.home)).toEqual(before);
		expect(world.git(world.repository, "branch", "--list", "brood/*")).toBe("");
	});

	test("is refused where the folder for agents leads out of the home", async () => {
		const world = makeWorld();
		mkdirSync(path.join(world.root, "elsewhere"));
		mkdirSync(path.join(world.home, "projects", "p"), { recursive: true });
		symlinkSync(path.join(world.root, "elsewhere"), path.join(world.home, "projects", "p", "agents"));
		expectRefusal(
			await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" }),
			"PATH_EXISTS",
		);
		expect(fingerprint(path.join(world.root, "elsewhere"))).toEqual({ "/": "folder" });
	});

	test("is not made from another agent's unfinished one", async () => {
		const world = makeWorld();
		const mark = {
			agent: identity("somebody").id,
			project: "p",
			kind: "worktree",
			path: place(world, "a"),
			branch: "brood/a",
			base: "main",
			start: null,
			ready: false,
		};
		write(path.dirname(place(world, "a")), ".a.json", JSON.stringify(mark));
		expectRefusal(
			await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" }),
			"PATH_EXISTS",
		);
	});

	test("32 at once do not trip over each other", async () => {
		const world = makeWorld();
		const stays = await Promise.all(Array.from({ length: 32 }, (_, at) => world.agent(`agent-${at}`)));
		expect(new Set(stays.map(({ workspace }) => workspace.path)).size).toBe(32);
		for (const { workspace } of stays)
			expect(world.git(workspace.path, "status", "--porcelain", "--branch")).toBe(`## ${workspace.branch}`);
		expect(world.git(world.repository, "worktree", "list").split("\n")).toHaveLength(33);
	});
});

describe("the setup command", () => {
	test("runs in the workspace with the agent's environment, and its lines come as they are printed", async () => {
		const world = makeWorld();
		world.configure("setup: echo hello $NAME; pwd; echo $GIT_AUTHOR_NAME; touch built.log; printf last\n");
		const lines: string[] = [];
		const checkout = await world.agent("a", {
			live: { line: (line) => lines.push(line), environment: { NAME: "you" } },
		});
		expect(lines).toEqual(["hello you", checkout.workspace.path, "brood-agent-a", "last"]);
		expect(existsSync(path.join(checkout.workspace.path, "built.log"))).toBe(true);
	});

	test.each([
		["lines", "seq 1 30000", 20_001],
		["characters", "yes $(printf %01000d 0) | head -n 10000", 8389],
	])("that prints too many %s is heard until then, and its end is kept", async (_, command, heard) => {
		const world = makeWorld();
		const lines: string[] = [];
		world.configure(`setup: ${command}; echo the end\n`);
		const request = { project: world.project, agent: identity("a"), kind: "worktree" } as const;
		const { setup } = agreed(await world.workspaces.provision(request, { line: (line) => lines.push(line) }));
		expect([lines.length, lines.filter((line) => line === "[truncated]"), lines.at(-1)]).toEqual([
			heard,
			["[truncated]"],
			"[truncated]",
		]);
		expect(setup?.output.endsWith("\nthe end\n")).toBe(true);
	});

	test("that fails leaves nothing of the workspace: no folder, no branch, no worktree, no note", async () => {
		const world = makeWorld();
		world.configure("setup: echo broken >&2; exit 3\n");
		const before = {
			home: fingerprint(world.home, (name) => /^(trash|projects\/p\/agents)$/.test(name)),
			refs: world.git(world.repository, "for-each-ref"),
		};
		const refusal = expectRefusal(
			await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" }),
			"CONFLICT",
		);
		expect(refusal.details).toMatchObject({ step: "setup", exit: 3, output: "broken\n" });
		expect({
			home: fingerprint(world.home, (name) => /^(trash|projects\/p\/agents)$/.test(name)),
			refs: world.git(world.repository, "for-each-ref"),
		}).toEqual(before);
		expect(fingerprint(path.dirname(place(world, "a")))).toEqual({ "/": "folder" });
		expect(world.git(world.repository, "worktree", "list").split("\n")).toHaveLength(1);
		world.configure("");
		expect((await world.agent("a")).workspace.branch).toBe("brood/a");
	});

	test("can be stopped, and takes what it started along", async () => {
		const world = makeWorld();
		world.configure("setup: sleep 1000 & echo started; wait\n");
		const stop = new AbortController();
		const answer = await world.workspaces.provision(
			{ project: world.project, agent: identity("a"), kind: "worktree" },
			{ signal: stop.signal, line: () => stop.abort() },
		);
		expect(expectRefusal(answer, "CONFLICT").details).toMatchObject({ exit: null });
		expect(existsSync(place(world, "a"))).toBe(false);
	});

	test("that comes from the repository does not run before it is approved", async () => {
		const world = makeWorld();
		world.commit(world.repository, { ".brood.yaml": "setup: touch fired.log\n" });
		const request = { project: world.project, agent: identity("a"), kind: "worktree" } as const;
		expectRefusal(await world.workspaces.provision(request), "CONFLICT");
		expect(existsSync(place(world, "a"))).toBe(false);
		const { fingerprint: approved } = agreed(await world.workspaces.settings(world.project));
		const made = agreed(await world.workspaces.provision(request, { approved: [approved ?? ""] }));
		expect(existsSync(path.join(made.workspace.path, "fired.log"))).toBe(true);
	});
});

describe("shared paths", () => {
	const warmWorld = async (config: string): Promise<World> => {
		const world = makeWorld();
		world.commit(world.repository, {
			"package-lock.json": "{}\n",
			".gitignore": "node_modules/\n.env\nsecret/\n",
			"vendor/v.txt": "tracked\n",
		});
		world.configure(config);
		agreed(await world.workspaces.warm(world.project));
		return world;
	};
	const config =
		"setup: test -e node_modules || { mkdir -p node_modules/x deep/cache vendor; echo $RANDOM > node_modules/x/y; }\nshared: [node_modules, deep/cache, vendor, missing]\n";

	test("are linked if they are untracked, in primary and for the same lockfile, and git does not see them", async () => {
		const world = await warmWorld(config);
		const made = agreed(
			await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" }),
		);
		expect(made.shared).toEqual([
			{ path: "node_modules", done: "linked", reason: null },
			{ path: "deep/cache", done: "linked", reason: null },
			{ path: "vendor", done: "omitted", reason: "something is there already" },
			{ path: "missing", done: "omitted", reason: "primary has none: run brood project warm" },
		]);
		const primary = path.join(world.home, "projects", "p", "primary");
		expect(readlinkSync(path.join(made.workspace.path, "node_modules"))).toBe(path.join(primary, "node_modules"));
		expect(world.git(made.workspace.path, "status", "--porcelain")).toBe("");
		expect(lstatSync(path.join(made.workspace.path, "vendor")).isDirectory()).toBe(true);

		world.git(world.repository, "checkout", "-qb", "other");
		world.commit(world.repository, { "package-lock.json": '{"other": true}\n' });
		world.git(world.repository, "checkout", "-q", "main");
		const other = agreed(
			await world.workspaces.provision({
				project: world.project,
				agent: identity("b"),
				kind: "worktree",
				from: "other",
			}),
		);
		expect(other.shared[0]).toEqual({
			path: "node_modules",
			done: "omitted",
			reason: "the lockfile differs from primary's",
		});
	});

	test("whose folder is a tracked link to elsewhere are left", async () => {
		const world = makeWorld();
		mkdirSync(path.join(world.root, "outside"));
		symlinkSync(path.join(world.root, "outside"), path.join(world.repository, "deep"));
		world.commit(world.repository, {});
		world.configure("shared: [deep/cache]\ncopy: [deep/secret]\n");
		write(world.root, "outside/secret", "s\n");
		agreed(await world.workspaces.warm(world.project));
		mkdirSync(path.join(world.root, "outside", "cache"));
		const made = agreed(
			await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" }),
		);
		expect(made.shared.map(({ done }) => done)).toEqual(["omitted", "omitted"]);
		expect(Object.keys(fingerprint(path.join(world.root, "outside"))).sort()).toEqual(["/", "cache/", "secret"]);
	});

	test("and copies: ignored files come along, tracked ones and what is there do not change", async () => {
		const world = await warmWorld("copy: [.env, secret, a.txt, nothing]\n");
		write(world.repository, ".env", "KEY=1\n");
		write(world.repository, "secret/deep/s", "s\n");
		write(world.repository, "a.txt", "changed by the person\n");
		const made = agreed(
			await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" }),
		);
		expect(made.shared.map(({ path: name, done }) => `${name} ${done}`)).toEqual([
			".env copied",
			"secret copied",
			"a.txt omitted",
			"nothing omitted",
		]);
		expect([
			read(made.workspace.path, ".env"),
			read(made.workspace.path, "secret/deep/s"),
			read(made.workspace.path, "a.txt"),
		]).toEqual(["KEY=1\n", "s\n", "one\ntwo\nthree\n"]);
		expect(world.git(made.workspace.path, "status", "--porcelain")).toBe("");
	});

	test("primary is filled once for a lockfile, and again when that changes on base", async () => {
		const world = await warmWorld(config);
		const again = async (): Promise<boolean> => agreed(await world.workspaces.warm(world.project)).filled;
		expect(await again()).toBe(false);
		world.commit(world.repository, { "a.txt": "no new lockfile\n" });
		expect(await again()).toBe(false);
		world.commit(world.repository, { "package-lock.json": "{ }\n" });
		expect([await again(), await again()]).toEqual([true, false]);
		world.configure("setup: exit 1\n");
		world.commit(world.repository, { "package-lock.json": "{  }\n" });
		expectRefusal(await world.workspaces.warm(world.project), "CONFLICT");
		world.configure("shared: [node_modules]\n");
		const made = agreed(
			await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" }),
		);
		expect(made.shared[0]?.reason).toBe("primary is not filled: run brood project warm");
	});

	test("a primary that a crash left complete, with the note that it is being made, is made again", async () => {
		const world = await warmWorld(config);
		const project = path.join(world.home, "projects", "p");
		write(project, ".primary.json", JSON.stringify({ project: "p", commit: null, lockfiles: null }));
		expect(agreed(await world.workspaces.warm(world.project)).filled).toBe(true);
		expect(existsSync(path.join(project, ".primary.json"))).toBe(false);
		// control: the repository is not locked
		expect((await world.agent("a")).workspace.kind).toBe("worktree");
	});

	test("the setup command of a second warm does not hold up other steps of the repository", async () => {
		const world = await warmWorld("");
		world.commit(world.repository, { "package-lock.json": "{ }\n" });
		const [waits, go] = [path.join(world.root, "waits"), path.join(world.root, "go")];
		world.configure(`setup: touch ${waits}; until [ -e ${go} ]; do sleep 0.02; done\n`);
		const warm = world.workspaces.warm(world.project);
		await expect.poll(() => existsSync(waits)).toBe(true);
		world.configure("");
		expect((await world.agent("a")).workspace.kind).toBe("worktree");
		writeFileSync(go, "");
		expect(agreed(await warm).filled).toBe(true);
	});
});

describe("a clone", () => {
	test.each([
		["https://user:secret@example.invalid/x.git", "https://example.invalid/x.git"],
		["https://secret@example.invalid/x.git", "https://example.invalid/x.git"],
		["https://example.invalid/x.git?access_token=secret#secret", "https://example.invalid/x.git"],
		["ssh://git:secret@example.invalid/x.git", "ssh://git@example.invalid/x.git"],
		["git@example.invalid:x.git", "git@example.invalid:x.git"],
		["https://secret@example.invalid:port/x", ""],
	])("has the address %s of its project as %j", async (address, kept) => {
		const world = makeWorld();
		world.git(world.repository, "remote", "add", "origin", address);
		const { path: folder } = (await world.agent("a", { kind: "clone" })).workspace;
		expect(world.git(folder, "remote")).toBe(kept === "" ? "brood" : "brood\norigin");
		if (kept !== "") expect(world.git(folder, "config", "remote.origin.url")).toBe(kept);
	});

	test("finds the project's remote where the project names it by a relative path", async () => {
		const world = makeWorld();
		const remote = path.join(path.dirname(world.repository), "remote.git");
		world.git(world.repository, "clone", "-q", "--bare", ".", remote);
		world.git(world.repository, "remote", "add", "origin", "../remote.git");
		const { path: folder } = (await world.agent("a", { kind: "clone" })).workspace;
		expect(world.git(folder, "config", "remote.origin.url")).toBe(remote);
		world.git(folder, "fetch", "-q", "origin");
		expect(world.git(folder, "rev-parse", "origin/main")).toBe(world.tip("main"));
	});

	test("shares nothing with the project's repository, not even objects", async () => {
		const world = makeWorld();
		world.git(world.repository, "remote", "add", "origin", "https://user:secret@example.invalid/x.git");
		const checkout = await world.agent("a", { kind: "clone" });
		const { path: folder } = checkout.workspace;
		expect(world.git(folder, "status", "--porcelain", "--branch")).toBe("## brood/a");
		expect(world.git(folder, "remote", "-v")).not.toContain("secret");
		expect(world.git(folder, "config", "remote.brood.url")).toBe(world.repository);
		expect(existsSync(path.join(folder, ".git/objects/info/alternates"))).toBe(false);
		const objects = Object.keys(fingerprint(path.join(folder, ".git/objects"))).filter((name) =>
			/^[0-9a-f]{2}\/.+/.test(name),
		);
		expect(objects.filter((name) => lstatSync(path.join(folder, ".git/objects", name)).nlink > 1)).toEqual([]);
		rmSync(path.join(world.repository, ".git/objects"), { recursive: true });
		expect(world.git(folder, "log", "--format=%s")).toBe("first");
		expect(world.git(folder, "commit", "--allow-empty", "-qm", "x")).toBe("");
		expect(world.git(folder, "log", "-1", "--format=%an")).toBe("brood-agent-a");
	});
});

test("a fork is measured against its parent's base, unless another is asked for", async () => {
	const world = makeWorld();
	world.git(world.repository, "branch", "dev");
	const parent = await world.agent("parent", { from: "dev" });
	const request = { project: world.project, kind: "worktree", parent } as const;
	expect(agreed(await world.workspaces.provisionFrom({ ...request, agent: identity("one") })).workspace.base).toBe(
		"dev",
	);
	expect(
		agreed(await world.workspaces.provisionFrom({ ...request, agent: identity("two"), from: "main" })).workspace.base,
	).toBe("main");
});

describe("the setup command in a fork", () => {
	const forked = async (config: string) => {
		const world = makeWorld();
		world.configure("setup: mkdir -p built\n");
		const parent = await world.agent("parent");
		write(parent.workspace.path, "new.txt", "untracked\n");
		world.configure(config);
		return {
			world,
			fork: await world.workspaces.provisionFrom({
				project: world.project,
				kind: "worktree",
				parent,
				agent: identity("child"),
			}),
		};
	};

	test("makes what git ignores and so did not come along", async () => {
		const fork = agreed((await forked("setup: cat new.txt > built.log\n")).fork);
		expect([read(fork.workspace.path, "built.log"), fork.setup?.exit, fork.notes]).toEqual(["untracked\n", 0, []]);
	});

	test("does not run where the project says so", async () => {
		const fork = agreed((await forked("setup: echo > built.log\nsetupForks: false\n")).fork);
		expect([existsSync(path.join(fork.workspace.path, "built.log")), fork.setup]).toEqual([false, null]);
	});

	test("may fail: the tree is there, and the agent is told", async () => {
		const fork = agreed((await forked("setup: exit 3\n")).fork);
		expect([read(fork.workspace.path, "new.txt"), fork.notes]).toEqual([
			"untracked\n",
			["The setup command ended with 3. What it makes may be missing."],
		]);
	});

	test("that nobody has approved does not run, and keeps nobody from forking", async () => {
		const world = makeWorld();
		const parent = await world.agent("parent");
		world.commit(world.repository, { ".brood.yaml": "setup: touch built.log\n" });
		const request = { project: world.project, kind: "worktree", parent, agent: identity("child") } as const;
		const fork = agreed(await world.workspaces.provisionFrom(request));
		expect([existsSync(path.join(fork.workspace.path, "built.log")), fork.notes]).toEqual([
			false,
			[expect.stringMatching(/nobody has approved it/)],
		]);
	});
});

test("main is the repository itself, as it is", async () => {
	const world = makeWorld();
	world.git(world.repository, "checkout", "-qb", "mine");
	write(world.repository, "a.txt", "dirty\n");
	const before = fingerprint(world.repository);
	expect((await world.agent("a", { kind: "main" })).workspace).toEqual({
		kind: "main",
		path: world.repository,
		branch: "mine",
		base: "mine",
	});
	expect(fingerprint(world.repository)).toEqual(before);
	const { path: bare } = agreed(
		await world.workspaces.openProject({ slug: world.project.slug, source: `file://${world.repository}` }),
	);
	expectRefusal(
		await world.workspaces.provision({
			project: { slug: world.project.slug, path: bare },
			agent: identity("b"),
			kind: "main",
		}),
		"VALIDATION_ERROR",
	);
});
