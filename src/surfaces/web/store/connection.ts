// How the browser talks to the daemon: same origin, with the session's cookie and the second secret of this origin.
import { Client, fromResponse, type Send } from "#client/client.ts";

/** Cookies ignore ports, origins do not: this secret is what keeps a page on another port out. */
const secretKey = "brood.secret";
const secretHeader = "x-brood-secret";

export const secretOfOrigin = (): string | null => localStorage.getItem(secretKey);
export const keepSecret = (secret: string): void => localStorage.setItem(secretKey, secret);

const send: Send = async (url, { headers: { authorization: _, ...headers }, ...request }) => {
	const secret = secretOfOrigin();
	const all = secret === null ? headers : { ...headers, [secretHeader]: secret };
	return fromResponse(await fetch(url, { ...request, headers: all, credentials: "same-origin", cache: "no-store" }));
};

export const connect = (): Client => new Client({ url: location.origin, token: "" }, send);

/** An idempotency key for one thing that a person does. */
export const freshKey = (): string => crypto.randomUUID();

/** The time on this machine's clock; the mirror knows how far the daemon's is ahead. */
export const localNow = (): number => performance.timeOrigin + performance.now();
