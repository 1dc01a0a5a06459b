import { setImmediate as immediately } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import { human, ProjectSlug } from "#contract/ids.ts";
import { fold } from "#domain/fold/fold.ts";
import { live } from "#test/support/given.ts";
import { noRows } from "#views/rows.ts";
import { BaseSync, Successive } from "./base-sync.ts";

const slug = ProjectSlug.parse("shop");

test("of two merges at once the later one brings agents to the base that has both, whichever sync ends last", async () => {
	const rows = noRows();
	const added = { kind: "project.added", data: { slug, path: "/shop", base: "main", url: null } } as const;
	fold({ ...added, id: 1, agent: null, actor: human, at: 1 }, rows, () => {});
	const workspace = { kind: "worktree" as const, path: "/w", branch: "brood/a", base: "main" };
	const agent: AgentState = { ...live("a"), project: slug, workspace };
	let [base, head] = [1, 0];
	const status = () => ({ head: null, baseCommit: null, ahead: 0, behind: base - head, uncommitted: false });
	const moves: PromiseWithResolvers<void>[] = [];
	const baseSync = new BaseSync(
		{
			reads: { agent: async () => agent, agents: async () => [agent], project: async () => rows.project.get(slug) },
			node: null,
			workspaces: { branchStatus: async () => status(), settings: async () => expect.unreachable() },
		},
		{
			steps: { send: async () => null },
			async forward() {
				const [target, move] = [base, Promise.withResolvers<void>()];
				moves.push(move);
				await move.promise;
				head = target;
				return { branchStatus: status(), updated: true, snapshot: null, text: `at ${target}`, origin: null };
			},
			async lookAfterCrash() {},
			follow: async () => ({ ahead: 0, notFollowed: null }),
			async syncOthers() {},
		},
	);
	const first = baseSync.syncAll(slug, { actor: human });
	await immediately();
	expect(moves).toHaveLength(1);
	base = 2;
	const second = baseSync.syncAll(slug, { actor: human });
	await immediately();
	// if the second did not wait for the first, it ends before it
	moves[1]?.resolve();
	await immediately();
	moves[0]?.resolve();
	await immediately();
	expect(moves).toHaveLength(2);
	moves[1]?.resolve();
	expect((await Promise.all([first, second])).map(([synced]) => synced?.text)).toEqual(["at 1", "at 2"]);
	expect(head).toBe(2);
});

test("who asks during a run gets one that begins after it, and all who ask meanwhile share that one", async () => {
	const successive = new Successive<string, number>();
	const gates: PromiseWithResolvers<void>[] = [];
	let base = 1;
	const seen: number[] = [];
	const look = async (): Promise<number> => {
		const found = base;
		const gate = Promise.withResolvers<void>();
		gates.push(gate);
		await gate.promise;
		seen.push(found);
		return found;
	};
	const first = successive.run("a", look);
	base = 2;
	const [second, third] = [successive.run("a", look), successive.run("a", look)];
	const other = successive.run("b", look);
	expect(gates).toHaveLength(2);
	gates[0]?.resolve();
	gates[1]?.resolve();
	expect(await Promise.all([first, other])).toEqual([1, 2]);
	await expect.poll(() => gates.length).toBe(3);
	gates[2]?.resolve();
	expect(await Promise.all([second, third])).toEqual([2, 2]);
	expect(seen).toEqual([1, 2, 2]);
	// afterwards a run begins at once again
	base = 3;
	const last = successive.run("a", look);
	expect(gates).toHaveLength(4);
	gates[3]?.resolve();
	expect(await last).toBe(3);
});
