// The issue: a unit of work with a stage. Its id is the id of the event that added it; people name it `project#number`.
import { z } from "zod";
import { event, textEvent } from "./define.ts";
import { Actor, AgentId, EventId, ProjectSlug } from "./ids.ts";
import { PresetName, StageName } from "./preset.ts";
import { RefusalCodeSchema } from "./refusal-schema.ts";
import { Text } from "./text.ts";
import { Spent } from "./usage.ts";
import { MergeStrategy } from "./workspace.ts";

export const IssueNumber = z.int().positive();
export const issuePriorities = ["low", "medium", "high", "critical"] as const;
export const IssuePriority = z.enum(issuePriorities);
/** what an issue waits for while no agent works on it */
export const waitReasons = ["approval", "gate", "merge"] as const;
const Waiting = z.enum(waitReasons);
export const IssueLabel = z
	.string()
	.regex(/^[\p{L}\p{N}][\p{L}\p{N} ._:/-]{0,49}$/u, "a label has 1 to 50 letters, digits, spaces and ._:/-");
export const Title = Text.regex(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u, "a title is one line with something on it").max(
	200,
);
export const DocumentName = z
	.string()
	.regex(
		/^(?!.*(^|\/)\.{0,2}(\/|$))[\p{L}\p{N}][\p{L}\p{N} ._/-]{0,199}$/u,
		"a document's name is a short path without empty parts, . and ..",
	);
export const documentTypes = ["context_pack", "spec", "ai_doc", "other"] as const;
export const DocumentType = z.enum(documentTypes);

/** What helps a person whose issue could not be merged. */
const Help = z.strictObject({
	/** in conflict, or not committed */
	files: z.array(z.string()).exactOptional(),
	/** what to try next, as in the refusal */
	suggestions: z.array(z.string()).exactOptional(),
});
export type Help = z.infer<typeof Help>;

/** An issue's row: what its events add up to. */
export const IssueState = z.strictObject({
	id: EventId,
	project: ProjectSlug,
	/** from 1 in its project, never used twice */
	number: IssueNumber,
	title: z.string(),
	body: z.string(),
	labels: z.array(z.string()),
	priority: IssuePriority,
	/** numbers of issues of the same project that have to be done first */
	dependsOn: z.array(IssueNumber),
	preset: PresetName,
	stage: StageName,
	waiting: Waiting.nullable(),
	branch: z.string().nullable(),
	assignee: AgentId.nullable(),
	/** the released agent, until its workspace is on its home branch; `work`: its run ended with work */
	returning: z.strictObject({ agent: AgentId, work: z.boolean() }).nullable(),
	lastAgent: AgentId.nullable(),
	/** the open run */
	run: EventId.nullable(),
	/** the latest prompt of its stage */
	prompt: EventId.nullable(),
	/** the agent's report in the open run */
	report: z.strictObject({ summary: z.string(), back: z.boolean() }).nullable(),
	/** failures of its stage in a row */
	failures: z.int(),
	/** how often it was sent back since a person last acted on it */
	bounces: z.int(),
	/** no further attempt before this time */
	notBefore: z.int().nullable(),
	/** why it needs a person; with the code of the refusal, if one was the reason */
	attention: z
		.strictObject({ reason: z.string(), code: RefusalCodeSchema.nullable(), at: z.int(), ...Help.shape })
		.nullable(),
	/** the head of its branch after its latest run */
	commit: z.string().nullable(),
	/** its folder, with its documents */
	folder: z.string().nullable(),
	/** what its runs have used */
	spent: Spent,
	approvedBy: Actor.nullable(),
	approvedCommit: z.string().nullable(),
	/** false: a person approved it, and there has to be something to merge */
	approvedEmpty: z.boolean().exactOptional(),
	/** how whoever approved it wants it merged; the project's strategy if null or absent */
	approvedStrategy: MergeStrategy.nullable().exactOptional(),
	mergedCommit: z.string().nullable(),
	/** what became of the push after the merge, and how base stands against the remote */
	mergeNote: z.string().exactOptional(),
	createdAt: z.int(),
	createdBy: Actor,
	updatedAt: z.int(),
	doneAt: z.int().nullable(),
	deletedAt: z.int().nullable(),
});
export type IssueState = z.infer<typeof IssueState>;

/** Whether a reactor may have a step to carry out for it. */
export const hasStepDue = ({ deletedAt, assignee, returning, waiting }: IssueState): boolean =>
	returning !== null || (deletedAt === null && (assignee !== null || waiting === "gate" || waiting === "merge"));

/** Whether somebody has to look at it or to approve it. */
export const needsPerson = ({ attention, waiting, deletedAt }: NeedFacts): boolean =>
	deletedAt === null && (attention !== null || waiting === "approval");

/** Of an issue's row, or of an issue as it is answered. */
interface NeedFacts extends Pick<IssueState, "waiting"> {
	attention: object | null;
	deletedAt: number | string | null;
}

/** Neither done nor deleted. */
export const isOpen = ({ doneAt, deletedAt }: IssueState): boolean => doneAt === null && deletedAt === null;

export const runStates = ["open", "completed", "failed", "interrupted", "cancelled"] as const;

/** A workflow run: one turn of an agent on an issue. Its id is the id of the event that started it. */
export const RunState = z.strictObject({
	id: EventId,
	issueId: EventId,
	stage: StageName,
	agent: AgentId,
	turn: EventId,
	state: z.enum(runStates),
	/** whether it produced work: the agent reported so, or there are commits */
	work: z.boolean(),
	summary: z.string().nullable(),
	/** as reported; null if nothing was */
	inputTokens: z.int().nullable(),
	outputTokens: z.int().nullable(),
	costUsd: z.number().nullable(),
	/** of the session of its agent's program */
	sessionId: z.string().nullable(),
	commit: z.string().nullable(),
	startedAt: z.int(),
	endedAt: z.int().nullable(),
});
export type RunState = z.infer<typeof RunState>;

export const entryKinds = ["comment", "document", "message"] as const;

/** The folders of an issue's folder besides `documents`. */
export const issueFolders = ["context", "specs", "ai_docs"] as const;

/**
 * Where a document is in the issue's folder: `specs/font.md` in `specs`, and what names none of them in `documents`.
 */
export const documentPath = (name: string): string =>
	issueFolders.some((folder) => name.startsWith(`${folder}/`)) ? name : `documents/${name}`;

/** A comment, a version of a document, or a message to the agent of a stage. */
export const EntryState = z.strictObject({
	id: EventId,
	issueId: EventId,
	kind: z.enum(entryKinds),
	by: Actor,
	at: z.int(),
	text: z.string(),
	/** of a document */
	name: z.string().nullable(),
	type: DocumentType.nullable(),
	version: z.int().nullable(),
	/** of a message: its stage, and whether a prompt of that stage had it */
	stage: StageName.nullable(),
	delivered: z.boolean(),
});
export type EntryState = z.infer<typeof EntryState>;

const of = { issueId: EventId };
const moveReasons = ["start", "move", "work", "gateFailed", "approve", "reject", "back"] as const;

export const IssueEvent = z.discriminatedUnion("kind", [
	textEvent("issue.added", {
		project: ProjectSlug,
		number: IssueNumber,
		title: z.string(),
		labels: z.array(z.string()),
		priority: IssuePriority,
		dependsOn: z.array(IssueNumber),
		preset: PresetName,
		stage: StageName,
	}),
	/** a new body is the event's text */
	z.object({
		kind: z.literal("issue.edited"),
		text: z.string().nullish(),
		data: z.object({
			...of,
			title: z.string().exactOptional(),
			labels: z.array(z.string()).exactOptional(),
			priority: IssuePriority.exactOptional(),
			preset: PresetName.exactOptional(),
			stage: StageName.exactOptional(),
		}),
	}),
	event("issue.moved", {
		...of,
		from: StageName,
		to: StageName,
		why: z.enum(moveReasons),
		waiting: Waiting.nullable(),
		final: z.literal(true).exactOptional(),
		branch: z.string().exactOptional(),
	}),
	event("issue.assigned", { ...of, agent: AgentId, folder: z.string().nullable() }),
	/** the agent no longer works on it; it is free once its workspace is on its home branch */
	event("issue.released", { ...of, agent: AgentId, work: z.boolean() }),
	event("issue.returned", { ...of, agent: AgentId }),
	event("issue.depended", { ...of, on: IssueNumber }),
	event("issue.undepended", { ...of, on: IssueNumber }),
	textEvent("issue.commented", of),
	textEvent("issue.documented", { ...of, name: z.string(), type: DocumentType, version: z.int() }),
	/** `from` is the author, if not the actor */
	textEvent("issue.messaged", {
		...of,
		stage: StageName,
		delivered: z.literal(true).exactOptional(),
		from: Actor.exactOptional(),
	}),
	event("issue.delivered", { ...of, messages: z.array(EventId) }),
	/** the agent reports that its work is complete, or has to go back */
	textEvent("issue.reported", { ...of, back: z.boolean() }),
	event("issue.waitChanged", { ...of, waiting: Waiting.nullable(), notBefore: z.int().exactOptional() }),
	/** `empty`: a person approved it although there may be nothing to merge */
	event("issue.approved", {
		...of,
		commit: z.string().nullable(),
		empty: z.boolean().exactOptional(),
		strategy: MergeStrategy.exactOptional(),
	}),
	event("issue.merged", { ...of, commit: z.string().nullable(), note: z.string().exactOptional() }),
	/** it needs a person; the text says why */
	textEvent("issue.escalated", { ...of, code: RefusalCodeSchema.exactOptional(), ...Help.shape }),
	event("issue.deescalated", of),
	/** an attempt failed and will be repeated */
	textEvent("issue.failed", { ...of, notBefore: z.int() }),
	event("issue.deleted", of),
]);
export type IssueEvent = z.infer<typeof IssueEvent>;

export const RunEvent = z.discriminatedUnion("kind", [
	event("run.started", { ...of, stage: StageName }),
	z.object({
		kind: z.literal("run.finished"),
		text: z.string().nullish(),
		data: z.object({
			...of,
			run: EventId,
			state: z.enum(["completed", "failed", "interrupted", "cancelled"]),
			work: z.boolean(),
			inputTokens: z.int().nullable(),
			outputTokens: z.int().nullable(),
			costUsd: z.number().nullable(),
			sessionId: z.string().nullable().exactOptional(),
			commit: z.string().nullable(),
		}),
	}),
]);
export type RunEvent = z.infer<typeof RunEvent>;
