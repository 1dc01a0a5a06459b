// The second secret of this origin. Cookies ignore ports, origins do not: it keeps pages on other ports out. It is
// never sent: while the daemon is down, another program may have its port. A request has a proof of it for the daemon
// that runs.
import { browserProof, browserProofText, proofHeader } from "#contract/browser-proof.ts";

const secretKey = "brood.secret";

export const keepSecret = (secret: string): void => localStorage.setItem(secretKey, secret);

/** Sends a request with the headers that sign it in. */
export async function withProof(send: (headers: Record<string, string>) => Promise<Response>): Promise<Response> {
	const secret = localStorage.getItem(secretKey);
	if (secret === null) return await send({});
	const proof = await (known?.secret === secret ? known.proof : newProof(secret));
	const answer = await send({ [proofHeader]: proof });
	if (answer.status !== 401) return answer;
	// a refused request had no effect; the daemon may have been started again
	const next = await newProof(secret);
	return next === proof ? answer : await send({ [proofHeader]: next });
}

let known: { secret: string; proof: Promise<string> } | null = null;

async function newProof(secret: string): Promise<string> {
	known = { secret, proof: proofOf(secret) };
	try {
		return await known.proof;
	} catch (error) {
		known = null;
		throw error;
	}
}

async function proofOf(secret: string): Promise<string> {
	const proofNonce = await readNonce();
	const digest = base64url(await crypto.subtle.digest("SHA-256", bytes(secret)));
	const key = await crypto.subtle.importKey("raw", bytes(digest), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
	const signature = await crypto.subtle.sign("HMAC", key, bytes(browserProofText(proofNonce, location.host)));
	return browserProof(proofNonce, base64url(signature));
}

/** A proof made of anything else would be refused as that of a browser that is not signed in. */
async function readNonce(): Promise<string> {
	const answer = await fetch("/api/health", { cache: "no-store" });
	const health: unknown = answer.ok ? await answer.json() : null;
	const nonce: unknown = Object(health).proofNonce;
	if (typeof nonce !== "string") throw new Error("The daemon did not say what a proof is made of.");
	return nonce;
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const base64url = (buffer: ArrayBuffer): string =>
	btoa(String.fromCharCode(...new Uint8Array(buffer)))
		.replaceAll("+", "-")
		.replaceAll("/", "_")
		.replaceAll("=", "");
