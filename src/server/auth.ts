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
	/** accepted `Host` headers */
	hosts: readonly string[];
}

/** The actor of a request, or null if it is not authenticated. */
export function actorOf(headers: Headers, { token, tokens, hosts }: Guard): Actor | null {
	const origin = headers.get("origin");
	// `localhost` without a port is what programs send over the Unix socket; a browser always sends our port
	if (!hosts.includes(headers.get("host") ?? "") && headers.get("host") !== "localhost") return null;
	if (origin !== null && !hosts.some((host) => origin === `http://${host}`)) return null;
	// two headers arrive as one with a comma, which no token contains
	const [, bearer = ""] = /^Bearer ([A-Za-z0-9_-]{1,200})$/.exec(headers.get("authorization") ?? "") ?? [];
	if (equal(bearer, token)) return human;
	const agent = tokens.agentOf(bearer);
	return agent === undefined ? null : actingAgent(agent);
}

/** Proves to a client that this is its daemon, before it sends its token; null if the nonce is not valid. */
export function proofFor(nonce: string | undefined, { token, hosts }: Guard): string | null {
	const [host] = hosts;
	if (host === undefined || nonce === undefined || !nonceRule.test(nonce)) return null;
	return createHmac("sha256", token).update(proofText(host, nonce)).digest("base64url");
}

/** In constant time. */
function equal(given: string, expected: string): boolean {
	const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(expected)) && expected !== "";
}
