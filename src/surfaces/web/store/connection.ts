// How the browser talks to the daemon: same origin, with the session's cookie and the second secret of this origin.
import { Client, type Send } from "#client/client.ts";
import { secretHeader } from "#contract/browser.ts";

/** Cookies ignore ports, origins do not: this secret is what keeps a page on another port out. */
const secretKey = "brood.secret";

export const keepSecret = (secret: string): void => localStorage.setItem(secretKey, secret);

function headers(): Record<string, string> {
	const secret = localStorage.getItem(secretKey);
	return secret === null ? {} : { [secretHeader]: secret };
}

const send: Send = async (url, request) => {
	const response = await fetch(url, { ...request, credentials: "same-origin", cache: "no-store" });
	return { ok: response.ok, text: () => response.text(), chunks: chunksOf(response) };
};

/** Not every browser can iterate over a body. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
	const reader = body?.getReader();
	for (;;) {
		const read = await reader?.read();
		if (read?.value === undefined) return;
		yield read.value;
	}
}

export const connect = (): Client => new Client({ url: location.origin, headers }, send);

/** An idempotency key for one thing that a person does. */
export const freshKey = (): string => crypto.randomUUID();

/** The time on this machine's clock; the mirror knows how far the daemon's is ahead. */
export const localNow = (): number => performance.timeOrigin + performance.now();
