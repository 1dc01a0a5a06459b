// The approval: an agent asks before it does something. Its id is the id of the event that asked.
import { z } from "zod";
import { command, event } from "./define.ts";
import { Actor, AgentId, EventId } from "./ids.ts";
import { Reason, Text } from "./text.ts";

/** Who answers: a person always, a person unless it is an edit, or nobody has to. */
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

/**
 * What is asked. `tool` is the kind of tool, `call` the tool call that waits for the answer. An approval never changes:
 * what asks for something else is another one.
 */
export const ApprovalQuestion = z.strictObject({
	title: Text.max(10_000),
	tool: z.string().max(100),
	call: z.string().max(200).nullable(),
	options: z.array(Option).max(32),
	/** all that its program told of the call, whole: the command, the change of each file */
	content: Text.max(900_000).default(""),
	/** the files that it names */
	files: z.array(z.string().max(4096)).max(1000).default([]),
	/**
	 * whether all of these are really inside its workspace, and none of them is obeyed or run by something; false if it
	 * names none
	 */
	inside: z.boolean().default(false),
	/** another one for other content; of a change of files, for other files */
	digest: z.string().max(64).default(""),
});
export type ApprovalQuestion = z.infer<typeof ApprovalQuestion>;
/** As it is asked: what is not said is empty. */
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
	/** the option that was chosen; null while it is pending, when it was cancelled, or if none fitted */
	option: z.string().nullable(),
	/** why, in the words of whoever answered */
	reason: z.string().nullable(),
});
export type ApprovalState = z.infer<typeof ApprovalState>;

/** A question that is not asked again, and its answer: the same tool, in the same words, with the same content. */
export const Permit = z.strictObject({
	tool: z.string(),
	title: z.string(),
	digest: z.string().default(""),
	allow: z.boolean(),
});
export type Permit = z.infer<typeof Permit>;

export const ApprovalEvent = z.discriminatedUnion("kind", [
	/** answered with the question where the policy or an earlier "always" leaves nothing to ask */
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
	/** its turn or its process is over */
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
	reason: Reason.default(""),
});
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** The call that it is about has become another one. */
export const ApprovalWithdraw = command("approval.withdraw", { agent: AgentId, turn: EventId, approval: EventId });
export type ApprovalWithdraw = z.infer<typeof ApprovalWithdraw>;

export const approvalCommands = [ApprovalAsk, ApprovalAnswer, ApprovalWithdraw] as const;
