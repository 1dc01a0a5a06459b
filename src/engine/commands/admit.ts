// The first step of a command: it is parsed, measured and stamped with time, ids and randomness.
import type { z } from "zod";
import { Command, type Envelope } from "#contract/command.ts";
import { type Limits, utf8Bytes } from "#contract/limits.ts";
import type { NodeId } from "#contract/node.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { validationMessage } from "#contract/validation-message.ts";
import { type Clock, type Ids, monotonicNow } from "../ports/clock.ts";
import type { CommandRequest } from "../ports/dispatch.ts";
import { definitionOf } from "./table.ts";

export interface Stamps {
	clock: Clock;
	ids: Ids;
	limits: Limits;
	/** the node that is asked; null where nodes do not matter */
	nodeId?: NodeId | null;
}

export function admit(request: CommandRequest, { clock, ids, limits, nodeId = null }: Stamps): Envelope | Refusal {
	if (isOddlyShaped(request.command))
		return refuse("VALIDATION_ERROR", `A command is at most ${depthMax} levels deep and has no key __proto__.`);
	const parsed = Command.safeParse(request.command);
	if (!parsed.success)
		return refuse("VALIDATION_ERROR", validationMessage(parsed.error), {
			details: { invalidFields: invalidFieldsIn(parsed.error) },
		});
	const command = parsed.data;
	const { texts, textLimit, identity } = definitionOf(command);
	const sizes = texts(command).map(utf8Bytes);
	const largest = Math.max(0, ...sizes);
	const limit = limits[textLimit];
	if (largest > limit)
		return refuse("TOO_LARGE", `This has ${largest} bytes; the limit is ${limit}.`, {
			details: { bytes: largest, limit },
		});
	const [at, monotonic] = [clock.now(), monotonicNow(clock)];
	const {
		key,
		receipt,
		fingerprint = key === null ? "" : ids.digest(JSON.stringify([request.actor, identity(command)])),
	} = request;
	return {
		command,
		bytes: sizes.reduce((sum, size) => sum + size, 0),
		actor: request.actor,
		at,
		monotonic,
		key,
		fingerprint,
		freshId: ids.agentId(),
		salt: ids.salt(),
		node: nodeId,
		...(receipt && { receipt: { ...receipt, at: monotonic } }),
		...(request.partials && { partials: request.partials }),
	};
}

const depthMax = 64;

/** Deeper than `depthMax`, or with a key that JavaScript treats specially. */
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

function invalidFieldsIn(error: z.ZodError): { path: string; message: string }[] {
	return error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
}
