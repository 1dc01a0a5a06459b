// Who may do what: every route and every tool × everybody who could ask, each cell with the outcome that the design
// gives it. A route or a tool without a row does not compile.
//
// Every request is about one agent, the subject. It is asked by a person; by the subject's own process; by an agent of
// the same project beside, above and below it; by an agent of another project; by a process whose agent has no open
// turn; with the token of a process that has ended; and without a token.
import { describe, expect, test } from "vitest";
import { type ToolName, toolNames } from "#client/tools.ts";
import { type RefusalCode, refusalCodes } from "#contract/refusal.ts";
import { type RouteName, routes } from "#contract/routes.ts";
import { apiWorld, type Caller, callers } from "#test/support/api-world.ts";
import { requestOf, toolInputs } from "./requests.ts";

/** "may": it is done, or refused for another reason than who asks. */
type Cell = "may" | RefusalCode;
type Row = Record<Caller, Cell>;

const unknown = { revoked: "UNAUTHORIZED", none: "UNAUTHORIZED" } as const;
const no = {
	own: "FORBIDDEN",
	peer: "FORBIDDEN",
	ancestor: "FORBIDDEN",
	descendant: "FORBIDDEN",
	stranger: "FORBIDDEN",
} as const;
const silent = { ...unknown, betweenTurns: "TURN_NOT_OPEN" } as const;

/** not for agents at all */
const people: Row = { person: "may", ...no, betweenTurns: "FORBIDDEN", ...unknown };
/** an agent for itself, and a person */
const itself: Row = { person: "may", ...no, own: "may", ...silent };
/** an agent for itself and those below it */
const subtree: Row = { ...itself, ancestor: "may" };
/** an agent for all of its project */
const project: Row = { ...subtree, peer: "may", descendant: "may" };
/** agents of other projects are not told that there is something */
const hidden: Row = { ...project, stranger: "NOT_FOUND" };
/** an agent for the issue that it works on */
const ofItsIssue: Row = { ...itself, stranger: "NOT_FOUND" };
/** everybody gets an answer, each about their own project */
const ofTheirs: Row = { ...project, stranger: "may" };

const rows: Record<RouteName, Row> = {
	...{
		rows: people,
		space: people,
		progress: people,
		inbox: people,
		tree: people,
		board: people,
		status: people,
		backup: people,
		tokenRotate: people,
		mergePreview: people,
		issueMergePreview: people,
		check: people,
		issueCheck: people,
		review: people,
		divergence: people,
		browserLink: people,
		me: people,
		nodes: people,
		database: people,
		nodeDrain: { ...people, person: "NOT_FOUND" },
		nodeResume: { ...people, person: "NOT_FOUND" },
		nodeFall: { ...people, person: "NOT_FOUND" },
		nodeRemove: { ...people, person: "NOT_FOUND" },
		persons: people,
		personAdd: people,
		personConfigure: { ...people, person: "NOT_FOUND" },
		personRemove: { ...people, person: "NOT_FOUND" },
		browsers: people,
		browserSignOut: { ...people, person: "NOT_FOUND" },
		projects: people,
		project: people,
		projectAdd: people,
		projectRemove: people,
		sites: people,
		siteAdd: { ...people, person: "NOT_FOUND" },
		siteRemove: { ...people, person: "NOT_FOUND" },
		projectMove: people,
		siteSync: people,
		siteMerge: people,
		projectBase: people,
		agentMove: people,
		agentUpload: people,
	},
	...{
		projectConfigure: people,
		projectSettings: people,
		projectApprove: people,
		presets: people,
		warm: people,
		gc: people,
	},
	...{
		subscriptions: people,
		subscription: people,
		subscriptionAdd: people,
		subscriptionConfigure: people,
		subscriptionCool: people,
	},
	...{
		subscriptionRemove: people,
		agentsAvailable: people,
		availability: people,
		vendors: people,
		setup: people,
		usage: people,
		agentUsage: people,
	},

	agents: ofTheirs,
	...{ agentsOf: people, agent: people, agentAdd: people, agentAddTo: people, agentDelete: people, configure: people },
	...{ pause: people, resume: people, recover: people, reap: people },
	fork: itself,
	kill: { ...subtree, descendant: "CANNOT_KILL_ANCESTOR" },
	interrupt: subtree,

	prompt: subtree,
	...{ queue: people, promptEdit: people, promptMove: people, promptRemove: people, queueClear: people },
	...{ turns: people, turn: people, turnRetry: people, interruptedTurns: people },
	// only of a person who is an agent
	turnFinish: { ...people, person: "FORBIDDEN" },

	context: itself,
	settings: itself,
	search: ofTheirs,
	...{ items: people, item: people, clear: people, mark: people, rewind: people, journal: people },

	...{ approvals: people, approval: people, approvalAnswer: people },
	waitOpen: { ...project, own: "WAIT_CYCLE" },
	wait: { ...itself, peer: "NOT_FOUND", ancestor: "NOT_FOUND", descendant: "NOT_FOUND", stranger: "NOT_FOUND" },
	waitCancel: itself,
	send: project,
	...{ mail: itself, mailRead: itself, mailDelete: itself },

	...{ issues: ofTheirs, issuesOf: ofTheirs, issue: hidden, issueLabels: people },
	...{
		issueRuns: hidden,
		issueComments: hidden,
		issueDocuments: hidden,
		issueMessages: hidden,
		issueArtifacts: hidden,
	},
	...{
		issueComment: ofItsIssue,
		issueDocument: ofItsIssue,
		issueMessage: ofItsIssue,
		workComplete: ofItsIssue,
		issueEscalate: ofItsIssue,
	},
	...{
		issueAdd: people,
		issueEdit: people,
		issueDelete: people,
		issueStart: people,
		issueAssign: people,
		issueUnassign: people,
	},
	...{
		issueMove: people,
		issueDepend: people,
		issueUndepend: people,
		issueApprove: people,
		issueReject: people,
		issueRetry: people,
	},

	...{ diff: itself, commit: itself },
	...{ issueDiff: people, pullRequest: people, issuePullRequest: people },
	...{ sync: people, syncProject: people, release: people, approve: people, health: people },
	...{ snapshots: people, snapshot: people, restore: people },
};

/** A tool is never for people. One that takes no other agent acts for whoever uses it. */
const forAgents = (row: Row): Row => ({ ...row, person: "FORBIDDEN" });
const each = forAgents(ofTheirs);
const withIssue = forAgents({
	...ofTheirs,
	peer: "NOT_FOUND",
	ancestor: "NOT_FOUND",
	descendant: "NOT_FOUND",
	stranger: "NOT_FOUND",
});

const toolRows: Record<ToolName, Row> = {
	...{ fork: each, check_mail: each, read_mail: each, list_agents: each, search: each, commit: each, diff: each },
	kill: forAgents(rows.kill),
	interrupt: forAgents(rows.interrupt),
	queue_prompt: forAgents(rows.prompt),
	send: forAgents(rows.send),
	wait: forAgents(rows.waitOpen),
	...{ work_complete: withIssue, comment: withIssue, stage_message: withIssue },
};

/** Refusals that say something about who asks. */
const about = [
	"FORBIDDEN",
	"UNAUTHORIZED",
	"TURN_NOT_OPEN",
	"CANNOT_KILL_ANCESTOR",
	"CANNOT_KILL_ROOT",
	"NOT_FOUND",
	"AGENT_NOT_FOUND",
	"WAIT_CYCLE",
];
const cellOf = (code: string): string =>
	about.includes(code) || (code !== "ok" && !(code in refusalCodes)) ? code : "may";

/** What agents of other projects must not see. */
const secrets = /An issue|words|hello|subject/;

describe.each(Object.keys(rows).filter((name): name is RouteName => name in routes))("%s", (name) => {
	test(
		Object.entries(rows[name])
			.map((cell) => cell.join(": "))
			.join(", "),
		async () => {
			for (const caller of callers) {
				await using world = await apiWorld();
				const { code, data } = await world.ask(caller, requestOf(name, world));
				expect(cellOf(code), caller).toBe(rows[name][caller]);
				if (caller === "stranger") expect(JSON.stringify(data ?? null)).not.toMatch(secrets);
			}
		},
	);
});

describe.each(toolNames)("the tool %s", (name) => {
	test(
		Object.entries(toolRows[name])
			.map((cell) => cell.join(": "))
			.join(", "),
		async () => {
			for (const caller of callers) {
				await using world = await apiWorld();
				const { code, data } = await world.use(caller, name, toolInputs[name]);
				expect(cellOf(code), caller).toBe(toolRows[name][caller]);
				if (caller === "stranger" && code === "ok") expect(JSON.stringify(data ?? null)).not.toMatch(secrets);
			}
		},
	);
});

test("every route and every tool has a row: the control", () => {
	expect(Object.keys(rows).sort()).toEqual(Object.keys(routes).sort());
	expect(Object.keys(toolRows).sort()).toEqual([...toolNames].sort());
});
