// The session: where a vendor's program keeps a conversation by itself. It is a cache; our journal is the truth.
import { z } from "zod";
import { command } from "./define.ts";
import { AgentId, EventId } from "./ids.ts";
import { Text } from "./text.ts";

/** What an agent's program can do with its sessions, beside making one. */
export const sessionPowers = ["load", "resume", "fork", "close", "systemPrompt"] as const;
const Powers = z.array(z.enum(sessionPowers));
export type SessionPower = (typeof sessionPowers)[number];

const Opened = z.strictObject({
	/** as the agent's program named it */
	session: z.string().min(1).max(1000),
	/** the type of agent that it belongs to */
	type: z.string(),
	folder: z.string().max(4096),
	powers: Powers,
	/** the name and version that the program gave of itself */
	program: z.string().max(200).nullable(),
	/** new and empty, gone on with, copied from the parent's, or new and told what our journal has */
	how: z.enum(["new", "resumed", "forked", "seeded"]),
});

/** An agent's last session. `openedIn` is the event that says so. */
export const Session = z.strictObject({ ...Opened.shape, openedIn: EventId });
export type Session = z.infer<typeof Session>;

export const SessionEvent = z.object({ kind: z.literal("session.opened"), data: Opened });
export type SessionEvent = z.infer<typeof SessionEvent>;

/** Said by the daemon's reactors: the agent's process is up, and this is where it keeps the conversation. */
export const SessionOpen = command("session.open", {
	agent: AgentId,
	turn: EventId,
	opened: Opened,
	note: Text.max(10_000).nullable(),
});
export type SessionOpen = z.infer<typeof SessionOpen>;

export const sessionCommands = [SessionOpen] as const;
