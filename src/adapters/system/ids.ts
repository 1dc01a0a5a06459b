import { createHash, randomBytes, randomUUID } from "node:crypto";
import { AgentId, IdempotencyKey } from "#contract/ids.ts";
import type { Ids } from "#engine/ports/clock.ts";

export const randomIds: Ids = {
	agentId,
	key: () => IdempotencyKey.parse(randomUUID()),
	// the first twelve digits of a v4 UUID are random, and Node draws them in bulk
	salt: () => randomUUID().replaceAll("-", "").slice(0, 12),
	secret: () => randomBytes(32).toString("base64url"),
	digest: (text) => createHash("sha256").update(text).digest("base64url"),
};

/** A v4 UUID in 22 characters. One that begins with `-` or `_` would look like an option: throw it away. */
function agentId(): AgentId {
	for (;;) {
		const text = Buffer.from(randomUUID().replaceAll("-", ""), "hex").toString("base64url");
		if (text[0] !== "-" && text[0] !== "_") return AgentId.parse(text);
	}
}
