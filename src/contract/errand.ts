// An errand: a request that one node was asked and another one carries out, because the files or processes are there.
// It travels as a row of the store, as it was sent; nothing of it is in the journal.
import { z } from "zod";
import { Actor, IdempotencyKey } from "./ids.ts";
import type { NodeEpoch, NodeId } from "./node.ts";
import { PersonRole } from "./person.ts";
import { type Refusal, refusalCodes } from "./refusal.ts";
import { RefusalSchema } from "./refusal-schema.ts";

/** The request, parsed again by the node that carries it out. */
export const ErrandRequest = z.strictObject({
	/** the name of the route */
	route: z.string(),
	params: z.record(z.string(), z.string()),
	query: z.string(),
	body: z.string(),
	actor: Actor,
	/** null for an agent */
	role: PersonRole.nullable(),
	key: IdempotencyKey.nullable(),
});
export type ErrandRequest = z.infer<typeof ErrandRequest>;

/** The answer, word for word. */
export const ErrandAnswer = z.strictObject({ status: z.int(), body: z.string() });
export type ErrandAnswer = z.infer<typeof ErrandAnswer>;

/** What the body of an answer has. */
export const ErrandResult = z.object({ data: z.unknown().optional(), error: RefusalSchema.optional() });

/** `node` and `epoch` are those of the daemon that has to do it; no other ever will. */
export interface Errand extends NodeEpoch {
	/** made by the asker, so that asking twice asks once */
	id: string;
	asker: NodeId | null;
	request: string;
	at: number;
}

export const refusedAnswer = (refusal: Refusal): ErrandAnswer => ({
	status: refusalCodes[refusal.code].status,
	body: JSON.stringify({ error: refusal }),
});
