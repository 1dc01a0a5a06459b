// Issues: made, found, worked on. In a path an issue is `project#number`, a number with `?project=`, or `mine` for an
// agent.
import { z } from "zod";
import { Policy } from "../approval.ts";
import { AgentType } from "../ids.ts";
import { DocumentName, DocumentType, IssuePriority } from "../issue.ts";
import { IssueChange, IssueRequest } from "../issue-commands.ts";
import { Issue, IssueDetails, NamedPreset } from "../issue-wire.ts";
import { StageName } from "../preset.ts";
import { Quiet } from "../subscription.ts";
import { IssueReason } from "../text.ts";
import { Project } from "../wire.ts";
import { get, none, post, remove, scope } from "./route.ts";

const query = scope;
const Filter = {
	stage: z.string().optional(),
	priority: IssuePriority.optional(),
	/** an agent could be given them now */
	ready: z.stringbool().optional(),
	label: z.string().optional(),
	assignee: z.string().optional(),
	text: z.string().optional(),
	attention: z.stringbool().optional(),
	deleted: z.stringbool().default(false),
};

export const issueRoutes = {
	issues: get(
		"/api/issues",
		"list issues; `assignee` is an agent or `none`, `attention` those that need a person, `ready` those that an agent could get now",
		{ query: scope.extend(Filter), answer: z.array(Issue), agents: true },
	),
	issuesOf: get("/api/projects/:project/issues", "list the issues of a project", {
		query: z.strictObject(Filter),
		answer: z.array(Issue),
		agents: true,
	}),
	issueAdd: post("/api/projects/:project/issues", "add an issue", { at: "project", body: IssueRequest, answer: Issue }),
	issue: get("/api/issues/:issue", "show one issue with its comments, documents, messages and files", {
		at: "project",
		query,
		answer: IssueDetails,
		agents: true,
	}),
	issueEdit: post("/api/issues/:issue", "change an issue's title, body, labels, priority or preset", {
		at: "project",
		alias: { method: "patch", path: "/api/issues/:issue" },
		query,
		body: IssueChange,
		answer: Issue,
	}),
	issueDelete: remove("/api/issues/:issue", "delete an issue; its number is not used again", {
		at: "project",
		query,
		answer: Issue,
	}),
	issueStart: post("/api/issues/:issue/start", "move an issue to its first stage of work", {
		at: "project",
		query,
		body: none,
		answer: Issue,
	}),
	issueAssign: post("/api/issues/:issue/assign", "assign an issue to an idle agent", {
		at: "project",
		query,
		body: z.strictObject({ agent: z.string().min(1).max(200), now: z.boolean().default(false) }),
		answer: Issue,
	}),
	issueUnassign: post("/api/issues/:issue/unassign", "take an issue from its agent", {
		at: "project",
		query,
		body: none,
		answer: Issue,
	}),
	issueMove: post("/api/issues/:issue/transition", "move an issue to another stage", {
		at: "project",
		query,
		body: z.strictObject({ stage: StageName }),
		answer: Issue,
	}),
	issueDepend: post("/api/issues/:issue/dependencies", "make an issue wait until another one is done", {
		at: "project",
		query,
		body: z.strictObject({ on: z.int().positive() }),
		answer: Issue,
	}),
	issueUndepend: remove("/api/issues/:issue/dependencies/:on", "remove a dependency of an issue", {
		at: "project",
		query,
		answer: Issue,
	}),
	issueComment: post("/api/issues/:issue/comments", "add a comment; the agent reads it in its next prompt", {
		at: "project",
		query,
		body: z.strictObject({ text: z.string().min(1).max(100_000) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueDocument: post("/api/issues/:issue/documents", "attach a document; the same name again adds a version", {
		at: "project",
		query,
		body: z.strictObject({ name: DocumentName, type: DocumentType.optional(), text: z.string().min(1) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueMessage: post("/api/issues/:issue/messages", "leave a note for the agent of a later stage, told once", {
		at: "project",
		query,
		body: z.strictObject({ stage: StageName, text: z.string().min(1).max(100_000) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueApprove: post("/api/issues/:issue/approve", "approve an issue's work; at the last gate this merges its commit", {
		at: "project",
		query,
		body: z.strictObject({ commit: z.string().optional(), empty: z.boolean().optional() }),
		answer: Issue,
	}),
	issueReject: post("/api/issues/:issue/reject", "send an issue back to the previous stage, with the reason", {
		at: "project",
		query,
		body: z.strictObject({ reason: IssueReason.min(1) }),
		answer: Issue,
	}),
	issueRetry: post("/api/issues/:issue/retry", "clear an issue's attention and try again", {
		at: "project",
		query,
		body: none,
		answer: Issue,
	}),
	issueEscalate: post("/api/issues/:issue/attention", "report that an issue needs a person, and why", {
		at: "project",
		query,
		body: z.strictObject({ reason: IssueReason.min(1) }),
		answer: Issue,
		agents: true,
	}),
	workComplete: post(
		"/api/issues/:issue/work-complete",
		"report that the work of this stage is complete, or with `back` that it has to go back; for the agent of the issue",
		{
			at: "project",
			query,
			body: z.strictObject({ summary: z.string().max(100_000), back: z.boolean().default(false) }),
			answer: Issue,
			agents: true,
		},
	),
	presets: get("/api/projects/:project/presets", "list the workflows (presets) of a project", {
		at: "project",
		answer: z.array(NamedPreset),
	}),
	projectConfigure: post(
		"/api/projects/:project/configure",
		"configure automatic work, the number of agents, what happens at a usage limit, and quiet hours; null restores a default",
		{
			at: "project",
			body: z.strictObject({
				auto: z.boolean().optional(),
				agentsMax: z.int().positive().max(1000).nullable().optional(),
				context: z.enum(["clear", "keep"]).nullable().optional(),
				agentType: AgentType.nullable().optional(),
				policy: Policy.nullable().optional(),
				onLimit: z.enum(["wait", "fallback", "stop"]).nullable().optional(),
				quiet: Quiet.nullable().optional(),
			}),
			answer: Project,
		},
	),
};
