// A request and its answer, between Node's server and the app.
//
// There is no `Request` and `Response` of the web here: Node loads its whole HTTP client with them, which is one
// twentieth of an idle daemon's memory. `node:http` is not imported as a module for the same reason: that reads every
// export, and one of them is the client's.
import type { IncomingMessage, ServerResponse } from "node:http";

export interface HttpRequest {
	/** in capitals */
	method: string;
	/** without the query, as it was sent */
	path: string;
	/** without the question mark */
	query: string;
	headers: RequestHeaders;
	/** The body; null if it has more bytes than that. */
	text(bytesMax: number): Promise<string | null>;
	/** aborted when the caller leaves before it has its answer */
	readonly gone: AbortSignal;
}

/** By their names in small letters. A header that was sent twice has both values, with a comma between them. */
export type RequestHeaders = ReadonlyMap<string, string>;

export interface HttpResponse {
	status: number;
	headers: Readonly<Record<string, string>>;
	body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

/** Null if the target is neither a path nor a URL of this server. */
export function requestOf(request: IncomingMessage, response: ServerResponse): HttpRequest | null {
	const [, target] = /^(?:https?:\/\/[^/?#]*)?(\/[^#]*)/i.exec(request.url ?? "") ?? [];
	if (target === undefined) return null;
	const question = target.indexOf("?");
	let gone: AbortController | null = null;
	return {
		method: request.method ?? "GET",
		path: question === -1 ? target : target.slice(0, question),
		query: question === -1 ? "" : target.slice(question + 1),
		headers: headersOf(request),
		text: (bytesMax) => bodyOf(request, response, bytesMax),
		get gone() {
			if (gone === null) {
				const controller = new AbortController();
				gone = controller;
				const left = (): void => (response.writableFinished ? undefined : controller.abort());
				if (response.closed) left();
				else response.once("close", left);
			}
			return gone.signal;
		},
	};
}

export const headersOf = ({ headersDistinct }: Pick<IncomingMessage, "headersDistinct">): RequestHeaders =>
	new Map(
		Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(name === "cookie" ? "; " : ", ")]),
	);

function bodyOf(request: IncomingMessage, response: ServerResponse, bytesMax: number): Promise<string | null> {
	if (Number(request.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve(null);
	// the caller waits for this before it sends the body
	if (request.headers.expect !== undefined) response.writeContinue();
	const { promise, resolve, reject } = Promise.withResolvers<string | null>();
	const chunks: Buffer[] = [];
	let bytes = 0;
	request.on("data", (chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes <= bytesMax) chunks.push(chunk);
		else {
			// the rest is read and dropped, so that the caller gets to the answer
			chunks.length = 0;
			resolve(null);
		}
	});
	request.once("end", () => resolve(new TextDecoder().decode(Buffer.concat(chunks))));
	request.once("error", reject);
	return promise;
}

export async function send(response: ServerResponse, { status, headers, body }: HttpResponse): Promise<void> {
	if (body === null || typeof body === "string" || body instanceof Uint8Array) {
		const bytes = body === null ? 0 : Buffer.byteLength(body);
		response.writeHead(status, { ...headers, "content-length": bytes }).end(body ?? undefined);
		return;
	}
	response.writeHead(status, headers);
	for await (const chunk of body) {
		// leaving the loop cancels the source
		if (response.destroyed) return;
		if (!response.write(chunk)) await drained(response);
	}
	response.end();
}

/** Resolves when the socket has room again, or is closed: then nothing is written any more. */
export async function drained(out: ServerResponse): Promise<void> {
	if (!out.writableNeedDrain || out.destroyed) return;
	const { promise, resolve } = Promise.withResolvers<void>();
	const resume = (): void => resolve();
	out.once("drain", resume).once("close", resume);
	await promise;
	out.off("drain", resume).off("close", resume);
}
