// Authentication. Every route but health needs a token, our own Host and, from a browser, our own Origin (against DNS
// rebinding). All failures get the same answer.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { type Actor, actingAgent, human } from "#contract/ids.ts";
import { nonceRule, proofText } from "#contract/proof.ts";
import type { Tokens } from "#engine/tokens.ts";

export interface Guard {
	/** the person's token, from the home's file; another one after it was replaced */
	token: string;
	tokens: Tokens;
	/** `host:port` as the daemon may be called */
	hosts: readonly string[];
}

/** The actor behind a request, or null if it is to be turned away. */
export function actorOf(headers: Headers, { token, tokens, hosts }: Guard): Actor | null {
	const origin = headers.get("origin");
	// a browser names the port as well, unless it is none of ours; this is what other programs say on the Unix socket
	if (!hosts.includes(headers.get("host") ?? "") && headers.get("host") !== "localhost") return null;
	if (origin !== null && !hosts.some((host) => origin === `http://${host}`)) return null;
	// two headers of this name arrive as one with a comma in it, which no token has
	const [, bearer = ""] = /^Bearer ([A-Za-z0-9_-]{1,200})$/.exec(headers.get("authorization") ?? "") ?? [];
	if (equal(bearer, token)) return human;
	const agent = tokens.agentOf(bearer);
	return agent === undefined ? null : actingAgent(agent);
}

/** Shows a client that this is the daemon it means, before it says its token; null if there is nothing to sign. */
export function proofFor(nonce: string | undefined, { token, hosts }: Guard): string | null {
	const [host] = hosts;
	if (host === undefined || nonce === undefined || !nonceRule.test(nonce)) return null;
	return createHmac("sha256", token).update(proofText(host, nonce)).digest("base64url");
}

/** In a time that does not tell how much of it was right. */
function equal(given: string, expected: string): boolean {
	const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(expected)) && expected !== "";
}
