// Commands about issues. What the daemon's reactors say of the work on them is in `issue-work.ts`.
import {
	IssueAdd,
	IssueApprove,
	IssueAssign,
	IssueAttend,
	IssueComment,
	IssueComplete,
	IssueDelete,
	IssueDepend,
	IssueDocument,
	IssueEdit,
	IssueMessage,
	IssueMove,
	IssueReject,
	IssueRetry,
	IssueStart,
	IssueUnassign,
	IssueUndepend,
} from "#contract/issue-commands.ts";
import { decideAssign, decideRetryIssue, decideUnassign } from "#domain/issue/assign.ts";
import {
	decideAddIssue,
	decideAttend,
	decideComment,
	decideDeleteIssue,
	decideDepend,
	decideDocument,
	decideEditIssue,
	decideMessage,
	decideUndepend,
} from "#domain/issue/decide.ts";
import { decideApprove, decideComplete, decideMoveIssue, decideReject, decideStartIssue } from "#domain/issue/flow.ts";
import { presetNamed } from "#domain/preset.ts";
import { claim } from "#domain/slots.ts";
import { capacityOf } from "./capacity.ts";
import { defineCommand } from "./define.ts";
import { ofIssue } from "./locks.ts";
import { noAgent } from "./on-agent.ts";
import { agentSight, allOf, nothingElse, onIssue, sightOf } from "./on-issue.ts";

export const issueCommands = {
	"issue.add": defineCommand({
		schema: IssueAdd,
		speakers: "people",
		texts: ({ body }) => [body],
		locks: (_, { project }) => ({ projects: [project] }),
		load: async (work, { project }) => ({
			project: await work.project(project),
			known: new Set((await allOf(work, project)).map(({ number }) => number)),
			number: (await work.tx.lastIssueNumber(project)) + 1,
		}),
		decide: ({ project, ...seen }, command) => decideAddIssue(project, command, seen),
		subject: "the event",
	}),
	"issue.edit": onIssue({
		schema: IssueEdit,
		speakers: "people",
		texts: ({ body }) => [body ?? ""],
		load: nothingElse,
		decide: ({ issue, project }, command) =>
			decideEditIssue(issue, command, {
				now: presetNamed(project, issue.preset),
				wished: command.preset === undefined ? null : presetNamed(project, command.preset),
			}),
	}),
	"issue.start": onIssue({ schema: IssueStart, speakers: "people", load: sightOf, decide: decideStartIssue }),
	"issue.assign": onIssue({
		schema: IssueAssign,
		speakers: "people",
		locks: async (reads, command) => {
			const { agents = [], ...locks } = await ofIssue(reads, command);
			return { ...locks, agents: [...agents, command.agent] };
		},
		load: async (work, seen, { command, limits }) => ({
			...(await sightOf(work, seen)),
			on: await agentSight(work, command.agent),
			capacity: await capacityOf(work, limits),
		}),
		decide: ({ on, capacity, ...seen }, command) => (on === null ? noAgent(command.agent) : decideAssign(seen, on, command, claim(on.agent, capacity))),
	}),
	"issue.unassign": onIssue({
		schema: IssueUnassign,
		speakers: "people",
		load: async (work, { issue }) => ({ on: await agentSight(work, issue.assignee) }),
		decide: ({ issue, on }) => decideUnassign(issue, on),
	}),
	"issue.move": onIssue({ schema: IssueMove, speakers: "people", load: sightOf, decide: decideMoveIssue }),
	"issue.depend": onIssue({
		schema: IssueDepend,
		speakers: "people",
		load: async (work, { issue }) => ({ all: await allOf(work, issue.project) }),
		decide: ({ issue, all }, command) => decideDepend(issue, command, all),
	}),
	"issue.undepend": onIssue({
		schema: IssueUndepend,
		speakers: "people",
		load: nothingElse,
		decide: ({ issue }, command) => decideUndepend(issue, command),
	}),
	"issue.comment": onIssue({
		schema: IssueComment,
		speakers: "everyone",
		texts: ({ text }) => [text],
		load: nothingElse,
		decide: ({ issue }, command, envelope) => decideComment(issue, command, envelope),
	}),
	"issue.document": onIssue({
		schema: IssueDocument,
		speakers: "everyone",
		texts: ({ text }) => [text],
		load: async ({ tx }, { issue }) => ({ notes: await tx.notes(issue.id) }),
		decide: ({ issue, notes }, command, { actor }) => decideDocument(issue, command, { notes, actor }),
	}),
	"issue.message": onIssue({
		schema: IssueMessage,
		speakers: "everyone",
		texts: ({ text }) => [text],
		load: nothingElse,
		decide: ({ issue, project }, command, { actor }) => decideMessage(issue, command, { loaded: presetNamed(project, issue.preset), actor }),
	}),
	"issue.approve": onIssue({
		schema: IssueApprove,
		speakers: "people",
		load: nothingElse,
		decide: ({ issue, project }, command) => decideApprove(issue, project, command),
	}),
	"issue.reject": onIssue({
		schema: IssueReject,
		speakers: "people",
		load: async (work, seen) => ({ ...(await sightOf(work, seen)), last: await agentSight(work, seen.issue.lastAgent) }),
		decide: ({ last, ...seen }, command, { at, actor: by }) => decideReject(seen, last, command, { at, by }),
	}),
	"issue.attend": onIssue({
		schema: IssueAttend,
		speakers: "everyone",
		load: nothingElse,
		decide: ({ issue }, command, envelope) => decideAttend(issue, command, envelope),
	}),
	"issue.retry": onIssue({
		schema: IssueRetry,
		speakers: "people",
		load: async (work, seen) => ({ ...(await sightOf(work, seen)), on: await agentSight(work, seen.issue.assignee) }),
		decide: ({ on, ...seen }, command) => decideRetryIssue(seen, on, command),
	}),
	"issue.delete": onIssue({
		schema: IssueDelete,
		speakers: "people",
		load: nothingElse,
		decide: ({ issue }) => decideDeleteIssue(issue),
	}),
	"issue.complete": onIssue({
		schema: IssueComplete,
		speakers: "everyone",
		texts: ({ summary }) => [summary],
		load: nothingElse,
		decide: ({ issue, project }, command, envelope) => decideComplete(issue, project, command, envelope),
	}),
};
