// How the browser talks to the daemon: same origin, with this browser's cookie and a proof of the second secret of this
// origin.
import { Client, type Send } from "#client/client.ts";
import { withProof } from "./browser-secret.ts";

const send: Send = async (url, { headers, ...request }) => {
	const response = await withProof(
		async (proof) =>
			await fetch(url, {
				...request,
				headers: { ...headers, ...proof },
				credentials: "same-origin",
				cache: "no-store",
			}),
	);
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

export const connect = (): Client => new Client({ url: location.origin, headers: () => ({}) }, send);

/** An idempotency key for one thing that a person does. */
export const freshKey = (): string => crypto.randomUUID();

/** The time on this machine's clock; the mirror knows how far the daemon's is ahead. */
export const localNow = (): number => performance.timeOrigin + performance.now();
