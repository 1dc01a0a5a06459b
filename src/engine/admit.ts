// The first thing that happens to a command: it is parsed, measured and stamped with time, ids and randomness.
import { z } from "zod";
import { Command, type Envelope } from "#contract/command.ts";
import type { Actor, Key } from "#contract/ids.ts";
import { type Limits, utf8Bytes } from "#contract/limits.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Clock, Ids } from "./ports.ts";

export interface Request {
	actor: Actor;
	/** null for what the daemon says to itself and never retries */
	key: Key | null;
	/** anything: what the contract does not know is refused */
	command: unknown;
}

export interface Stamps {
	clock: Clock;
	ids: Ids;
	limits: Limits;
}

export function admit(request: Request, { clock, ids, limits }: Stamps): Envelope | Refusal {
	const parsed = Command.safeParse(request.command);
	if (!parsed.success) return refuse("VALIDATION_ERROR", z.prettifyError(parsed.error), { details: { issues: issuesOf(parsed.error) } });
	const command = parsed.data;
	const size = bytesOf(command);
	if (size > limits.textBytesMax) {
		return refuse("TOO_LARGE", `This has ${size} bytes; the limit is ${limits.textBytesMax}.`, { details: { bytes: size, limit: limits.textBytesMax } });
	}
	return {
		command,
		actor: request.actor,
		at: clock.now(),
		key: request.key,
		fingerprint: request.key === null ? "" : ids.digest(JSON.stringify([request.actor, command])),
		freshId: ids.agentId(),
		salt: ids.salt(),
	};
}

/** The size of what people and agents write at length; everything else is bounded by its schema. */
function bytesOf(command: Command): number {
	switch (command.type) {
		case "item.append":
			return utf8Bytes(command.text ?? "") + (command.data === null ? 0 : utf8Bytes(JSON.stringify(command.data)));
		case "prompt.queue":
			return utf8Bytes(command.text);
		case "agent.spawn":
			return utf8Bytes(command.prompt ?? "");
		case "agent.configure":
			return utf8Bytes(command.systemPrompt ?? "");
		default:
			return 0;
	}
}

function issuesOf(error: z.ZodError): { path: string; message: string }[] {
	return error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
}
