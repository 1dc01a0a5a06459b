// Workspaces through a whole daemon: real git, real processes, over HTTP.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandInput } from "#contract/command.ts";
import { Actor, AgentId, system } from "#contract/ids.ts";
import { startEngine } from "#src/main.ts";
import { at } from "#test/support/in-workspace.ts";
import { done } from "#test/support/say.ts";
import { git, longTimeout, params, refusal, TestDaemon } from "#test/support/test-daemon.ts";

let shop: TestDaemon;
beforeAll(async () => {
	shop = await TestDaemon.open();
});
afterAll(async () => await shop[Symbol.asyncDispose]());

describe("a new agent", () => {
	test("has a worktree on a branch of its own, and its name on its commits", async () => {
		const { repository, add } = await shop.project();
		const agent = await add({ name: "opus" });
		expect(agent).toMatchObject({ label: "idle", workspace: { kind: "worktree", branch: "brood/opus", base: "main" } });
		expect(git(at(agent), "branch", "--show-current")).toBe("brood/opus");
		const done = await shop.turn(agent, "write a.txt words\nrun git status --short\ncommit Say words");
		expect(done.commit).toBe(git(repository, "rev-parse", "brood/opus"));
		expect(
			git(repository, "log", "-1", "--format=%an|%s|%(trailers:key=Brood-Agent,valueonly,separator=)", "brood/opus"),
		).toBe("brood-agent-opus|Say words|opus");
		const final = (await shop.items(agent)).at(-1);
		expect(final).toMatchObject({ kind: "final", data: { commit: done.commit } });
		expect(git(repository, "status", "--short")).toBe("");
	});

	test("of another kind works in a clone, in the repository itself, or nowhere", async () => {
		const { repository, add } = await shop.project();
		const clone = await add({ workspace: "clone" });
		expect(git(at(clone), "rev-parse", "--git-dir")).toBe(".git");
		const main = await add({ workspace: "main", name: "in-main" });
		expect(main.workspace).toMatchObject({ kind: "main", path: repository });
		expect(await refusal(add({ workspace: "main" }))).toMatchObject({ code: "CONFLICT" });
		expect((await add({ workspace: "none" })).workspace).toBeNull();
		expect((await shop.client.call("fork", { ...params(main), body: {} })).workspace).toMatchObject({
			kind: "worktree",
		});
		expect(
			await refusal(shop.client.call("agentAdd", { body: { type: "scripted", workspace: "worktree" } })),
		).toMatchObject({
			code: "VALIDATION_ERROR",
		});
	});

	test("whose workspace cannot be created is held, leaves nothing on disk, and can be recovered or deleted", async () => {
		const { slug, add } = await shop.project();
		const place = path.join(shop.home, "projects", slug, "agents", "blocked");
		mkdirSync(place, { recursive: true });
		writeFileSync(path.join(place, "precious"), "mine");
		const agent = await add({ name: "blocked", prompt: "say here I am" });
		expect(agent).toMatchObject({
			label: "error",
			life: "provisioning",
			workspace: null,
			lastError: { code: "PATH_EXISTS", step: "provision" },
		});
		expect(readFileSync(path.join(place, "precious"), "utf8")).toBe("mine");
		rmSync(place, { recursive: true });
		await shop.client.call("recover", { ...params(agent), body: {} });
		await expect.poll(async () => (await shop.now(agent)).workspace?.branch, longTimeout).toBe("brood/blocked");
		await expect
			.poll(async () => (await shop.items(agent)).map((item) => item.text), longTimeout)
			.toContain("here I am");
		mkdirSync(path.join(shop.home, "projects", slug, "agents", "again"), { recursive: true });
		writeFileSync(path.join(shop.home, "projects", slug, "agents", "again", "x"), "x");
		const failed = await add({ name: "again" });
		expect(await shop.client.call("agentDelete", { ...params(failed), body: {} })).toMatchObject({
			label: "deleted",
			endReason: "provision_failed",
		});
	});

	test("runs the setup of its project, which is asked for first if the repository brings it", async () => {
		const { slug, add } = await shop.project({
			".brood.yaml": "setup: echo line one; echo made > made.txt\n",
			".gitignore": "made.txt\n",
		});
		const pending = (await shop.client.call("projectSettings", { params: { project: slug } })).unapprovedConfig;
		const agent = await add();
		expect(agent).toMatchObject({ label: "error", lastError: { code: "CONFLICT" } });
		await shop.client.call("projectApprove", {
			params: { project: slug },
			body: { fingerprint: pending?.fingerprint ?? "" },
		});
		await shop.client.call("recover", { ...params(agent), body: {} });
		await expect.poll(async () => (await shop.now(agent)).life, longTimeout).toBe("live");
		expect((await shop.items(agent)).filter((item) => item.kind === "command").map((item) => item.text)).toEqual([
			expect.stringMatching(/line one/),
		]);
		expect(readFileSync(at(await shop.now(agent), "made.txt"), "utf8")).toBe("made\n");
	});
});

describe("a fork", () => {
	test("takes staged, unstaged and untracked changes along; first status and all", async () => {
		const { add } = await shop.project({ "a.txt": "one\n", "b.txt": "two\n" });
		const parent = await add();
		await shop.turn(
			parent,
			"run echo staged > a.txt; git add a.txt; echo unstaged > b.txt; echo new > 'new file'; mkdir d; echo deep > d/e",
		);
		const child = await shop.client.call("fork", { ...params(parent), body: {} });
		expect(git(at(child), "status", "--porcelain=v2")).toBe(git(at(parent), "status", "--porcelain=v2"));
		expect(readFileSync(at(child, "new file"), "utf8")).toBe("new\n");
		writeFileSync(at(child, "b.txt"), "the child's");
		expect(readFileSync(at(parent, "b.txt"), "utf8")).toBe("unstaged\n");
	});

	test("of a running parent has the files of the moment of the fork", async () => {
		const { add } = await shop.project();
		const parent = await add();
		const { id } = await shop.client.call("prompt", {
			...params(parent),
			body: { text: "write a.txt before\nsleep 1500\nwrite a.txt after" },
		});
		await expect.poll(() => existsSync(at(parent, "a.txt")), longTimeout).toBe(true);
		const child = await shop.client.call("fork", { ...params(parent), body: {} });
		await expect
			.poll(
				async () => (await shop.client.call("turns", params(parent))).find((each) => each.prompt === id)?.state,
				longTimeout,
			)
			.toBe("completed");
		expect([readFileSync(at(child, "a.txt"), "utf8"), readFileSync(at(parent, "a.txt"), "utf8")]).toEqual([
			"before\n",
			"after\n",
		]);
	});

	test("from an older turn has the files of that turn, or says which are still there", async () => {
		const { add, repository } = await shop.project();
		const parent = await add();
		const first = await shop.turn(parent, "write a.txt first");
		await shop.turn(parent, "write a.txt second");
		const item = first.finalItem ?? 0;
		const child = await shop.client.call("fork", { ...params(parent), body: { at: item } });
		expect(readFileSync(at(child, "a.txt"), "utf8")).toBe("first\n");
		for (const ref of git(
			repository,
			"for-each-ref",
			"--format=%(refname)",
			`refs/brood/snapshots/${parent.id}/1`,
		).split("\n"))
			git(repository, "update-ref", "-d", ref);
		expect(await refusal(shop.client.call("fork", { ...params(parent), body: { at: item } }))).toMatchObject({
			code: "SNAPSHOT_GONE",
			details: { turn: first.id },
		});
	});

	test("may share the tree, have a clone of it, or none", async () => {
		const { add } = await shop.project();
		const parent = await add();
		writeFileSync(at(parent, "loose.txt"), "loose");
		const shared = await shop.client.call("fork", { ...params(parent), body: { workspace: "share" } });
		expect(shared.workspace).toEqual(parent.workspace);
		const clone = await shop.client.call("fork", { ...params(parent), body: { workspace: "clone" } });
		expect([clone.workspace?.kind, readFileSync(at(clone, "loose.txt"), "utf8")]).toEqual(["clone", "loose"]);
		expect((await shop.client.call("fork", { ...params(parent), body: { workspace: "none" } })).workspace).toBeNull();
	});

	test("that was not finished when the daemon ended is finished by the next one, with the files of then", async () => {
		const { add, slug } = await shop.project();
		const parent = await add();
		await shop.turn(parent, "write a.txt then");
		await shop.restart(async () => {
			const engine = await startEngine({ home: shop.home });
			const { agent } = await done(engine, {
				type: "agent.spawn",
				parent: AgentId.parse(parent.id),
				context: "inherit",
				name: "late",
				snapshot: "1",
				prompt: "run cat a.txt",
			});
			expect(agent).toMatchObject({ life: "provisioning", workspacePlan: { parent: parent.id, snapshot: "1" } });
			await engine[Symbol.asyncDispose]();
			writeFileSync(at(parent, "a.txt"), "changed since");
		});
		const child = await shop.client.call("agent", { params: { agent: `${slug}/late` } });
		await expect.poll(async () => (await shop.items(child)).map((item) => item.text), longTimeout).toContain("then\n");
	});
});

describe("approve", () => {
	test("merges the reviewed commit, updates agents without commits of their own, and tells the others", async () => {
		const { add, repository } = await shop.project();
		const [worker, idle, busy] = [
			await add({ name: "worker" }),
			await add({ name: "idle" }),
			await add({ name: "busy" }),
		];
		await shop.turn(worker, "write feature.txt done\ncommit Add a feature");
		writeFileSync(at(busy, "own.txt"), "its own");
		expect((await shop.client.call("diff", { ...params(worker), query: {} })).files.map((file) => file.path)).toEqual([
			"feature.txt",
		]);
		const { merged, synced } = await shop.client.call("approve", { ...params(worker), body: {} });
		expect(merged).toMatchObject({
			base: "main",
			commit: git(repository, "rev-parse", "main"),
			alreadyMerged: false,
		});
		expect(readFileSync(path.join(repository, "feature.txt"), "utf8")).toBe("done\n");
		expect(new Map(synced.map(({ handle, updated }) => [handle, updated]))).toEqual(
			new Map([
				["worker", true],
				["idle", true],
				["busy", false],
			]),
		);
		expect(readFileSync(at(idle, "feature.txt"), "utf8")).toBe("done\n");
		expect((await shop.items(busy)).map((item) => item.text)).toContain("The branch is 2 commits behind main.");
		expect(await refusal(shop.client.call("approve", { ...params(worker), body: {} }))).toMatchObject({
			code: "AGENT_NO_COMMIT",
		});
	});

	test("of two at once brings everybody to the base that has both", async () => {
		const { add, repository } = await shop.project();
		const workers = [await add({ name: "one" }), await add({ name: "two" })];
		const idle = [await add({ name: "three" }), await add({ name: "four" }), await add({ name: "five" })];
		for (const worker of workers)
			await shop.turn(worker, `write ${worker.handle}.txt done\ncommit Add ${worker.handle}`);
		await Promise.all(workers.map((worker) => shop.client.call("approve", { ...params(worker), body: {} })));
		const main = git(repository, "rev-parse", "main");
		expect(git(repository, "ls-tree", "--name-only", "main").split("\n")).toEqual(
			expect.arrayContaining(["one.txt", "two.txt"]),
		);
		for (const agent of idle) expect(git(at(agent), "rev-parse", "HEAD")).toBe(main);
	});

	test("with a conflict changes nothing and names the files", async () => {
		const { add, repository } = await shop.project({ "a.txt": "base\n" });
		const agent = await add();
		await shop.turn(agent, "write a.txt agent\ncommit Mine");
		writeFileSync(path.join(repository, "a.txt"), "person\n");
		git(repository, "-c", "user.name=p", "-c", "user.email=p@x", "commit", "-qam", "theirs");
		const before = git(repository, "rev-parse", "main");
		expect(await refusal(shop.client.call("approve", { ...params(agent), body: {} }))).toMatchObject({
			code: "MERGE_CONFLICT",
			details: { files: ["a.txt"] },
		});
		expect([git(repository, "rev-parse", "main"), git(repository, "status", "--short")]).toEqual([before, ""]);
		writeFileSync(at(agent, "b.txt"), "not committed");
		expect(await refusal(shop.client.call("approve", { ...params(agent), body: {} }))).toMatchObject({
			code: "WORKTREE_DIRTY",
		});
		expect((await shop.now(agent)).lease).toBeNull();
	});
});

describe("a damaged or changed workspace", () => {
	test("a tree that is gone holds the agent before its next turn, and recover brings it back", async () => {
		const { add } = await shop.project();
		const agent = await add();
		await shop.turn(agent, "write a.txt kept");
		rmSync(at(agent), { recursive: true });
		await shop.client.call("prompt", { ...params(agent), body: { text: "run cat a.txt" } });
		await expect
			.poll(async () => (await shop.now(agent)).holds.map((hold) => hold.kind), longTimeout)
			.toEqual(["drift"]);
		expect(await shop.client.call("queue", params(agent))).toMatchObject([{ text: "run cat a.txt" }]);
		expect(await shop.client.call("health", params(agent))).toMatchObject({
			healthy: false,
			issues: [{ code: "PATH_GONE" }],
		});
		expect(await refusal(shop.client.call("resume", { ...params(agent), body: {} }))).toMatchObject({
			code: "AGENT_INVALID_STATE",
		});
		// the prompt that waited may have begun by then
		expect(await shop.client.call("recover", { ...params(agent), body: {} })).toMatchObject({
			life: "live",
			holds: [],
		});
		const [snapshot] = await shop.client.call("snapshots", params(agent));
		await expect
			.poll(
				async () => [(await shop.client.call("queue", params(agent))).length, (await shop.now(agent)).turn],
				longTimeout,
			)
			.toEqual([0, null]);
		await shop.client.call("restore", { ...params(agent), body: { snapshot: "1" } });
		expect([readFileSync(at(agent, "a.txt"), "utf8"), Number(snapshot?.id)]).toEqual(["kept\n", expect.any(Number)]);
	});

	test("a restore is itself restored; nothing is overwritten without a way back", async () => {
		const { add } = await shop.project();
		const agent = await add();
		await shop.turn(agent, "write a.txt first");
		await shop.turn(agent, "write a.txt second");
		const { snapshot } = await shop.client.call("restore", { ...params(agent), body: { snapshot: "1" } });
		expect(readFileSync(at(agent, "a.txt"), "utf8")).toBe("first\n");
		await shop.client.call("restore", { ...params(agent), body: { snapshot: snapshot ?? "2" } });
		expect(readFileSync(at(agent, "a.txt"), "utf8")).toBe("second\n");
		expect(await refusal(shop.client.call("restore", { ...params(agent), body: { snapshot: "999" } }))).toMatchObject({
			code: "SNAPSHOT_GONE",
		});
	});

	test("a daemon that died inside a git step leaves a hold that only recover ends", async () => {
		const { add } = await shop.project();
		const agent = await add();
		await done(shop.daemon.engine, { type: "workspace.lease", agent: agent.id, step: "sync" });
		expect(await refusal(shop.client.call("commit", { ...params(agent), body: { message: "x" } }))).toMatchObject({
			code: "AGENT_BUSY",
		});
		await shop.restart();
		expect(await shop.now(agent)).toMatchObject({ label: "error", holds: [{ kind: "recovery" }], lease: null });
		expect(await shop.client.call("recover", { ...params(agent), body: {} })).toMatchObject({ label: "idle" });
	});

	test("commits of people in an agent's tree are told to it", async () => {
		const { add } = await shop.project();
		const agent = await add();
		writeFileSync(at(agent, "p.txt"), "person");
		git(at(agent), "add", "p.txt");
		git(at(agent), "-c", "user.name=Person", "-c", "user.email=p@x", "commit", "-qm", "By hand");
		await shop.turn(agent, "say hello");
		expect((await shop.items(agent)).map((item) => item.text).join("\n")).toMatch(
			/Others have committed in your workspace.*\n.*Person: By hand/,
		);
	});
});

describe("delete", () => {
	test("refuses work that is not merged, and with force keeps it in a snapshot and the trash", async () => {
		const { add, slug, repository } = await shop.project();
		const agent = await add({ name: "gone" });
		await shop.turn(agent, "write a.txt precious");
		expect(await refusal(shop.client.call("agentDelete", { ...params(agent), body: {} }))).toMatchObject({
			code: "WORKTREE_DIRTY",
		});
		await shop.turn(agent, "commit Mine");
		expect(await refusal(shop.client.call("agentDelete", { ...params(agent), body: {} }))).toMatchObject({
			code: "CONFLICT",
		});
		const deleted = await shop.client.call("agentDelete", { ...params(agent), body: { force: true, reason: "over" } });
		expect(deleted).toMatchObject({ label: "deleted", endNote: "over", workspaceRemovedAt: expect.any(String) });
		const trash = readdirSync(path.join(shop.home, "trash")).find((name) => name.endsWith(`-${slug}-gone`));
		expect(readFileSync(path.join(shop.home, "trash", trash ?? "", "files", "a.txt"), "utf8")).toBe("precious\n");
		expect(git(repository, "rev-parse", "--verify", "brood/gone")).toMatch(/^[0-9a-f]{40}$/);
		expect(await shop.client.call("gc", { params: { project: slug }, body: { dryRun: true } })).toMatchObject([
			{ what: "trash", freed: false },
		]);
	});

	test("of an agent in a shared workspace keeps the workspace for the others", async () => {
		const { add } = await shop.project();
		const parent = await add();
		const child = await shop.client.call("fork", { ...params(parent), body: { workspace: "share" } });
		expect(await shop.client.call("agentDelete", { ...params(child), body: {} })).toMatchObject({ label: "deleted" });
		expect(existsSync(at(parent))).toBe(true);
	});
});

describe("a workspace that two agents share", () => {
	const sharing = async () => {
		const { add } = await shop.project({ "a.txt": "one\n" });
		const parent = await add();
		return { parent, child: await shop.client.call("fork", { ...params(parent), body: { workspace: "share" } }) };
	};
	const say = async (command: object) => await done(shop.daemon.engine, command);

	test("starts no turn of either agent during a git step of the other one, and starts it afterwards", async () => {
		const { parent, child } = await sharing();
		await say({ type: "workspace.lease", agent: parent.id, step: "sync" });
		const { id } = await shop.client.call("prompt", { ...params(child), body: { text: "say I waited" } });
		// not by an explicit start either, nor after the other agent tried to end the lease
		await done(shop.daemon.engine, { type: "turn.start", agent: child.id }, { as: system });
		await say({ type: "workspace.free", agent: child.id });
		await done(shop.daemon.engine, { type: "turn.start", agent: child.id }, { as: system });
		expect(await shop.now(child)).toMatchObject({
			turn: null,
			lease: "sync",
			queueLength: 1,
			waitingFor: expect.stringMatching(/being worked on/),
		});
		expect(await refusal(shop.client.call("commit", { ...params(child), body: { message: "x" } }))).toMatchObject({
			code: "AGENT_BUSY",
		});
		expect(await refusal(shop.client.call("fork", { ...params(child), body: { workspace: "share" } }))).toMatchObject({
			code: "AGENT_BUSY",
		});
		await say({ type: "workspace.free", agent: parent.id });
		await expect
			.poll(
				async () => (await shop.client.call("turns", params(child))).find((each) => each.prompt === id)?.state,
				longTimeout,
			)
			.toBe("completed");
		expect([(await shop.now(parent)).lease, (await shop.now(child)).lease]).toEqual([null, null]);
	});

	test("allows no git step of one agent while the other one's turn is running", async () => {
		const { parent, child } = await sharing();
		await shop.client.call("prompt", { ...params(parent), body: { text: "sleep 60000" } });
		await expect.poll(async () => (await shop.now(parent)).turn, longTimeout).not.toBeNull();
		expect(await refusal(shop.client.call("sync", { ...params(child), body: {} }))).toMatchObject({
			code: "AGENT_BUSY",
		});
		await shop.client.call("interrupt", { ...params(parent), body: {} });
	});

	test("has not drifted for either agent after a git step of one moved its branch", async () => {
		const { parent, child } = await sharing();
		await shop.turn(child, "write b.txt two\ncommit Two");
		git(at(parent), "-c", "user.name=p", "-c", "user.email=p@x", "commit", "-q", "--amend", "-m", "Amended");
		await say({
			type: "workspace.record",
			agent: parent.id,
			event: { kind: "workspace.updated", data: { head: git(at(parent), "rev-parse", "HEAD"), step: "sync" } },
		});
		for (const agent of [parent, child])
			expect(await shop.client.call("health", params(agent))).toEqual({ healthy: true, issues: [] });
	});

	test("holds both agents for recovery if the daemon died during a git step of one", async () => {
		const { parent, child } = await sharing();
		await say({ type: "workspace.lease", agent: child.id, step: "restore" });
		await shop.restart();
		for (const agent of [parent, child]) {
			expect(await shop.now(agent)).toMatchObject({ holds: [{ kind: "recovery" }], lease: null });
			expect(await shop.client.call("recover", { ...params(agent), body: {} })).toMatchObject({ label: "idle" });
		}
	});
});

test("an agent changes only its own workspace, and only in a turn", async () => {
	const { add } = await shop.project();
	const [one, other] = [await add(), await add()];
	await done(shop.daemon.engine, { type: "agent.pause", agent: one.id });
	await done(shop.daemon.engine, { type: "prompt.queue", agent: one.id, text: "sleep 60000", now: true });
	await expect.poll(async () => (await shop.now(one)).turn, longTimeout).not.toBeNull();
	const as = { as: `agent:${one.id}` };
	expect(await refused(as.as, { type: "workspace.lease", agent: other.id, step: "commit" })).toBe("FORBIDDEN");
	expect(await refused(as.as, { type: "workspace.lease", agent: one.id, step: "sync" })).toBe("AGENT_BUSY");
	expect(await refused(system, { type: "workspace.lease", agent: one.id, step: "commit" })).toBe("AGENT_BUSY");
	await shop.client.call("kill", { ...params(one), body: {} });
});

async function refused(actor: string, command: CommandInput): Promise<string> {
	const outcome = await shop.daemon.engine.dispatch({ actor: Actor.parse(actor), key: null, command });
	return "refused" in outcome ? outcome.refused.code : "done";
}
