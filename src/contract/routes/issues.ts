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
import { MergeStrategy } from "../workspace.ts";
import { get, ofIssue, post, scope } from "./route.ts";

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
		"list issues; `assignee` is an agent or `none`, `attention` those that need a person (also to be approved), `ready` those that an agent could get now",
		{ query: scope.extend(Filter), answer: z.array(Issue), agents: true },
	),
	issuesOf: get("/api/projects/:project/issues", "list the issues of a project", {
		query: z.strictObject(Filter),
		answer: z.array(Issue),
		agents: true,
	}),
	issueAdd: post("/api/projects/:project/issues", "add an issue", { at: "project", body: IssueRequest, answer: Issue }),
	issue: ofIssue.get("", "show one issue with its comments, documents, messages and files", {
		fromRows: "not active",
		answer: IssueDetails,
		agents: true,
	}),
	issueEdit: ofIssue.post("", "change an issue's title, body, labels, priority or preset", {
		alias: { method: "patch", path: "/api/issues/:issue" },
		body: IssueChange,
		answer: Issue,
	}),
	issueDelete: ofIssue.remove("", "delete an issue; its number is not used again", { answer: Issue }),
	issueStart: ofIssue.post("/start", "move an issue to its first stage of work", { answer: Issue }),
	issueAssign: ofIssue.post("/assign", "assign an issue to an idle agent", {
		body: z.strictObject({ agent: z.string().min(1).max(200), now: z.boolean().default(false) }),
		answer: Issue,
	}),
	issueUnassign: ofIssue.post("/unassign", "take an issue from its agent", { answer: Issue }),
	issueMove: ofIssue.post("/transition", "move an issue to another stage", {
		body: z.strictObject({ stage: StageName }),
		answer: Issue,
	}),
	issueDepend: ofIssue.post("/dependencies", "make an issue wait until another one is done", {
		body: z.strictObject({ on: z.int().positive() }),
		answer: Issue,
	}),
	issueUndepend: ofIssue.remove("/dependencies/:on", "remove a dependency of an issue", { answer: Issue }),
	issueComment: ofIssue.post("/comments", "add a comment; the agent reads it in its next prompt", {
		body: z.strictObject({ text: z.string().min(1).max(100_000) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueDocument: ofIssue.post("/documents", "attach a document; the same name again adds a version", {
		body: z.strictObject({ name: DocumentName, type: DocumentType.optional(), text: z.string().min(1) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueMessage: ofIssue.post("/messages", "leave a message for the agent of a later stage; it is delivered once", {
		body: z.strictObject({ stage: StageName, text: z.string().min(1).max(100_000) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueApprove: ofIssue.post("/approve", "approve an issue's work; at the last gate this merges its commit", {
		body: z.strictObject({
			commit: z.string().optional(),
			empty: z.boolean().optional(),
			strategy: MergeStrategy.optional(),
		}),
		answer: Issue,
	}),
	issueReject: ofIssue.post("/reject", "send an issue back to the stage that its preset names, with the reason", {
		body: z.strictObject({ reason: IssueReason.min(1) }),
		answer: Issue,
	}),
	issueRetry: ofIssue.post("/retry", "clear an issue's attention and try again", { answer: Issue }),
	issueEscalate: ofIssue.post("/attention", "report that an issue needs a person, and why", {
		body: z.strictObject({ reason: IssueReason.min(1) }),
		answer: Issue,
		agents: true,
	}),
	workComplete: ofIssue.post(
		"/work-complete",
		"report that the work of this stage is complete, or with `back` that it has to go back; for the agent of the issue",
		{
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
