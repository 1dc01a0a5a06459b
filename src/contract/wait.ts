// The wait: who waits for which agents, and for what. It is a row, not a blocked call, so that it survives a restart of
// the daemon. Its id is the id of the event that opened it.
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
	/** the agent waits inside its turn; otherwise a prompt continues it when the wait is over */
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
	/** for each target, whether the condition was met at the end */
	seen: z.array(Seen),
	/** its outcome, while the turn that waits has no slot to continue */
	ready: Outcome.nullable(),
});
export type WaitState = z.infer<typeof WaitState>;

export const WaitEvent = z.discriminatedUnion("kind", [
	/** with `seen` if there was nothing to wait for: it is met at once */
	z.object({
		kind: z.literal("wait.opened"),
		data: WaitRequest.extend({
			turn: EventId.nullable(),
			deadline: z.int().nullable(),
			seen: z.array(Seen).exactOptional(),
		}),
	}),
	/** it is over, but the waiting turn needs a slot before it can continue */
	z.object({ kind: z.literal("wait.ready"), data: Outcome.extend({ wait: EventId }) }),
	z.object({ kind: z.literal("wait.ended"), data: Outcome.extend({ wait: EventId }) }),
]);
export type WaitEvent = z.infer<typeof WaitEvent>;

export const WaitOpen = command("wait.open", { ...WaitRequest.shape, timeoutMs: z.int().nonnegative().optional() });
export type WaitOpen = z.infer<typeof WaitOpen>;

/** From the daemon: it may be over. */
export const WaitLook = command("wait.look", { wait: EventId });
export const WaitCancel = command("wait.cancel", { wait: EventId });

export const waitCommands = [WaitOpen, WaitLook, WaitCancel] as const;
