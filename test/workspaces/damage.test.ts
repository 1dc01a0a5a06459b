// Workspaces damaged by people or by the disk: the damage is reported or refused, never misread.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ProjectSlug } from "#contract/ids.ts";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { agreed, identity, read, type World, write } from "#test/support/world.ts";

describe("a branch that is gone", () => {
	test.each(["renamed", "deleted"])("a base that was %s is not made anew by an approve", async (how) => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		write(checkout.workspace.path, "work.txt", "w\n");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "Work" }));
		if (how === "renamed") world.git(world.repository, "branch", "-m", "main", "trunk");
		else {
			world.git(world.repository, "checkout", "-qb", "elsewhere");
			world.git(world.repository, "branch", "-qD", "main");
		}
		const before = world.git(world.repository, "for-each-ref");
		expect(expectRefusal(await world.workspaces.approve(checkout, { commit }), "NOT_FOUND").message).toContain("main");
		expect(world.git(world.repository, "for-each-ref")).toBe(before);
	});

	test("of an agent gets no commit without a history", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		write(checkout.workspace.path, "work.txt", "w\n");
		world.git(world.repository, "update-ref", "-d", "refs/heads/brood/a");
		expect(
			expectRefusal(await world.workspaces.commit(checkout, { message: "Work" }), "CONFLICT").suggestions,
		).toContain("brood agent recover p/a");
		expect(world.git(world.repository, "branch", "--list", "brood/a")).toBe("");
		const { snapshot } = agreed(await world.workspaces.recover(checkout));
		agreed(await world.workspaces.restoreSnapshot(checkout, snapshot ?? ""));
		agreed(await world.workspaces.commit(checkout, { message: "Work" }));
		expect(world.git(checkout.workspace.path, "log", "--format=%s")).toBe("Work\nfirst");
	});
});

test.each([
	["garbage", "garbage\n"],
	["empty", ""],
	["of a commit that is not there", `${"1".repeat(40)}\n`],
])("a branch and a tag that are %s keep no clone from being made, with all that can be read", async (_, broken) => {
	const world = makeWorld();
	world.git(world.repository, "branch", "other");
	world.git(world.repository, "tag", "v1");
	const refs = path.join(world.repository, ".git/refs");
	write(refs, "heads/broken", broken);
	write(refs, "tags/broken", broken);
	const { path: folder } = (await world.agent("a", { kind: "clone" })).workspace;
	expect(world.git(folder, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
		"refs/heads/brood/a",
		"refs/remotes/brood/main",
		"refs/remotes/brood/other",
		"refs/tags/v1",
	]);
	expect(world.git(folder, "status", "--porcelain", "--branch")).toBe("## brood/a");
	expect(world.git(folder, "fsck", "--no-progress")).toBe("");
	expect(world.git(folder, "config", "remote.brood.url")).toBe(world.repository);
	expect(existsSync(path.join(folder, ".git/objects/info/alternates"))).toBe(false);
});

const makePipe = "mkfifo";

function replace(folder: string, make: (pointer: string) => unknown): void {
	rmSync(path.join(folder, ".git"));
	make(path.join(folder, ".git"));
}

describe("a damaged workspace", () => {
	const gitFolder = (world: World, handle = "a"): string => path.join(world.repository, ".git/worktrees", handle);

	test.each([
		["a HEAD that is garbage", "GIT_UNREADABLE", (world: World) => write(gitFolder(world), "HEAD", "\0garbage\n")],
		["an index that is garbage", "GIT_UNREADABLE", (world: World) => write(gitFolder(world), "index", "garbage")],
		["no HEAD", "NOT_OURS", (world: World) => rmSync(path.join(gitFolder(world), "HEAD"))],
		[
			".git that is garbage",
			"NOT_OURS",
			(world: World) => write(path.join(world.home, "projects/p/agents/a"), ".git", "gitdir: nowhere\n"),
		],
	])("with %s is reported by health, and its branch status is refused", async (_, code, harm) => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		harm(world);
		const { healthy, issues } = await world.workspaces.health(checkout, { commit: world.tip("main") });
		expect([healthy, new Set(issues.map((each) => each.code))]).toEqual([false, new Set([code])]);
		expectRefusal(await world.workspaces.branchStatus(checkout), "CONFLICT");
	});

	test.each([
		["whose .git is gone", (folder: string) => rmSync(path.join(folder, ".git")), "CONFLICT"],
		["whose .git is empty", (folder: string) => write(folder, ".git", ""), "CONFLICT"],
		["whose .git names nothing", (folder: string) => write(folder, ".git", "gitdir: /nonexistent/x\n"), "CONFLICT"],
		["whose folder is gone", (folder: string) => rmSync(folder, { recursive: true }), "NOT_FOUND"],
	] as const)("%s is refused by each verb with what helps, and its snapshots are shown", async (_, harm, code) => {
		const world = makeWorld();
		const { workspaces } = world;
		const [checkout, other] = [await world.agent("a"), await world.agent("b")];
		write(checkout.workspace.path, "loose.txt", "loose\n");
		const { snapshot } = await workspaces.takeSnapshot(checkout, { reason: "before" });
		harm(checkout.workspace.path);
		const refused = [
			await workspaces.diff(checkout, { kind: "base" }),
			await workspaces.diff(checkout, { kind: "index" }),
			await workspaces.diff(checkout, { kind: "agent", checkout: other }),
			await workspaces.diff(other, { kind: "agent", checkout }),
			await workspaces.branchStatus(checkout),
			await workspaces.uncommitted(checkout),
			await workspaces.commitsSince(checkout, null),
			await workspaces.commit(checkout, { message: "Work" }),
			await workspaces.sync(checkout, "ff"),
			await workspaces.release(checkout),
			await workspaces.push(checkout),
		];
		const recovery = ["brood agent health p/a", "brood agent recover p/a"];
		expect(refused).toEqual(refused.map(() => expect.objectContaining({ code, suggestions: recovery })));
		expect(agreed(await workspaces.showSnapshot(checkout, snapshot.id)).files).toMatchObject([{ path: "loose.txt" }]);
	});

	test.each([
		["HEAD", "garbage\n"],
		["index", "garbage"],
		["index", ""],
	])("whose %s is %j is refused by each verb that reads it, with what helps", async (file, content) => {
		const world = makeWorld();
		const { workspaces } = world;
		const [checkout, other] = [await world.agent("a"), await world.agent("b")];
		write(checkout.workspace.path, "loose.txt", "loose\n");
		write(gitFolder(world), file, content);
		const refused = [
			await workspaces.diff(checkout, { kind: "base" }),
			await workspaces.diff(checkout, { kind: "index" }),
			await workspaces.diff(checkout, { kind: "agent", checkout: other }),
			await workspaces.diff(other, { kind: "agent", checkout }),
			await workspaces.branchStatus(checkout),
			await workspaces.uncommitted(checkout),
			await workspaces.commit(checkout, { message: "Work" }),
			await workspaces.sync(checkout, "ff"),
			await workspaces.release(checkout),
			await workspaces.approve(checkout, { commit: world.tip("main") }),
		];
		const suggestions = ["brood agent health p/a", "brood agent recover p/a"];
		expect(refused).toEqual(refused.map(() => expect.objectContaining({ code: "CONFLICT", suggestions })));
		// the control: another workspace of the same project can be read
		agreed(await workspaces.diff(other, { kind: "base" }));
		agreed(await workspaces.recover(checkout));
		agreed(await workspaces.diff(checkout, { kind: "base" }));
	});

	test("whose project has lost its repository is not told to recover", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		rmSync(path.join(world.repository, ".git"), { recursive: true });
		const damaged = /not a (git repository|working tree of git)/;
		await expect(world.workspaces.diff(checkout, { kind: "base" })).rejects.toThrow(damaged);
		await expect(world.workspaces.uncommitted(checkout)).rejects.toThrow(damaged);
	});

	test.each([
		[
			"a config.yaml that is a folder",
			(world: World) => mkdirSync(path.join(world.home, "projects/p/config.yaml")),
			"it is not a file",
		],
		[
			"a mark that nobody can read",
			(world: World) => chmodSync(path.join(gitFolder(world), "brood.json"), 0),
			"not marked",
		],
		[
			"a mark that is garbage",
			(world: World) => writeFileSync(path.join(gitFolder(world), "brood.json"), "{"),
			"not marked",
		],
	])("with %s has an issue", async (what, harm, words) => {
		// root can read everything
		if (what.includes("nobody") && process.getuid?.() === 0) return;
		const world = makeWorld();
		const checkout = await world.agent("a");
		harm(world);
		expect((await world.workspaces.health(checkout)).issues).toMatchObject([
			{ code: what.includes("config") ? "PROJECT_CONFIG" : "NOT_OURS", text: expect.stringContaining(words) },
		]);
	});

	test.each([
		["names nothing", (_: World, folder: string) => write(folder, ".git", "gitdir: /nonexistent/x\n")],
		["is gone", (_: World, folder: string) => rmSync(path.join(folder, ".git"))],
		["is a FIFO", (_: World, folder: string) => replace(folder, (pointer) => execFileSync(makePipe, [pointer]))],
		["is an empty folder", (_: World, folder: string) => replace(folder, (pointer) => mkdirSync(pointer))],
		["is a link", (_: World, folder: string) => replace(folder, (pointer) => symlinkSync("/etc", pointer))],
		[
			"names another agent's folder",
			(world: World, folder: string) => write(folder, ".git", `gitdir: ${gitFolder(world, "b")}\n`),
		],
		["names a folder that was pruned", (world: World) => rmSync(gitFolder(world), { recursive: true })],
	])("whose .git %s is attached again by a recover, with all its files", async (_, harm) => {
		const world = makeWorld();
		const [checkout, other] = [await world.agent("a"), await world.agent("b")];
		const folder = checkout.workspace.path;
		write(folder, "work.txt", "w\n");
		agreed(await world.workspaces.commit(checkout, { message: "Work" }));
		write(folder, "loose.txt", "loose\n");
		harm(world, folder);
		const { healthy, issues } = await world.workspaces.health(checkout);
		expect([healthy, issues.map(({ fix }) => fix)]).toEqual([false, ["brood agent recover p/a"]]);
		const { snapshot } = agreed(await world.workspaces.recover(checkout));
		for (const each of [checkout, other])
			expect(await world.workspaces.health(each)).toEqual({ healthy: true, issues: [] });
		expect(world.git(folder, "status", "--porcelain", "--branch")).toBe("## brood/a");
		expect(world.git(folder, "log", "--format=%s")).toBe("Work\nfirst");
		agreed(await world.workspaces.restoreSnapshot(checkout, snapshot ?? ""));
		expect(read(folder, "loose.txt")).toBe("loose\n");
		expect(readdirSync(path.dirname(folder))).toEqual(["a", "b"]);
	});

	test("whose folder holds other files, or a repository of its own, is nobody's to overwrite", async () => {
		const world = makeWorld();
		const [checkout, other] = [await world.agent("a"), await world.agent("b")];
		rmSync(gitFolder(world), { recursive: true });
		for (const name of readdirSync(checkout.workspace.path).filter((each) => each !== ".git"))
			rmSync(path.join(checkout.workspace.path, name), { recursive: true });
		write(checkout.workspace.path, "theirs.txt", "t\n");
		expectRefusal(await world.workspaces.recover(checkout), "PATH_EXISTS");
		rmSync(path.join(other.workspace.path, ".git"));
		world.git(other.workspace.path, "init", "--quiet");
		expectRefusal(await world.workspaces.recover(other), "PATH_EXISTS");
		expect(read(checkout.workspace.path, "theirs.txt")).toBe("t\n");
	});

	test("with an index that is garbage can be recovered, restored and removed, and the index is kept", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		const harm = (): void => write(gitFolder(world), "index", "garbage");
		write(folder, "a.txt", "changed\n");
		write(folder, "new.txt", "new\n");
		harm();
		const home = agreed(await world.workspaces.recover(checkout));
		expect([home.text, world.git(folder, "status", "--porcelain")]).toEqual([
			expect.stringContaining("index.broken-1"),
			"",
		]);
		harm();
		expect(agreed(await world.workspaces.restoreSnapshot(checkout, home.snapshot ?? "")).text).toContain(
			"index.broken-2",
		);
		expect([read(folder, "a.txt"), read(folder, "new.txt")]).toEqual(["changed\n", "new\n"]);
		harm();
		expectRefusal(await world.workspaces.remove(checkout, {}), "CONFLICT");
		const { trash, snapshot } = agreed(await world.workspaces.remove(checkout, { force: true }));
		expect([1, 2, 3].map((number) => read(path.join(trash ?? "", "git"), `index.broken-${number}`))).toEqual([
			"garbage",
			"garbage",
			"garbage",
		]);
		const { reason } = (await world.workspaces.snapshots(checkout)).find(({ id }) => id === snapshot) ?? {};
		expect(reason).toContain("index.broken-3");
		expect(
			agreed(await world.workspaces.showSnapshot(checkout, snapshot ?? "")).files.map((file) => file.path),
		).toEqual(["a.txt", "new.txt"]);
	});
});

test("gc frees only what is old and of that project, though another's slug begins with its own", async () => {
	const world = makeWorld();
	const other = { ...world.project, slug: ProjectSlug.parse("p-b") };
	for (const [project, kind] of [
		[world.project, "worktree"],
		[other, "clone"],
	] as const) {
		const agent = identity(`in-${project.slug}`);
		const { workspace } = agreed(await world.workspaces.provision({ project, agent, kind }));
		agreed(await world.workspaces.remove({ project, agent, workspace }, {}));
	}
	const trash = path.join(world.home, "trash");
	mkdirSync(path.join(trash, "1-p-b-old"));
	world.now += 15 * 24 * 60 * 60 * 1000;
	const freed = await world.workspaces.gc(world.project, { dryRun: false, withFolder: [] });
	expect(freed.map(({ name, freed: gone }) => `${name.replace(/^\d+-/, "")} ${gone}`)).toEqual([
		"p-b-old false",
		"p-in-p true",
	]);
	expect(readdirSync(trash).map((name) => name.replace(/^\d+-/, ""))).toEqual(["p-b-old", "p-b-in-p-b"]);
	await world.workspaces.gc(other, { dryRun: false, withFolder: [] });
	expect(readdirSync(trash)).toEqual(["1-p-b-old"]);
});

test("who shares a workspace can recover it, make it again when it is gone, and remove it", async () => {
	const world = makeWorld();
	const maker = await world.agent("maker");
	const sharer = { ...maker, agent: identity("sharer") };
	write(maker.workspace.path, "x", "x\n");
	expect(agreed(await world.workspaces.recover(sharer)).branchStatus.uncommitted).toBe(false);
	rmSync(maker.workspace.path, { recursive: true });
	expect(agreed(await world.workspaces.recover(sharer)).updated).toBe(true);
	for (const checkout of [maker, sharer])
		expect(await world.workspaces.health(checkout)).toEqual({ healthy: true, issues: [] });
	expect(await world.agent("maker")).toEqual(maker);
	world.now += 1000;
	agreed(await world.workspaces.remove(sharer, {}));
	expect(readdirSync(path.dirname(maker.workspace.path))).toEqual([]);
});

test("no snapshot is put back into a person's own checkout", async () => {
	const world = makeWorld();
	const checkout = await world.agent("m", { kind: "main" });
	write(world.repository, "a.txt", "then\n");
	await world.workspaces.takeSnapshot(checkout, { reason: "turn" });
	write(world.repository, "a.txt", "now\n");
	expectRefusal(await world.workspaces.restoreSnapshot(checkout, "1"), "CONFLICT");
	expect(read(world.repository, "a.txt")).toBe("now\n");
});
