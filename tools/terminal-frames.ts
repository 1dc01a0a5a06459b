// The pictures of docs/user/terminal.md: the terminal's own screens, drawn as text from a made-up moment.
import { AgentId, human, ProjectSlug, system } from "#contract/ids.ts";
import { nothingSpent } from "#contract/usage.ts";
import { Agent, Approval, Subscription } from "#contract/wire.ts";
import { Blocks } from "#views/conversation.ts";
import { inboxOf, treeOf } from "#views/overviews.ts";
import { filesOf, reviewMark } from "../src/surfaces/tui/diff.ts";
import { type DiffSource, firstState, type Panel, type Seen, type State } from "../src/surfaces/tui/model.ts";
import { screenRows } from "../src/surfaces/tui/screen.ts";
import { treePanel } from "../src/surfaces/tui/update.ts";

/** Name → the rows of the screen. */
export function terminalFrames(): Record<string, string[]> {
	const seen = moment([]);
	const asked = moment([question]);
	const first = firstState(idOf("B"));
	const files = filesOf(patch);
	const source: DiffSource = { route: "diff", agent: idOf("B") };
	const viewed = new Set(files.slice(0, 1).flatMap((file) => reviewMark(source, file) ?? []));
	const diff: Panel = {
		...{ kind: "diff", at: 1, title: "changes of opus-1", source, files, opened: new Set([1]) },
	};
	return {
		thread: drawn(first, seen, { width: 100, height: 15, typed: "and add a test for it" }),
		narrow: drawn(first, seen, { width: 60, height: 13, typed: "" }),
		question: drawn(firstState(idOf("C")), asked, { width: 100, height: 9, typed: "" }),
		tree: drawn({ ...first, panel: treePanel(first, asked, "all") }, asked, { width: 100, height: 11, typed: "" }),
		diff: drawn({ ...first, panel: diff, viewed }, seen, { width: 100, height: 11, typed: "" }),
	};
}

function drawn(state: State, seen: Seen, look: { width: number; height: number; typed: string }): string[] {
	const input = state.panel === null ? [`> ${look.typed}▌`] : [];
	const rows = screenRows(state, seen, { ...look, colour: false, input }).map((row) => row.trimEnd());
	return rows.slice(rows.findIndex((row) => row !== ""));
}

const now = Date.UTC(2026, 0, 5, 10, 42);
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
export const idOf = (letter: string): AgentId => AgentId.parse(letter.repeat(22));

/** The agents of a project, one of which has talked. */
export function moment(approvals: Approval[]): Seen {
	const agents = [
		madeUp("A", { handle: "init", project: null, supervisor: null, lastActiveAt: ago(7200) }),
		madeUp("B", {
			handle: "opus-1",
			label: "running",
			queueLength: 2,
			unreadMail: 1,
			turn,
			subscription: "claude-max",
		}),
		madeUp("C", {
			...{ handle: "fonts", supervisor: idOf("B"), label: "running", lastActiveAt: ago(180) },
			turn: { ...turn, phase: approvals.length > 0 ? "approval" : "model" },
		}),
		madeUp("D", { handle: "store", supervisor: idOf("B"), label: "running", turn }),
		madeUp("E", { handle: "opus-2", lastActiveAt: ago(900) }),
		madeUp("F", { handle: "try-b", supervisor: idOf("E"), label: "dead", life: "ended", endedAt: ago(600) }),
	];
	const inbox = inboxOf({ approvals, agents, issues: [], subscriptions: [subscription], nodes: [] });
	return {
		...{
			connection: "live",
			refusal: null,
			problem: null,
			project: ProjectSlug.parse("shop"),
			isRepository: true,
			subscriptions: [subscription],
			now,
			inbox,
		},
		...{ tree: treeOf(agents), everywhere: treeOf(agents), agents: new Map(agents.map((each) => [each.id, each])) },
		blocks: (agent) => talk(agent === idOf("B") ? talked : asking),
		messages: (agent) => {
			const text = "Two of 40 runs failed in `drain`…";
			return agent === idOf("B") ? [{ agent, turn: 1, part: "m", kind: "assistant", text }] : [];
		},
		...{ queue: () => [], mail: () => [], turns: () => [] },
		...{ hasOlder: () => false, isDetached: () => false, isLoading: () => false },
		approvals: (agent) => approvals.filter((each) => each.agent === agent),
		nodeOf: () => null,
	};
}

const turn = { id: 1, startedAt: ago(60), phase: "model", silentSince: null };
const subscription = Subscription.parse({
	...{ name: "claude-max", type: "claude", maxConcurrent: 3, used: 2, coolingUntil: null, problem: null },
	...{ credential: null, fallback: null, quiet: null, spent: nothingSpent, createdAt: ago(9000), createdBy: human },
});

export function madeUp(letter: string, fields: object): Agent {
	const nothing = [
		...[
			"name",
			"model",
			"program",
			"session",
			"subscription",
			"lineage",
			"node",
			"workspace",
			"lease",
			"turn",
			"issue",
		],
		...["budget", "lastError", "endedAt", "endedBy", "endReason", "endNote", "reapedAt", "workspaceRemovedAt"],
		...["deletedBy", "deletedNote", "waitingFor", "availableAt", "stage", "budgetLeft"],
	];
	return Agent.parse({
		...Object.fromEntries(nothing.map((name) => [name, null])),
		...{ id: idOf(letter), project: "shop", supervisor: idOf("A"), type: "claude", policy: "ask", life: "live" },
		...{
			activity: "idle",
			label: "idle",
			holds: [],
			queueLength: 0,
			unreadMail: 0,
			turnsAhead: 0,
			movable: true,
			totalTasksCompleted: 0,
		},
		...{ spent: nothingSpent, createdAt: ago(9000), createdBy: human, lastActiveAt: ago(12) },
		...fields,
	});
}

export const question = Approval.parse({
	...{ id: 7, agent: idOf("C"), turn: 1, title: "git push origin brood/fonts", tool: "execute", call: null },
	...{
		options: [],
		state: "pending",
		askedAt: ago(180),
		answeredAt: null,
		answeredBy: null,
		option: null,
		reason: null,
	},
	handles: ["init", "opus-1", "fonts"],
});

type Said = readonly [kind: string, text: string, data?: object];
const talked: readonly Said[] = [
	["user", "fix the flaky store test"],
	["assistant", "I will run it 40 times first."],
	["tool_call", "npm test -- store", { call: "a", tool: "execute", input: null }],
	["tool_result", "214 passed", { call: "a", status: "completed" }],
	["tool_call", "src/store/thread.ts", { call: "b", tool: "edit", input: null }],
	["tool_result", "wrote src/store/thread.ts", { call: "b", status: "completed" }],
];
const asking: readonly Said[] = [["user", "publish the branch with the fonts"]];

function talk(all: readonly Said[]): Blocks["list"] {
	const blocks = new Blocks();
	for (const [at, [kind, text, data = null]] of all.entries())
		blocks.add({
			...{ id: at + 1, kind, text, data: JSON.parse(JSON.stringify(data)) },
			...{ at: ago(60), turn: 1, actor: system },
		});
	return blocks.list;
}

const patch = `diff --git a/src/store/thread.ts b/src/store/thread.ts
--- a/src/store/thread.ts
+++ b/src/store/thread.ts
@@ -1,2 +1,3 @@
-await drain();
+using lock = await writer.lock();
+await drain(lock);
diff --git a/test/store.test.ts b/test/store.test.ts
--- a/test/store.test.ts
+++ b/test/store.test.ts
@@ -1 +1 @@
-expect(runs).toBe(39);
+expect(runs).toBe(40);
`;
