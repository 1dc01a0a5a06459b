// Issues: made, found, worked on. In a path an issue is `project#number`, a number with `?project=`, or `mine` for an
// agent.
import { z } from "zod";
import { AgentType, ProjectSlug } from "../ids.ts";
import { DocumentName, DocumentType, IssuePriority } from "../issue.ts";
import { IssueChange, IssueRequest } from "../issue-commands.ts";
import { Issue, IssueDetails, NamedPreset } from "../issue-wire.ts";
import { StageName } from "../preset.ts";
import { Quiet } from "../subscription.ts";
import { Project } from "../wire.ts";
import { none, Reference, route } from "./route.ts";

const query = z.strictObject(Reference);
const Filter = {
	stage: z.string().optional(),
	priority: IssuePriority.optional(),
	/** nobody works on them, and nothing keeps anybody from it */
	ready: z.stringbool().optional(),
	label: z.string().optional(),
	assignee: z.string().optional(),
	text: z.string().optional(),
	attention: z.stringbool().optional(),
	deleted: z.stringbool().default(false),
};
const Reason = z.string().min(1).max(10_000);

export const issueRoutes = {
	issues: route({
		method: "get",
		path: "/api/issues",
		summary:
			"all issues; `assignee` is an agent or `none`, `attention` those that need a person, `ready` those that an agent could be given now",
		query: z.strictObject({ project: ProjectSlug.optional(), ...Filter }),
		answer: z.array(Issue),
		agents: true,
	}),
	issuesOf: route({
		method: "get",
		path: "/api/projects/:project/issues",
		summary: "the issues of a project",
		query: z.strictObject(Filter),
		answer: z.array(Issue),
		agents: true,
	}),
	issueAdd: route({
		method: "post",
		path: "/api/projects/:project/issues",
		summary: "a new issue",
		body: IssueRequest,
		answer: Issue,
	}),
	issue: route({
		method: "get",
		path: "/api/issues/:issue",
		summary: "one issue with its comments, documents, messages and files",
		query,
		answer: IssueDetails,
		agents: true,
	}),
	issueEdit: route({
		method: "post",
		path: "/api/issues/:issue",
		alias: { method: "patch", path: "/api/issues/:issue" },
		summary: "change its words; what is not named stays as it is",
		query,
		body: IssueChange,
		answer: Issue,
	}),
	issueDelete: route({
		method: "delete",
		path: "/api/issues/:issue",
		summary: "hide it; its number is not used again",
		query,
		answer: Issue,
	}),
	issueStart: route({
		method: "post",
		path: "/api/issues/:issue/start",
		summary: "into its first stage of work",
		query,
		body: none,
		answer: Issue,
	}),
	issueAssign: route({
		method: "post",
		path: "/api/issues/:issue/assign",
		summary: "give it to an agent that is idle; answered when both are claimed",
		query,
		body: z.strictObject({ agent: z.string().min(1).max(200), now: z.boolean().default(false) }),
		answer: Issue,
	}),
	issueUnassign: route({
		method: "post",
		path: "/api/issues/:issue/unassign",
		summary: "take it from its agent",
		query,
		body: none,
		answer: Issue,
	}),
	issueMove: route({
		method: "post",
		path: "/api/issues/:issue/transition",
		summary: "move it to another stage by hand",
		query,
		body: z.strictObject({ stage: StageName }),
		answer: Issue,
	}),
	issueDepend: route({
		method: "post",
		path: "/api/issues/:issue/dependencies",
		summary: "it waits until another one is done",
		query,
		body: z.strictObject({ on: z.int().positive() }),
		answer: Issue,
	}),
	issueUndepend: route({
		method: "delete",
		path: "/api/issues/:issue/dependencies/:on",
		summary: "it waits for that one no longer",
		query,
		answer: Issue,
	}),
	issueComment: route({
		method: "post",
		path: "/api/issues/:issue/comments",
		summary: "say something about it",
		query,
		body: z.strictObject({ text: z.string().min(1).max(100_000) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueDocument: route({
		method: "post",
		path: "/api/issues/:issue/documents",
		summary: "keep a document with it; the same name again is a new version",
		query,
		body: z.strictObject({ name: DocumentName, type: DocumentType.optional(), text: z.string().min(1) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueMessage: route({
		method: "post",
		path: "/api/issues/:issue/messages",
		summary: "a note for the agent of a later stage, told once",
		query,
		body: z.strictObject({ stage: StageName, text: z.string().min(1).max(100_000) }),
		answer: IssueDetails,
		agents: true,
	}),
	issueApprove: route({
		method: "post",
		path: "/api/issues/:issue/approve",
		summary: "let it pass its gate; the last one merges its commit, and is answered when that is through",
		query,
		body: z.strictObject({ commit: z.string().optional() }),
		answer: Issue,
	}),
	issueReject: route({
		method: "post",
		path: "/api/issues/:issue/reject",
		summary: "send it back with the reason",
		query,
		body: z.strictObject({ reason: Reason }),
		answer: Issue,
	}),
	issueRetry: route({
		method: "post",
		path: "/api/issues/:issue/retry",
		summary: "clear its attention and try again",
		query,
		body: none,
		answer: Issue,
	}),
	issueAttend: route({
		method: "post",
		path: "/api/issues/:issue/attention",
		summary: "it needs a person",
		query,
		body: z.strictObject({ reason: Reason }),
		answer: Issue,
		agents: true,
	}),
	workComplete: route({
		method: "post",
		path: "/api/issues/:issue/work-complete",
		summary: "its agent says that the work of this stage is complete, or with `back` that it has to go back",
		query,
		body: z.strictObject({ summary: z.string().max(100_000), back: z.boolean().default(false) }),
		answer: Issue,
		agents: true,
	}),
	presets: route({
		method: "get",
		path: "/api/projects/:project/presets",
		summary: "the workflows that issues of a project may have",
		answer: z.array(NamedPreset),
	}),
	projectTune: route({
		method: "post",
		path: "/api/projects/:project/auto",
		summary:
			"configure automatic work, the number of agents, what happens at a usage limit, and quiet hours; null restores a default",
		body: z.strictObject({
			auto: z.boolean().optional(),
			agentsMax: z.int().positive().max(1000).nullable().optional(),
			context: z.enum(["clear", "keep"]).nullable().optional(),
			agentType: AgentType.nullable().optional(),
			onLimit: z.enum(["wait", "fallback", "stop"]).nullable().optional(),
			quiet: Quiet.nullable().optional(),
		}),
		answer: Project,
	}),
};
