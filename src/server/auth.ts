// Authentication, here and nowhere else. Every route but health, proof and sign-in needs our own Host, from a browser
// our own Origin (against DNS rebinding), and one of
//
//   a token in `Authorization`            programs: the owner's token, a person's, or that of a living agent process
//   a cookie and `x-brood-proof`, both    the dashboard: cookies ignore ports, so a page that an agent serves on
//                                         another port of this machine has the cookie too, but it cannot read our
//                                         page's storage, where the second secret is. The header proves that the page
//                                         has it, for this start of the daemon
//
// All failures get the same answer.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Browser } from "#contract/browser.ts";
import { proofHeader } from "#contract/browser-proof.ts";
import { type Actor, type AgentId, actingAgent, actingPerson, human, type PersonName } from "#contract/ids.ts";
import type { PersonRole, PersonState } from "#contract/person.ts";
import { nonceRule, proofText } from "#contract/proof.ts";
import { refuse } from "#contract/refusal.ts";
import type { Browsers } from "./browsers.ts";
import type { RequestHeaders } from "./exchange.ts";

/** The one answer to every failure. */
export const unauthorized = refuse("UNAUTHORIZED", "This needs a valid token.");

/** One listener: what is accepted there. */
export interface Guard {
	/** the owner's token, from the home's file; another one after it was replaced. Empty where it is not accepted */
	token: string;
	/** the tokens of agents' processes */
	tokens: { agentOf(token: string): AgentId | undefined };
	persons: { named(name: PersonName): PersonState | undefined; withHash(tokenHash: string): PersonState | undefined };
	scheme: "http" | "https";
	/** accepted `Host` headers */
	hosts: readonly string[];
	browsers: Browsers;
}

interface Authenticated {
	actor: Actor;
	/** null for an agent */
	role: PersonRole | null;
	/** when this ends by itself; null for tokens */
	leftMs: number | null;
	/** null for tokens */
	browser: Browser["id"] | null;
}

/** Who makes a request, or null if it is not authenticated. */
export function authenticated(headers: RequestHeaders, guard: Guard): Authenticated | null {
	if (!isForUs(headers, guard)) return null;
	const proof = headers.get(proofHeader);
	if (proof !== undefined && !headers.has("authorization")) {
		const [cookies, host] = [headers.get("cookie") ?? "", headers.get("host") ?? ""];
		const browser = isOwnPage(headers) ? guard.browsers.signedIn(cookies, proof, host) : null;
		if (browser === null) return null;
		const { id, leftMs, person: name } = browser;
		if (name === null) return { actor: human, role: "admin", leftMs, browser: id };
		const person = guard.persons.named(name);
		return person === undefined ? null : { ...speaking(person), leftMs, browser: id };
	}
	const caller = byToken(headers, guard);
	return caller && { ...caller, leftMs: null, browser: null };
}

const speaking = ({ name, role }: PersonState) => ({ actor: actingPerson(name), role });

/** Whether the request was made to us, by a program or by a page of ours. */
export function isForUs(headers: RequestHeaders, { hosts, scheme }: Pick<Guard, "hosts" | "scheme">): boolean {
	const origin = headers.get("origin");
	// `localhost` without a port is what programs send over the Unix socket; a browser always sends our port
	const isOnSocket = scheme === "http" && headers.get("host") === "localhost";
	if (!hosts.includes(headers.get("host")?.toLowerCase() ?? "") && !isOnSocket) return false;
	return origin === undefined || hosts.some((host) => origin === `${scheme}://${host}`);
}

/** Whether a page of ours may sign in: a browser names the page's origin with every POST. */
export const maySignIn = (headers: RequestHeaders, guard: Pick<Guard, "hosts" | "scheme">): boolean =>
	isForUs(headers, guard) && headers.get("origin") === `${guard.scheme}://${headers.get("host")}` && isOwnPage(headers);

/** Browsers say where a request comes from; for one that does not, `Origin` and the second secret decide. */
const isOwnPage = (headers: RequestHeaders): boolean =>
	(headers.get("sec-fetch-site") ?? "same-origin") === "same-origin";

function byToken(
	headers: RequestHeaders,
	{ token, tokens, persons }: Guard,
): Pick<Authenticated, "actor" | "role"> | null {
	// two headers arrive as one with a comma, which no token contains
	const [, bearer = ""] = /^Bearer ([A-Za-z0-9_-]{1,200})$/.exec(headers.get("authorization") ?? "") ?? [];
	if (equal(bearer, token)) return { actor: human, role: "admin" };
	const agent = tokens.agentOf(bearer);
	if (agent !== undefined) return { actor: actingAgent(agent), role: null };
	const person = bearer === "" ? undefined : persons.withHash(createHash("sha256").update(bearer).digest("hex"));
	return person === undefined ? null : speaking(person);
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
