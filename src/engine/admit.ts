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
	if (isOddlyShaped(request.command)) return refuse("VALIDATION_ERROR", `A command is at most ${depthMax} levels deep and has no key __proto__.`);
	const parsed = Command.safeParse(request.command);
	if (!parsed.success) return refuse("VALIDATION_ERROR", z.prettifyError(parsed.error), { details: { issues: issuesOf(parsed.error) } });
	const command = parsed.data;
	const [bytes, limit] = command.type === "mail.send" ? [utf8Bytes(command.body), limits.mailBytesMax] : [bytesOf(command), limits.textBytesMax];
	if (bytes > limit) return refuse("TOO_LARGE", `This has ${bytes} bytes; the limit is ${limit}.`, { details: { bytes, limit } });
	return {
		command,
		bytes,
		actor: request.actor,
		at: clock.now(),
		key: request.key,
		fingerprint: request.key === null ? "" : ids.digest(JSON.stringify([request.actor, command])),
		freshId: ids.agentId(),
		salt: ids.salt(),
	};
}

const depthMax = 64;

/** Deeper than any sane value, or with a key that means something else to JavaScript than to JSON. */
function isOddlyShaped(root: unknown): boolean {
	let level: unknown[] = [root];
	for (let depth = 0; level.length > 0; depth++) {
		const objects = level.filter((value) => typeof value === "object" && value !== null);
		if (objects.length > 0 && depth > depthMax) return true;
		if (objects.some((value) => Object.hasOwn(value, "__proto__"))) return true;
		level = objects.flatMap((value): unknown[] => Object.values(value));
	}
	return false;
}

/** The size of what people and agents write at length; everything else is bounded by its schema. */
function bytesOf(command: Command): number {
	switch (command.type) {
		case "item.append":
			return utf8Bytes(command.text ?? "") + (command.data === null ? 0 : utf8Bytes(JSON.stringify(command.data)));
		case "turn.append":
			return Math.max(...command.items.map(({ text, data }) => utf8Bytes(text ?? "") + (data === null ? 0 : utf8Bytes(JSON.stringify(data)))));
		case "turn.end":
			return utf8Bytes(command.text ?? "");
		case "prompt.queue":
			return utf8Bytes(command.text);
		case "agent.spawn":
			return utf8Bytes(command.prompt ?? "");
		case "agent.configure":
			return utf8Bytes([command.systemPrompt ?? "", ...(command.pinned ?? [])].join());
		default:
			return 0;
	}
}

function issuesOf(error: z.ZodError): { path: string; message: string }[] {
	return error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
}
