// The approval: an agent asks before it acts. Its id is the id of the event that asked.
import { z } from "zod";
import { command, event } from "./define.ts";
import { Actor, AgentId, EventId } from "./ids.ts";
import { Reason, Text } from "./text.ts";

/**
 * Who answers where no permit does. `ask`: a person. `auto-edit`: a person, except for thinking, and for reads,
 * searches, edits and moves of files inside the workspace. `full`: no person, everything is allowed. Each allows more
 * than the one before it.
 */
export const policies = ["ask", "auto-edit", "full"] as const;
export const Policy = z.enum(policies);
export type Policy = z.infer<typeof Policy>;

export const approvalStates = ["pending", "allowed", "denied", "cancelled"] as const;

const Option = z.object({
	id: z.string().max(200),
	name: z.string().max(1000),
	kind: z.enum(["allow_once", "allow_always", "reject_once", "reject_always"]),
});
export type ApprovalOption = z.infer<typeof Option>;

/** A shell command that an agent wants to run, and where; null for its workspace. */
export const ShellCommand = z.strictObject({ line: z.string().max(100_000), folder: z.string().max(4096).nullable() });
export type ShellCommand = z.infer<typeof ShellCommand>;

/** The `tool` of a question about one of Brood's own tools. Brood decides itself what an agent may do with them. */
export const broodTool = "brood";

/**
 * `tool` is the kind of tool, `call` the waiting tool call. An approval never changes: another question is another one.
 */
export const ApprovalQuestion = z.strictObject({
	title: Text.max(10_000),
	tool: z.string().max(100),
	call: z.string().max(200).nullable(),
	options: z.array(Option).max(32),
	/** everything that the program reported about the call, uncut: the command, the change of each file */
	content: Text.max(900_000).default(""),
	/** what it would run, if that is a command and nothing else was reported that could change what it does */
	command: ShellCommand.exactOptional(),
	/** the files that it names */
	files: z.array(z.string().max(4096)).max(1000).default([]),
	/**
	 * whether all of these are inside its workspace and none is configuration or code that a program runs; false if none
	 */
	inside: z.boolean().default(false),
	/** differs with the content, or with the files if files are changed */
	digest: z.string().max(64).default(""),
});
export type ApprovalQuestion = z.infer<typeof ApprovalQuestion>;
/** With the fields that have defaults optional. */
export type ApprovalRequest = z.input<typeof ApprovalQuestion>;

export const ApprovalState = z.strictObject({
	id: EventId,
	agent: AgentId,
	turn: EventId,
	...ApprovalQuestion.shape,
	state: z.enum(approvalStates),
	askedAt: z.int(),
	answeredAt: z.int().nullable(),
	answeredBy: Actor.nullable(),
	/** the option that was chosen; null while pending, if cancelled, or if none fitted */
	option: z.string().nullable(),
	reason: z.string().nullable(),
});
export type ApprovalState = z.infer<typeof ApprovalState>;

/**
 * The standing answer to a question: the same tool, with the same title and content. With a prefix it answers every
 * simple command in the same folder that begins with these words.
 */
export const Permit = z.strictObject({
	tool: z.string(),
	title: z.string(),
	digest: z.string().default(""),
	prefix: z.array(z.string()).exactOptional(),
	folder: z.string().nullable().exactOptional(),
	allow: z.boolean(),
});
export type Permit = z.infer<typeof Permit>;

export const ApprovalEvent = z.discriminatedUnion("kind", [
	/** `answer` if the policy or a permit answers at once */
	z.object({
		kind: z.literal("approval.asked"),
		data: ApprovalQuestion.extend({
			turn: EventId,
			answer: z.object({ option: z.string().nullable(), allowed: z.boolean(), why: z.string() }).exactOptional(),
		}),
	}),
	event("approval.answered", {
		approval: EventId,
		allowed: z.boolean(),
		option: z.string().nullable(),
		permit: Permit.exactOptional(),
		reason: z.string().exactOptional(),
	}),
	/** its turn or its process ended */
	event("approval.cancelled", { approvals: z.array(EventId) }),
]);
export type ApprovalEvent = z.infer<typeof ApprovalEvent>;

export const ApprovalAsk = command("approval.ask", { agent: AgentId, turn: EventId, question: ApprovalQuestion });
export type ApprovalAsk = z.infer<typeof ApprovalAsk>;
export const ApprovalAnswer = command("approval.answer", {
	agent: AgentId,
	approval: EventId,
	allow: z.boolean(),
	always: z.boolean().default(false),
	/** with `always`: allow every command that begins with these words */
	prefix: z.string().min(1).max(1000).optional(),
	reason: Reason.default(""),
});
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** The tool call changed: this question no longer applies. */
export const ApprovalWithdraw = command("approval.withdraw", { agent: AgentId, turn: EventId, approval: EventId });
export type ApprovalWithdraw = z.infer<typeof ApprovalWithdraw>;

export const approvalCommands = [ApprovalAsk, ApprovalAnswer, ApprovalWithdraw] as const;
