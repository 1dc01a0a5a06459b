// The approval: an agent asks before it does something. Its id is the id of the event that asked.
import { z } from "zod";
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

/** What is asked. `tool` is the kind of tool, `call` the tool call that waits for the answer. */
export const ApprovalQuestion = z.strictObject({
	title: Text.max(10_000),
	tool: z.string().max(100),
	call: z.string().max(200).nullable(),
	options: z.array(Option).max(32),
});
export type ApprovalQuestion = z.infer<typeof ApprovalQuestion>;

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
});
export type ApprovalState = z.infer<typeof ApprovalState>;

/** A question that is not asked again, and its answer: the same tool, in the same words. */
export const Permit = z.strictObject({ tool: z.string(), title: z.string(), allow: z.boolean() });
export type Permit = z.infer<typeof Permit>;

export const ApprovalFact = z.discriminatedUnion("kind", [
	/** answered with the question where the policy or an earlier "always" leaves nothing to ask */
	z.object({
		kind: z.literal("approval.asked"),
		data: ApprovalQuestion.extend({
			turn: EventId,
			answer: z.object({ option: z.string().nullable(), allowed: z.boolean(), why: z.string() }).exactOptional(),
		}),
	}),
	z.object({
		kind: z.literal("approval.answered"),
		data: z.object({
			approval: EventId,
			allowed: z.boolean(),
			option: z.string().nullable(),
			permit: Permit.exactOptional(),
			reason: z.string().exactOptional(),
		}),
	}),
	/** its turn or its process is over */
	z.object({ kind: z.literal("approval.cancelled"), data: z.object({ approvals: z.array(EventId) }) }),
]);
export type ApprovalFact = z.infer<typeof ApprovalFact>;

const ApprovalAsk = z.strictObject({ type: z.literal("approval.ask"), agent: AgentId, turn: EventId, question: ApprovalQuestion });
export type ApprovalAsk = z.infer<typeof ApprovalAsk>;
const ApprovalAnswer = z.strictObject({
	type: z.literal("approval.answer"),
	agent: AgentId,
	approval: EventId,
	allow: z.boolean(),
	always: z.boolean().default(false),
	reason: Reason.default(""),
});
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

export const approvalCommands = [ApprovalAsk, ApprovalAnswer] as const;
