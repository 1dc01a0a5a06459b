// What the daemon frees by itself, seen from outside: with git, with the sizes that du and SQLite's files have, and
// with what must still be there afterwards.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "#adapters/system/temporary.ts";
import { ProjectSlug } from "#contract/ids.ts";
import type { Retention } from "#contract/retention.ts";
import { at } from "../support/in-workspace.ts";
import { expectRefusal, makeWorld } from "../support/make-world.ts";
import { git, params, TestDaemon } from "../support/test-daemon.ts";
import { agreed, identity, type World, write } from "../support/world.ts";

const diskUse = "du";
const day = 24 * 60 * 60 * 1000;
const rules: Retention = {
	trashDays: 14,
	snapshotDays: 14,
	snapshotsKept: 3,
	snapshotsMax: 8,
	upkeepMinutes: 10,
	packing: "on",
};

async function snapshots(world: World, checkout: Awaited<ReturnType<World["agent"]>>, count: number): Promise<void> {
	for (let number = 0; number < count; number++) {
		write(checkout.workspace.path, "a.txt", `${checkout.agent.handle} ${world.now} ${number}\n`);
		await world.workspaces.takeSnapshot(checkout, { reason: "turn" });
	}
}

const numbers = (world: World, id: string): number[] =>
	world
		.git(world.repository, "for-each-ref", "--format=%(refname)", `refs/brood/snapshots/${id}`)
		.split("\n")
		.filter((name) => name !== "")
		.map((name) => Number(path.basename(name)))
		.sort((a, b) => a - b);

describe("snapshots", () => {
	test("of a living agent: the newest stay, the young up to a number; of a deleted one all go; of somebody unknown none; what a fork needs stays", async () => {
		const world = makeWorld({ retention: rules });
		const [living, gone, stranger] = [
			await world.agent("living"),
			await world.agent("gone"),
			await world.agent("stranger"),
		];
		for (const checkout of [living, gone, stranger]) await snapshots(world, checkout, 4);
		world.now += 15 * day;
		const request = {
			withFolder: [living.agent],
			goneOf: async () => [gone.agent.id],
			needed: [`refs/brood/snapshots/${gone.agent.id}/2`],
			dryRun: true,
		};
		const shown = await world.workspaces.gc(world.project, request);
		expect(
			shown.filter(({ what }) => what === "snapshot").map(({ name }) => name.split("/").slice(-2).join("/")),
		).toEqual(
			expect.arrayContaining([
				`${gone.agent.id}/1`,
				`${gone.agent.id}/3`,
				`${gone.agent.id}/4`,
				`${living.agent.id}/1`,
			]),
		);
		expect(numbers(world, gone.agent.id)).toEqual([1, 2, 3, 4]);
		expect(await world.workspaces.gc(world.project, { ...request, dryRun: false })).toEqual(shown);
		expect([living, gone, stranger].map(({ agent }) => numbers(world, agent.id))).toEqual([
			[2, 3, 4],
			[2],
			[1, 2, 3, 4],
		]);
		await snapshots(world, living, 9);
		await world.workspaces.gc(world.project, { withFolder: [living.agent], dryRun: false });
		expect(numbers(world, living.agent.id)).toEqual([6, 7, 8, 9, 10, 11, 12, 13]);
		expect(world.git(world.repository, "fsck", "--no-dangling", "--connectivity-only")).toBe("");
		expectRefusal(await world.workspaces.restoreSnapshot(living, "3"), "SNAPSHOT_GONE");
		agreed(await world.workspaces.restoreSnapshot(living, "6"));
	});

	test("of an agent with a clone, in its own repository", async () => {
		const world = makeWorld({ retention: { ...rules, snapshotsMax: 2, snapshotsKept: 1 } });
		const checkout = await world.agent("a", { kind: "clone" });
		await snapshots(world, checkout, 5);
		const done = await world.workspaces.gc(world.project, { withFolder: [checkout.agent], dryRun: false });
		expect(done.map(({ what, freed }) => `${what} ${freed}`)).toEqual([
			"snapshot true",
			"snapshot true",
			"snapshot true",
		]);
		const left = world.git(checkout.workspace.path, "for-each-ref", "--format=%(refname)", "refs/brood/snapshots");
		expect(left).toBe(`refs/brood/snapshots/${checkout.agent.id}/4\nrefs/brood/snapshots/${checkout.agent.id}/5`);
		agreed(await world.workspaces.restoreSnapshot(checkout, "4"));
	});

	test("in pieces: the oldest first, so many at a time", async () => {
		const world = makeWorld({ retention: { ...rules, snapshotsMax: 1, snapshotsKept: 1 } });
		const checkout = await world.agent("a");
		await snapshots(world, checkout, 5);
		const some = { withFolder: [checkout.agent], dryRun: false, atMost: { folders: 5, refs: 2 } };
		await world.workspaces.gc(world.project, some);
		expect(numbers(world, checkout.agent.id)).toEqual([3, 4, 5]);
		await world.workspaces.gc(world.project, some);
		await world.workspaces.gc(world.project, some);
		expect(numbers(world, checkout.agent.id)).toEqual([5]);
	});
});

test("refs that only repeat what base has go; the last copy of a commit stays", async () => {
	const world = makeWorld({ retention: rules });
	const { repository } = world;
	const merged = world.git(repository, "rev-parse", "HEAD");
	const [tree, gone] = [world.git(repository, "rev-parse", "HEAD^{tree}"), identity("gone").id];
	const alone = world.git(repository, "commit-tree", "-m", "nobody else has this", tree);
	const refs = [
		`left/${gone}/${merged}`,
		`left/${gone}/${alone}`,
		`branches/brood/x/${merged}`,
		`branches/brood/x/${alone}`,
		`left/${identity("other").id}/${merged}`,
	];
	for (const ref of refs) world.git(repository, "update-ref", `refs/brood/${ref}`, ref.slice(ref.lastIndexOf("/") + 1));
	const done = await world.workspaces.gc(world.project, { dryRun: false, withFolder: [], goneOf: async () => [gone] });
	expect(done.filter(({ what }) => what === "ref").map(({ name }) => name)).toEqual([
		`refs/brood/branches/brood/x/${merged}`,
		`refs/brood/left/${gone}/${merged}`,
	]);
	const left = world.git(repository, "for-each-ref", "--format=%(refname)", "refs/brood").split("\n");
	expect(left).toEqual([refs[3], refs[1], refs[4]].map((ref) => `refs/brood/${ref}`).sort());
	expect(world.git(repository, "cat-file", "-t", alone)).toBe("commit");
});

describe("packing a repository", () => {
	/** Loose objects and refs as agents leave them, and one object that nothing leads to. */
	function litter(world: World, repository = world.repository, objects = 2500): string {
		const run = (args: readonly string[], input: string): string =>
			execFileSync("git", args, { cwd: repository, input, encoding: "utf8" }).trim();
		const folder = path.resolve(repository, run(["rev-parse", "--git-common-dir"], ""), "litter");
		mkdirSync(folder);
		const names = Array.from({ length: objects }, (_, number) => path.join(folder, String(number)));
		for (const [number, name] of names.entries()) writeFileSync(name, `object ${number}\n`);
		const ids = run(["hash-object", "-w", "--stdin-paths"], names.join("\n")).split("\n");
		run(
			["update-ref", "--stdin"],
			ids
				.map((id, number) => (number < 300 ? `create refs/brood/snapshots/somebody/${number + 1} ${id}\n` : ""))
				.join(""),
		);
		return run(["hash-object", "-w", "--stdin"], "what somebody may still look for\n");
	}
	const counted = (world: World, repository = world.repository): { loose: number; packs: number } => {
		const said = world.git(repository, "count-objects", "-v");
		return { loose: Number(/^count: (\d+)/m.exec(said)?.[1]), packs: Number(/^packs: (\d+)/m.exec(said)?.[1]) };
	};

	test("puts loose objects and refs together, and nothing is gone afterwards, reachable or not", async () => {
		const world = makeWorld({ retention: rules });
		const lost = litter(world);
		const refs = world.git(world.repository, "for-each-ref");
		const reflog = world.git(world.repository, "reflog");
		const before = Number(
			execFileSync(diskUse, ["-sk", path.join(world.repository, ".git/objects")], { encoding: "utf8" }).split("\t")[0],
		);
		const shown = await world.workspaces.gc(world.project, { dryRun: true, withFolder: [] });
		expect(shown.map(({ what }) => what)).toEqual(["ref", "objects"]);
		expect(counted(world).loose).toBeGreaterThan(2500);
		const done = await world.workspaces.gc(world.project, { dryRun: false, withFolder: [] });
		expect(done.map(({ what, freed }) => `${what} ${freed}`)).toEqual(["ref true", "objects true"]);
		const after = Number(
			execFileSync(diskUse, ["-sk", path.join(world.repository, ".git/objects")], { encoding: "utf8" }).split("\t")[0],
		);
		expect(counted(world).loose).toBe(0);
		expect(after).toBeLessThan(before / 10);
		expect(existsSync(path.join(world.repository, ".git/refs/brood/snapshots/somebody"))).toBe(false);
		expect(world.git(world.repository, "for-each-ref")).toBe(refs);
		expect(world.git(world.repository, "reflog")).toBe(reflog);
		expect(world.git(world.repository, "cat-file", "-t", lost)).toBe("blob");
		expect(await world.workspaces.gc(world.project, { dryRun: false, withFolder: [] })).toEqual([]);
	});

	test.each([
		[
			"a garbage collection of the person's own runs",
			(world: World) => writeFileSync(path.join(world.repository, ".git/gc.pid"), "1 host"),
		],
		["the person wants none", null],
	])("is left alone while %s", async (_, before) => {
		const world = makeWorld({ retention: { ...rules, packing: before === null ? "off" : "on" } });
		// its age is told by the disk
		world.now = statSync(world.repository).mtimeMs;
		litter(world, world.repository, 2200);
		before?.(world);
		const { loose } = counted(world);
		expect(await world.workspaces.gc(world.project, { dryRun: false, withFolder: [] })).toEqual([]);
		expect(counted(world).loose).toBe(loose);
	});
});

test("objects of expired snapshots go from a person's repository; everything else stays, also what nothing leads to", {
	timeout: 120_000,
}, async () => {
	const world = makeWorld({ retention: { ...rules, snapshotsKept: 1 } });
	const { repository } = world;
	const checkout = await world.agent("a");
	world.now = statSync(repository).mtimeMs - 20 * day;
	await snapshots(world, checkout, 3);
	const [ref, blob] = [
		`refs/brood/snapshots/${checkout.agent.id}/1`,
		world.git(repository, "rev-parse", `refs/brood/snapshots/${checkout.agent.id}/1:tree/a.txt`),
	];
	// many more of the same, each a commit of its own
	const tree = world.git(repository, "rev-parse", `${ref}^{tree}`);
	const stream = Array.from({ length: 220 }, (_, number) => [
		`commit refs/brood/snapshots/${checkout.agent.id}/${number + 4}\ncommitter b <b@b> ${Math.floor(world.now / 1000)} +0000\ndata <<END\nSnapshot: turn\n\nContent: abc${number}\nEND\n`,
		`M 040000 ${tree} \n\n`,
	]);
	execFileSync("git", ["fast-import", "--quiet"], { cwd: repository, input: stream.flat().join("") });
	write(checkout.workspace.path, "a.txt", "the newest\n");
	await world.workspaces.takeSnapshot(checkout, { reason: "turn" });
	// what a person may still look for: a dropped stash, a blob that was only staged once, and what only a reflog has
	write(repository, "a.txt", "in a stash\n");
	world.git(repository, "stash");
	const stash = world.git(repository, "rev-parse", "refs/stash");
	world.git(repository, "stash", "drop");
	const lost = execFileSync("git", ["hash-object", "-w", "--stdin"], {
		cwd: repository,
		input: "staged once\n",
		encoding: "utf8",
	}).trim();
	const amended = world.commit(repository, { "a.txt": "first try\n" });
	world.git(repository, "reset", "-q", "HEAD~1");
	write(checkout.workspace.path, "staged.txt", "only in an index\n");
	world.git(checkout.workspace.path, "add", "staged.txt");
	const staged = world.git(checkout.workspace.path, "rev-parse", ":staged.txt");
	// all of it is old
	execFileSync("find", [
		path.join(repository, ".git/objects"),
		"-type",
		"f",
		"-exec",
		"touch",
		"-d",
		"20 days ago",
		"{}",
		"+",
	]);
	world.now += 20 * day;
	const reflog = world.git(repository, "reflog");
	const refs = world.git(repository, "for-each-ref", "refs/heads", "refs/tags");
	const request = { withFolder: [checkout.agent], dryRun: false };
	const done = await world.workspaces.gc(world.project, request);
	expect(done.filter(({ what }) => what === "snapshot")).toHaveLength(223);
	expect(done.at(-1)).toMatchObject({
		what: "objects",
		reason: "of expired snapshots, and nothing else refers to them",
	});
	const there = (id: string): boolean => spawnSync("git", ["cat-file", "-e", id], { cwd: repository }).status === 0;
	expect({ blob: there(blob), tree: there(tree) }).toEqual({ blob: false, tree: false });
	expect([stash, lost, amended, staged, `${stash}^2`].map(there)).toEqual([true, true, true, true, true]);
	expect(world.git(repository, "reflog")).toBe(reflog);
	expect(world.git(repository, "for-each-ref", "refs/heads", "refs/tags")).toBe(refs);
	expect(world.git(repository, "for-each-ref", "refs/brood/keep")).toBe("");
	expect(world.git(repository, "fsck", "--no-dangling")).toBe("");
	agreed(await world.workspaces.restoreSnapshot(checkout, "224"));
});

describe("a bare clone in the home", () => {
	test.each([
		["loses what nothing has led to for as long as snapshots are kept", false],
		["loses nothing while a workspace borrows from it", true],
	])("%s", async (_, borrowed) => {
		const world = makeWorld({ retention: rules });
		world.now = statSync(world.repository).mtimeMs;
		const slug = ProjectSlug.parse("m");
		const { path: bare } = agreed(await world.workspaces.openProject({ slug, source: `file://${world.repository}` }));
		const objects = ["old", "young"].map((text) =>
			execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: bare, input: text, encoding: "utf8" }).trim(),
		);
		const [old = "", young = ""] = objects;
		const aged = new Date(world.now - 20 * day);
		utimesSync(path.join(bare, "objects", old.slice(0, 2), old.slice(2)), aged, aged);
		for (let number = 0; number < 22; number++) {
			// each in a pack of its own
			world.commit(world.repository, { "a.txt": `${number}\n` });
			world.git(bare, "-c", "fetch.unpackLimit=1", "fetch", "-q", "origin", "+refs/heads/*:refs/heads/*");
		}
		if (borrowed) world.git(bare, "clone", "-q", "--shared", ".", path.join(world.home, "projects/m/agents/a"));
		await world.workspaces.gc({ slug, path: bare }, { dryRun: false, withFolder: [] });
		const there = (id: string): boolean => spawnSync("git", ["cat-file", "-e", id], { cwd: bare }).status === 0;
		expect([there(old), there(young)]).toEqual([borrowed, true]);
		expect(world.git(bare, "fsck", "--no-dangling")).toBe("");
		expect(world.git(bare, "rev-parse", "main")).toBe(world.git(world.repository, "rev-parse", "main"));
	});
});

test("who borrows objects is known, also what lies in the trash", async () => {
	const world = makeWorld({ retention: rules });
	const agents = path.join(world.home, "projects/p/agents");
	mkdirSync(agents, { recursive: true });
	world.git(world.repository, "clone", "-q", "--shared", ".", path.join(agents, "borrower"));
	world.git(world.repository, "clone", "-q", "--no-hardlinks", ".", path.join(agents, "owner"));
	mkdirSync(path.join(world.home, "trash/1-p-x"), { recursive: true });
	world.git(
		world.repository,
		"clone",
		"-q",
		"--shared",
		path.join(agents, "borrower"),
		path.join(world.home, "trash/1-p-x/files"),
	);
	const space = await world.workspaces.space(world.project);
	expect(space.borrowers).toBe(2);
	expect(space.workspaces.count).toBe(2);
});

test("temporary folders of processes that are gone are removed, those of living ones and young ones stay", async () => {
	await using shop = await TestDaemon.open();
	const mine = await temporaryFolder("shadow");
	const [dead, young, foreign] = [
		"brood-shadow-999999999-abcdef",
		"brood-index-999999999-ghijkl",
		"brood-else-999999999-mnopqr",
	].map((name) => path.join(os.tmpdir(), name));
	const all = [mine, dead ?? "", young ?? "", foreign ?? ""];
	for (const place of all) mkdirSync(place, { recursive: true });
	const old = new Date(statSync(mine).mtimeMs - 2 * day);
	for (const place of [mine, dead ?? "", foreign ?? ""]) utimesSync(place, old, old);
	await shop.daemon.engine.upkeep.round();
	expect(all.map((place) => existsSync(place))).toEqual([true, false, true, true]);
	execFileSync("rm", ["-r", mine, young ?? "", foreign ?? ""]);
});

test("the daemon empties its trash by itself, and says what takes how much", async () => {
	await using shop = await TestDaemon.open((home) =>
		writeFileSync(path.join(home, "config.yaml"), "retention:\n  trashDays: 3\n"),
	);
	const { slug, repository, add } = await shop.project();
	const [kept, removed] = [await add({ name: "kept" }), await add({ name: "removed" })];
	await shop.turn(kept, "write a.txt text");
	await shop.client.call("agentDelete", { ...params(removed), body: { force: true, reason: "over" } });
	const trash = path.join(shop.home, "trash");
	const [name = ""] = readdirSync(trash);
	const aged = path.join(
		trash,
		name.replace(/^\d+/, (time) => String(Number(time) - 4 * day)),
	);
	execFileSync("mv", [path.join(trash, name), aged]);
	const [before] = (await shop.client.call("space")).projects;
	const du = (place: string): number =>
		Number(execFileSync(diskUse, ["-s", "--block-size=1", place], { encoding: "utf8" }).split("\t")[0]);
	expect(before).toMatchObject({
		project: slug,
		path: repository,
		snapshots: 2,
		workspaces: { count: 1 },
		trash: { count: 1, bytes: du(aged) },
		borrowers: 0,
	});
	expect(before?.objects.bytes).toBe(du(path.join(repository, ".git/objects")));
	expect(before?.workspaces.bytes).toBe(du(path.join(shop.home, "projects", slug, "agents")));
	expect(await shop.client.call("gc", { params: { project: slug }, body: { dryRun: true } })).toMatchObject([
		{ what: "trash", freed: true },
	]);
	await shop.daemon.engine.upkeep.round();
	expect(readdirSync(trash)).toEqual([]);
	expect(existsSync(at(kept, "a.txt"))).toBe(true);
	expect(git(repository, "fsck", "--connectivity-only", "--no-dangling")).toBe("");
	const { home } = await shop.client.call("space");
	expect(home).toMatchObject({ trash: du(trash), database: du(path.join(shop.home, "brood.db")) });
});
