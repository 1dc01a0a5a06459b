// The wait: somebody wants to know when something has become of some agents. It is a row, not a blocked call, so that
// it outlives the daemon. Its id is the id of the event that opened it.
import { z } from "zod";
import { command } from "./define.ts";
import { Actor, AgentId, EventId } from "./ids.ts";

export const conditions = ["idle", "turn", "mail", "ended"] as const;
export const waitStates = ["open", "met", "timeout", "cancelled"] as const;

const Seen = z.object({ agent: AgentId, met: z.boolean() });

const Outcome = z.object({ state: z.enum(["met", "timeout", "cancelled"]), seen: z.array(Seen) });
export type WaitOutcome = z.infer<typeof Outcome>;

const WaitRequest = z.strictObject({
	targets: z.array(AgentId).max(100),
	for: z.enum(conditions).default("idle"),
	/** all of them, or any one */
	mode: z.enum(["all", "any"]).default("all"),
	/** an agent that waits inside its turn; any other is continued by a prompt when the wait is over */
	blocking: z.boolean().default(true),
});

export const WaitState = z.strictObject({
	id: EventId,
	/** the agent that waits, or null for a person */
	agent: AgentId.nullable(),
	turn: EventId.nullable(),
	...WaitRequest.shape,
	/** when it times out */
	deadline: z.int().nullable(),
	state: z.enum(waitStates),
	openedAt: z.int(),
	openedBy: Actor,
	endedAt: z.int().nullable(),
	/** what had become of each, when it was over */
	seen: z.array(Seen),
	/** how it will have ended once the agent that waits inside its turn has a slot again */
	ready: Outcome.nullable(),
});
export type WaitState = z.infer<typeof WaitState>;

export const WaitEvent = z.discriminatedUnion("kind", [
	/** `met` if there was nothing to wait for: then it is over with the event that opened it */
	z.object({
		kind: z.literal("wait.opened"),
		data: WaitRequest.extend({
			turn: EventId.nullable(),
			deadline: z.int().nullable(),
			met: z.array(Seen).exactOptional(),
		}),
	}),
	/** it is over, but the turn that waits cannot go on before it has a slot again */
	z.object({ kind: z.literal("wait.ready"), data: Outcome.extend({ wait: EventId }) }),
	z.object({ kind: z.literal("wait.ended"), data: Outcome.extend({ wait: EventId }) }),
]);
export type WaitEvent = z.infer<typeof WaitEvent>;

export const WaitOpen = command("wait.open", { ...WaitRequest.shape, timeoutMs: z.int().nonnegative().optional() });
export type WaitOpen = z.infer<typeof WaitOpen>;

/** Said by the daemon to itself: it may be over. */
export const WaitLook = command("wait.look", { wait: EventId });
export const WaitCancel = command("wait.cancel", { wait: EventId });

export const waitCommands = [WaitOpen, WaitLook, WaitCancel] as const;
