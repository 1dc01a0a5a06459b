// The session: a conversation kept by a vendor's program. It is a cache; the journal is authoritative.
import { z } from "zod";
import { command } from "./define.ts";
import { AgentId, EventId } from "./ids.ts";
import { Text } from "./text.ts";

/** What an agent's program can do with its sessions, besides creating one. */
export const sessionCapabilities = ["load", "resume", "fork", "close", "systemPrompt"] as const;
const Capabilities = z.array(z.enum(sessionCapabilities));
export type SessionCapability = (typeof sessionCapabilities)[number];

const Opened = z.strictObject({
	/** the program's own id for it */
	sessionId: z.string().min(1).max(1000),
	/** the agent type */
	type: z.string(),
	folder: z.string().max(4096),
	capabilities: Capabilities,
	/** the program's name and version, as reported by it */
	programVersion: z.string().max(200).nullable(),
	/** new and empty, continued, copied from the parent's, or new and given the context from the journal */
	how: z.enum(["new", "resumed", "forked", "seeded"]),
});

/** An agent's latest session. `openedIn` is the event that opened it. */
export const Session = z.strictObject({ ...Opened.shape, openedIn: EventId });
export type Session = z.infer<typeof Session>;

export const SessionEvent = z.object({ kind: z.literal("session.opened"), data: Opened });
export type SessionEvent = z.infer<typeof SessionEvent>;

/** From the daemon: the agent's process is up and keeps the conversation in this session. */
export const SessionOpen = command("session.open", {
	agent: AgentId,
	turn: EventId,
	opened: Opened,
	note: Text.max(10_000).nullable(),
});
export type SessionOpen = z.infer<typeof SessionOpen>;

export const sessionCommands = [SessionOpen] as const;
