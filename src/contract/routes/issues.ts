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
const Reason = z.string().min(1).max(10_000);

export const issueRoutes = {
	issues: get(
		"/api/issues",
		"all issues; `assignee` is an agent or `none`, `attention` those that need a person, `ready` those that an agent could be given now",
		{ query: scope.extend(Filter), answer: z.array(Issue), agents: true },
	),
	issuesOf: get("/api/projects/:project/issues", "the issues of a project", {
		query: z.strictObject(Filter),
		answer: z.array(Issue),
		agents: true,
	}),
	issueAdd: post("/api/projects/:project/issues", "a new issue", { at: "project", body: IssueRequest, answer: Issue }),
	issue: get("/api/issues/:issue", "one issue with its comments, documents, messages and files", {
		at: "project",
		query,
		answer: IssueDetails,
		agents: true,
	}),
	issueEdit: post("/api/issues/:issue", "change its words; what is not named stays as it is", {
		at: "project",
		alias: { method: "patch", path: "/api/issues/:issue" },
		query,
		body: IssueChange,
		answer: Issue,
	}),
	issueDelete: remove("/api/issues/:issue", "hide it; its number is not used again", {
		at: "project",
		query,
		answer: Issue,
	}),
	issueStart: post("/api/issues/:issue/start", "into its first stage of work", {
		at: "project",
		query,
		body: none,
		answer: Issue,
	}),
	issueAssign: post("/api/issues/:issue/assign", "give it to an agent that is idle; answered when both are claimed", {
		at: "project",
		query,
		body: z.strictObject({ agent: z.string().min(1).max(200), now: z.boolean().default(false) }),
		answer: Issue,
	}),
	issueUnassign: post("/api/issues/:issue/unassign", "take it from its agent", {
		at: "project",
		query,
		body: none,
		answer: Issue,
	}),
	issueMove: post("/api/issues/:issue/transition", "move it to another stage by hand", {
		at: "project",
		query,
		body: z.strictObject({ stage: StageName }),
		answer: Issue,
	}),
	issueDepend: post("/api/issues/:issue/dependencies", "it waits until another one is done", {
		at: "project",
		query,
		body: z.strictObject({ on: z.int().positive() }),
		answer: Issue,
	}),
	issueUndepend: remove("/api/issues/:issue/dependencies/:on", "it waits for that one no longer", {
		at: "project",
		query,
		answer: Issue,
	}),
	issueComment: post("/api/issues/:issue/comments", "say something about it", {
		at: "project",
		query,
		body: z.strictObject({ text: z.string().min(1).max(100_000) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueDocument: post("/api/issues/:issue/documents", "keep a document with it; the same name again is a new version", {
		at: "project",
		query,
		body: z.strictObject({ name: DocumentName, type: DocumentType.optional(), text: z.string().min(1) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueMessage: post("/api/issues/:issue/messages", "a note for the agent of a later stage, told once", {
		at: "project",
		query,
		body: z.strictObject({ stage: StageName, text: z.string().min(1).max(100_000) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueApprove: post(
		"/api/issues/:issue/approve",
		"let it pass its gate; the last one merges its commit, and is answered when that is through",
		{
			at: "project",
			query,
			body: z.strictObject({ commit: z.string().optional(), empty: z.boolean().optional() }),
			answer: Issue,
		},
	),
	issueReject: post("/api/issues/:issue/reject", "send it back with the reason", {
		at: "project",
		query,
		body: z.strictObject({ reason: Reason }),
		answer: Issue,
	}),
	issueRetry: post("/api/issues/:issue/retry", "clear its attention and try again", {
		at: "project",
		query,
		body: none,
		answer: Issue,
	}),
	issueEscalate: post("/api/issues/:issue/attention", "say that it needs a person, and why", {
		at: "project",
		query,
		body: z.strictObject({ reason: Reason }),
		answer: Issue,
		agents: true,
	}),
	workComplete: post(
		"/api/issues/:issue/work-complete",
		"its agent says that the work of this stage is complete, or with `back` that it has to go back",
		{
			at: "project",
			query,
			body: z.strictObject({ summary: z.string().max(100_000), back: z.boolean().default(false) }),
			answer: Issue,
			agents: true,
		},
	),
	presets: get("/api/projects/:project/presets", "the workflows that issues of a project may have", {
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
