// What a reviewer sees before merging: conflicts, the check's result, one file whole, and the tree at each turn.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { at } from "#test/support/in-workspace.ts";
import { git, params, refusal, TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
beforeAll(async () => {
	world = await TestDaemon.open();
});
afterAll(async () => await world[Symbol.asyncDispose]());

test("a preview names the files that both sides changed, and moves nothing", async () => {
	const { repository, add } = await world.project({ "a.txt": "one\n", "b.txt": "one\n" });
	const agent = await add();
	await world.turn(agent, "write a.txt theirs\nwrite c.txt new\ncommit work");
	const clean = await world.client.call("mergePreview", params(agent));
	const tip = git(at(agent), "rev-parse", "HEAD");
	const base = git(repository, "rev-parse", "main");
	const shape = { base: "main", commit: tip, hasCheck: false, check: null };
	expect(clean).toEqual({ ...shape, baseCommit: base, ahead: 1, behind: 0, conflicts: [] });
	writeFileSync(path.join(repository, "a.txt"), "ours\n");
	git(repository, "commit", "-qam", "ours");
	const moved = git(repository, "rev-parse", "main");
	expect(await world.client.call("mergePreview", params(agent))).toEqual({
		...{ ...shape, baseCommit: moved, ahead: 1, behind: 1 },
		conflicts: ["a.txt"],
	});
	expect([git(repository, "rev-parse", "main"), git(repository, "status", "--porcelain")]).toEqual([moved, ""]);
	// uncommitted work is not part of a merge, and the refusal says so
	writeFileSync(at(agent, "c.txt"), "more");
	expect((await refusal(world.client.call("mergePreview", params(agent)))).code).toBe("WORKTREE_DIRTY");
});

test("the check runs on what the merge would be, and is answered whether it passes or not", async () => {
	const { slug, repository, add } = await world.project({ "a.txt": "one\n", ".brood.yaml": "check: test -f b.txt\n" });
	const agent = await add();
	await world.turn(agent, "write a.txt two\ncommit work");
	const { unapprovedConfig } = await world.client.call("projectSettings", { params: { project: slug } });
	expect((await refusal(world.client.call("check", { ...params(agent), body: {} }))).code).toBe("CONFLICT");
	await world.client.call("projectApprove", {
		params: { project: slug },
		body: { fingerprint: unapprovedConfig?.fingerprint ?? "" },
	});
	const failed = await world.client.call("check", { ...params(agent), body: {} });
	expect([failed.hasCheck, failed.check?.exit]).toEqual([true, 1]);
	// only the merge has the file: base brought it
	writeFileSync(path.join(repository, "b.txt"), "here\n");
	git(repository, "add", "b.txt");
	git(repository, "commit", "-qm", "b");
	const passed = await world.client.call("check", { ...params(agent), body: {} });
	expect([passed.behind, passed.check?.exit]).toEqual([1, 0]);
});

test("one file is shown whole where the whole diff is cut", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const agent = await add();
	const long = Array.from({ length: 30_000 }, (_, line) => `line ${line} ${"x".repeat(40)}`).join("\n");
	writeFileSync(at(agent, "long.txt"), `${long}\n`);
	writeFileSync(at(agent, "a.txt"), "two\n");
	const whole = await world.client.call("diff", params(agent));
	expect(whole.truncated).toBe(true);
	expect(whole.patch).not.toContain("+line 29999 ");
	const one = await world.client.call("diff", { ...params(agent), query: { path: "long.txt" } });
	expect([one.truncated, one.files.map((file) => file.path), one.patch.includes("+line 29999 ")]).toEqual([
		false,
		["long.txt"],
		true,
	]);
	expect((await world.client.call("diff", { ...params(agent), query: { path: "none.txt" } })).files).toEqual([]);
});

test("two snapshots are compared: what one turn changed", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const agent = await add();
	await world.turn(agent, "write a.txt two");
	await world.turn(agent, "write b.txt new");
	const [second, first] = await world.client.call("snapshots", params(agent));
	const place = { params: { agent: agent.id, snapshot: second?.id ?? "" } };
	const names = async (query: object) =>
		(await world.client.call("snapshot", { ...place, query })).files.map((file) => file.path);
	expect(await names({})).toEqual(["a.txt", "b.txt"]);
	expect(await names({ against: first?.id })).toEqual(["b.txt"]);
	expect((await refusal(world.client.call("snapshot", { ...place, query: { against: "999" } }))).code).toBe(
		"SNAPSHOT_GONE",
	);
	// committed at once: only from where the branch began
	const committer = await add({ name: "committer" });
	await world.turn(committer, "write a.txt two\ncommit Two");
	const [only] = await world.client.call("snapshots", params(committer));
	const changed = async (query: object) => {
		const at = { params: { agent: committer.id, snapshot: only?.id ?? "" } };
		return (await world.client.call("snapshot", { ...at, query })).files.map((file) => file.path);
	};
	expect([await changed({}), await changed({ against: "start" })]).toEqual([[], ["a.txt"]]);
});

test("a fork's first turn is compared with the files that it was forked with", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const parent = await add();
	await world.turn(parent, "write a.txt two\nwrite parents.txt new");
	for (const workspace of ["worktree", "clone"] as const) {
		const child = await world.client.call("fork", { params: { agent: parent.id }, body: { workspace } });
		await world.turn(child, "write b.txt new");
		const [taken] = await world.client.call("snapshots", params(child));
		const place = { params: { agent: child.id, snapshot: taken?.id ?? "" } };
		const { files, against } = await world.client.call("snapshot", { ...place, query: { against: "start" } });
		expect([against, files.map((file) => file.path)]).toEqual(["the fork", ["b.txt"]]);
	}
});

test("comments on lines reach the agent as one prompt, and two forks part where the first was made", async () => {
	const { slug, add } = await world.project();
	const agent = await add({ workspace: "none" });
	await world.turn(agent, "say hello");
	const queued = await world.client.call("review", {
		...params(agent),
		body: { comments: [{ path: "a.ts", from: 2, to: 3, code: "x", text: "say why" }] },
	});
	expect(queued.text).toContain("a.ts, lines 2 to 3:\n> x\n\nsay why");
	const fork = async () =>
		await world.client.call("fork", { ...params(agent), body: { workspace: "none", type: "scripted" } });
	const [one, other] = [await fork(), await fork()];
	const { divergence } = await world.client.call("divergence", {
		...params(one),
		query: { with: `${slug}/${other.handle}` },
	});
	expect(divergence).toEqual({ agent: agent.id, item: one.lineage?.forkPoint });
});
