// The look at all workspaces takes a while; meanwhile people commit, merge and start turns. A stale look holds nobody.
import { expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import { human, ProjectSlug } from "#contract/ids.ts";
import { isRefusal } from "#contract/refusal.ts";
import { WorkspaceDrift } from "#contract/workspace-step.ts";
import { fold } from "#domain/fold/fold.ts";
import { decideDrift } from "#domain/workspace.ts";
import { live } from "#test/support/given.ts";
import { noRows } from "#views/rows.ts";
import { noLog } from "../ports/log.ts";
import { driftReactor } from "./drift.ts";

const slug = ProjectSlug.parse("shop");
const workspace = { kind: "worktree", path: "/shop/a", branch: "brood/a", base: "main" } as const;
const at = (commit: string): AgentState => ({ ...live("a"), project: slug, workspace, seenCommit: commit });

/** What one look at a workspace whose branch went back leads to, if the row changes while git answers. */
async function look(before: AgentState, after: AgentState): Promise<string[]> {
	const rows = noRows();
	const added = { kind: "project.added", data: { slug, path: "/shop", base: "main", url: null } } as const;
	fold({ ...added, id: 1, agent: null, actor: human, at: 1 }, rows, () => {});
	let row = before;
	const kinds: string[] = [];
	const reactor = driftReactor({
		reads: { agents: async () => [row], agent: async () => row, project: async () => rows.project.get(slug) },
		workspaces: {
			async health() {
				row = after;
				return { healthy: false, issues: [{ code: "HEAD_WENT_BACK", text: "It went back.", fix: "recover" }] };
			},
		},
		async dispatch({ command }) {
			const decision = decideDrift(row, WorkspaceDrift.parse(command));
			if (!isRefusal(decision)) kinds.push(...decision.map(({ kind }) => kind));
			return { done: {}, events: [], replayed: false };
		},
		...{ log: noLog, problems: { of: () => null }, node: null },
	});
	await reactor.look(new AbortController().signal);
	return kinds;
}

const turn = { id: 7, prompt: 6, startedAt: 1, silentSince: null, subscription: null };

test("a workspace that drifted holds its agent", async () => {
	expect(await look(at("one"), at("one"))).toEqual(["agent.held"]);
});

test.each([
	["a git step moved its branch", at("two")],
	["a git step moved it to another branch", { ...at("one"), workspace: { ...workspace, branch: "issue/1" } }],
	["a git step is at work there", { ...at("one"), lease: { step: "sync", at: 1 } } satisfies AgentState],
	["a turn has begun", { ...at("one"), turn }],
])("nobody is held if meanwhile %s", async (_, after) => {
	expect(await look(at("one"), after)).toEqual([]);
});
