// Issues as they go over the wire.
import { z } from "zod";
import { Actor, EventId, Handle } from "./ids.ts";
import { EntryState, IssueState, RunState } from "./issue.ts";
import { LoadedPreset } from "./preset.ts";
import { RefusalCodeSchema } from "./refusal-schema.ts";
import { Time } from "./wire.ts";

export const Run = z.object({
	...RunState.omit({ issueId: true }).shape,
	handle: Handle.nullable(),
	durationMs: z.int().nullable(),
	startedAt: Time,
	endedAt: Time.nullable(),
});
export type Run = z.infer<typeof Run>;

export const Issue = z.object({
	...IssueState.omit({
		returning: true,
		lastAgent: true,
		run: true,
		prompt: true,
		report: true,
		bounces: true,
		folder: true,
		approvedCommit: true,
	}).shape,
	assigneeHandle: Handle.nullable(),
	attention: z
		.object({
			...{ reason: z.string(), code: RefusalCodeSchema.nullable(), at: Time },
			/** in conflict, or not committed */
			files: z.array(z.string()).optional(),
			suggestions: z.array(z.string()).optional(),
		})
		.nullable(),
	/** those of `dependsOn` that are neither done nor deleted */
	blockedBy: z.array(z.int()),
	/** what is wrong with its preset, if something is */
	broken: z.string().nullable(),
	/** where a person may move it from here */
	moves: z.array(z.string()),
	runs: z.array(Run),
	notBefore: Time.nullable(),
	createdAt: Time,
	updatedAt: Time,
	doneAt: Time.nullable(),
	deletedAt: Time.nullable(),
});
export type Issue = z.infer<typeof Issue>;

const noted = { id: EventId, by: Actor, at: Time, text: z.string() };

export const WireIssueComment = z.object(noted);
export const WireIssueDocument = z.object({
	...noted,
	name: z.string(),
	type: EntryState.shape.type,
	version: z.int(),
});
export const WireIssueMessage = z.object({ ...noted, stage: z.string(), delivered: z.boolean() });

/** With its comments, messages and files, and the newest version of each document. */
export const IssueDetails = z.object({
	...Issue.shape,
	comments: z.array(WireIssueComment),
	documents: z.array(WireIssueDocument),
	messages: z.array(WireIssueMessage),
	/** `nodeName`: of the node where that folder is, where there are several */
	artifacts: z
		.object({ path: z.string(), files: z.array(z.string()), nodeName: z.string().exactOptional() })
		.nullable(),
	/** the name of the node that has its files, while they are out of reach: that node is down */
	filesAtNodeName: z.string().exactOptional(),
});
export type IssueDetails = z.infer<typeof IssueDetails>;

/** `issues` counts those that are not deleted. */
export const IssueLabelCount = z.object({ label: z.string(), issues: z.int() });
export type IssueLabelCount = z.infer<typeof IssueLabelCount>;

export const NamedPreset = z.object({
	name: z.string(),
	shipped: z.boolean(),
	default: z.boolean(),
	loaded: LoadedPreset,
});
export type NamedPreset = z.infer<typeof NamedPreset>;
