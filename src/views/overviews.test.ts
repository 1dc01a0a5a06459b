import { expect, test } from "vitest";
import { AgentId, human, ProjectSlug } from "#contract/ids.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { boardDoneMax } from "#contract/mirror-request.ts";
import { defaultWorkSettings } from "#contract/project.ts";
import type { Agent } from "#contract/wire.ts";
import { issueChanges } from "#domain/fold/issue.ts";
import { live } from "#test/support/given.ts";
import { stateOf } from "./agent-text.ts";
import { issueView } from "./issue.ts";
import { agentsThatNeedYou, boardOf, inboxCount, inboxOf, treeOf } from "./overviews.ts";
import { agentView } from "./wire.ts";

const shown = agentView(live("a"), { queueLength: 0, unreadMail: 0, phase: "model" });
const idOf = (at: number): AgentId => AgentId.parse(String(at).padStart(22, "0"));
const below = (at: number, supervisor: number | null): Agent => ({
	...shown,
	id: idOf(at),
	supervisor: supervisor === null ? null : idOf(supervisor),
});
const drawn = (agents: Agent[]) => treeOf(agents).map(({ depth, agent }) => `${depth}:${Number(agent.id)}`);

test("each agent comes before those below it, in the order in which they are given", () => {
	const agents = [below(0, null), below(1, 0), below(2, 0), below(3, 1), below(4, 2), below(5, 1), below(6, 9)];
	expect(drawn(agents)).toEqual(["0:0", "1:1", "2:3", "2:5", "1:2", "2:4", "0:6"]);
});

test("the open turn of a human agent needs a person, and no other agent's", () => {
	const turn = { id: 7, startedAt: shown.createdAt, phase: "wait" as const, silentSince: null };
	const agents = [
		{ ...below(1, null), type: "human", turn },
		{ ...below(2, null), type: "human", turn: null },
		{ ...below(3, null), type: "claude", turn },
	];
	const inbox = inboxOf({ approvals: [], agents, issues: [], subscriptions: [], nodes: [] });
	expect([inbox.humanAgents.map(({ id }) => id), inboxCount(inbox)]).toEqual([[idOf(1)], 1]);
	expect([...agentsThatNeedYou(inbox)]).toEqual([idOf(1)]);
	expect(agents.map(stateOf)).toEqual(["waits for you", "idle", "waits"]);
});

test("a board has the issues that were done last, and says if there are older ones", () => {
	const slug = ProjectSlug.parse("web");
	const project = {
		...{ ...defaultWorkSettings, slug, path: "/srv/web", base: null, url: null, node: null, approved: [] },
		...{ addedAt: 1, removedAt: null },
	};
	const issue = (number: number, stage: string, doneAt: number | null, preset = "quick-fix"): Issue => {
		const about = { title: "x", priority: "medium" as const, preset, labels: [], dependsOn: [] };
		const data = { project: slug, number, stage, ...about };
		const event = { kind: "issue.added" as const, agent: null, text: "", data, id: number, at: 1, actor: human };
		const row = { ...issueChanges["issue.added"].make(event), doneAt };
		return issueView(row, { project, all: [], runs: [], handles: new Map() });
	};
	// the oldest issue was done last
	const done = Array.from({ length: boardDoneMax }, (_, at) => issue(at + 1, "DONE", 1000 - at));
	const open = issue(boardDoneMax + 1, "TODO", null);
	const shown = (issues: Issue[]) =>
		boardOf(issues, project).flatMap(({ stage, issues: those, more }) =>
			those.length === 0 ? [] : [[stage, those.length, those.at(-1)?.number, more]],
		);
	expect(shown([...done, open])).toEqual([
		["TODO", 1, boardDoneMax + 1, false],
		["DONE", boardDoneMax, boardDoneMax, false],
	]);
	expect(shown([...done, open, issue(boardDoneMax + 2, "DONE", 1)])).toEqual([
		["TODO", 1, boardDoneMax + 1, false],
		["DONE", boardDoneMax, boardDoneMax, true],
	]);
	// the stages that an issue of another workflow can go to are there before it
	const columns = (issues: Issue[]) => boardOf(issues, { ...project, preset: "quick-fix" }).map(({ stage }) => stage);
	const own = columns([open]);
	expect(columns([open, issue(200, "TODO", null, "lean")])).toEqual([
		...own.slice(0, -1),
		...["IN_PROGRESS", "IN_REVIEW"].filter((stage) => !own.includes(stage)),
		"DONE",
	]);
	expect(own).not.toContain("IN_PROGRESS");
});

test("a chain of 50,000 agents is a tree like any other", () => {
	const chain = Array.from({ length: 50_000 }, (_, at) => below(at, at === 0 ? null : at - 1));
	const rows = treeOf(chain);
	expect([rows.length, rows.at(-1)?.depth]).toEqual([50_000, 49_999]);
});
