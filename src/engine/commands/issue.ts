// Commands about issues. Those of the daemon's reactors are in `issue-work.ts`.
import { noAgent } from "#contract/agent.ts";
import {
	IssueAdd,
	IssueApprove,
	IssueAssign,
	IssueComment,
	IssueDelete,
	IssueDepend,
	IssueDocument,
	IssueEdit,
	IssueEscalate,
	IssueMessage,
	IssueMove,
	IssueReject,
	IssueReport,
	IssueRetry,
	IssueStart,
	IssueUnassign,
	IssueUndepend,
} from "#contract/issue-commands.ts";
import { decideAssign, decideRetryIssue, decideUnassign } from "#domain/issue/assign.ts";
import {
	decideAddIssue,
	decideComment,
	decideDeleteIssue,
	decideDepend,
	decideDocument,
	decideEditIssue,
	decideEscalate,
	decideMessage,
	decideUndepend,
} from "#domain/issue/decide.ts";
import { decideMoveIssue, decideStartIssue } from "#domain/issue/moves.ts";
import { decideApprove, decideReject } from "#domain/issue/review.ts";
import { decideReport } from "#domain/issue/runs.ts";
import { claim } from "#domain/slots.ts";
import { capacityOf } from "./capacity.ts";
import { defineCommand } from "./define.ts";
import { agentFacts, issueFacts, issueMoveFacts, numbered, onIssue } from "./on-issue.ts";

export const issueDefinitions = {
	"issue.add": defineCommand({
		schema: IssueAdd,
		allowedActors: "people",
		startsWork: false,
		texts: ({ body }) => [body],
		load: async (work, { project, dependsOn }) => ({
			project: await work.project(project),
			known: new Set((await numbered(work, project, dependsOn)).map(({ number }) => number)),
			number: (await work.tx.lastIssueNumber(project)) + 1,
		}),
		decide: decideAddIssue,
		subject: "the event",
	}),
	"issue.edit": onIssue({
		schema: IssueEdit,
		allowedActors: "people",
		startsWork: false,
		texts: ({ body }) => [body ?? ""],
		decide: decideEditIssue,
	}),
	"issue.start": onIssue({
		schema: IssueStart,
		allowedActors: "people",
		startsWork: false,
		load: issueMoveFacts,
		decide: decideStartIssue,
	}),
	"issue.assign": onIssue({
		schema: IssueAssign,
		allowedActors: "people",
		startsWork: false,
		load: async (work, facts, { command, limits }) => ({
			...(await issueFacts(work, facts)),
			on: await agentFacts(work, command.agent),
			capacity: await capacityOf(work, limits),
		}),
		decide: ({ on, capacity, ...facts }, command) =>
			on === null ? noAgent(command.agent) : decideAssign(facts, on, command, claim(on.agent, capacity)),
	}),
	"issue.unassign": onIssue({
		schema: IssueUnassign,
		allowedActors: "people",
		startsWork: false,
		load: async (work, { issue }) => ({ on: await agentFacts(work, issue.assignee) }),
		decide: decideUnassign,
	}),
	"issue.move": onIssue({
		schema: IssueMove,
		allowedActors: "people",
		startsWork: false,
		load: issueMoveFacts,
		decide: decideMoveIssue,
	}),
	"issue.depend": onIssue({
		schema: IssueDepend,
		allowedActors: "people",
		startsWork: false,
		load: async (work, { issue }, { command: { on } }) => ({
			reached: await numbered(work, issue.project, [on], { deep: true }),
		}),
		decide: decideDepend,
	}),
	"issue.undepend": onIssue({
		schema: IssueUndepend,
		allowedActors: "people",
		startsWork: false,
		decide: decideUndepend,
	}),
	"issue.comment": onIssue({
		schema: IssueComment,
		allowedActors: "everyone",
		startsWork: false,
		texts: ({ text }) => [text],
		decide: decideComment,
	}),
	"issue.document": onIssue({
		schema: IssueDocument,
		allowedActors: "everyone",
		startsWork: false,
		texts: ({ text }) => [text],
		load: async ({ tx }, { issue }, { command: { name } }) => {
			const documents = await tx.documents(issue.id);
			const newest = documents.find((document) => document.name === name);
			return { documents, latest: newest === undefined ? undefined : await tx.entry(newest.id) };
		},
		decide: decideDocument,
	}),
	"issue.message": onIssue({
		schema: IssueMessage,
		allowedActors: "everyone",
		startsWork: false,
		texts: ({ text }) => [text],
		decide: decideMessage,
	}),
	"issue.approve": onIssue({ schema: IssueApprove, allowedActors: "people", startsWork: false, decide: decideApprove }),
	"issue.reject": onIssue({
		schema: IssueReject,
		allowedActors: "people",
		startsWork: false,
		load: async (work, facts) => ({
			...(await issueFacts(work, facts)),
			last: await agentFacts(work, facts.issue.lastAgent),
		}),
		decide: decideReject,
	}),
	"issue.escalate": onIssue({
		schema: IssueEscalate,
		allowedActors: "everyone",
		startsWork: false,
		decide: decideEscalate,
	}),
	"issue.retry": onIssue({
		schema: IssueRetry,
		allowedActors: "people",
		startsWork: false,
		load: async (work, facts) => ({
			...(await issueFacts(work, facts)),
			on: await agentFacts(work, facts.issue.assignee),
		}),
		decide: decideRetryIssue,
	}),
	"issue.delete": onIssue({
		schema: IssueDelete,
		allowedActors: "people",
		startsWork: false,
		decide: decideDeleteIssue,
	}),
	"issue.report": onIssue({
		schema: IssueReport,
		allowedActors: "everyone",
		startsWork: false,
		texts: ({ summary }) => [summary],
		decide: decideReport,
	}),
};
