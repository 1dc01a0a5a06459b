// The tools over HTTP, served by the daemon. Their calls go through the routes and the guard inside the process,
// without a network request.
import { createMcpHandler } from "@modelcontextprotocol/server";
import { Client } from "#client/client.ts";
import { mcpServer } from "./server.ts";

interface McpRequest {
	method: string;
	path: string;
	query: string;
	headers: ReadonlyMap<string, string>;
	text(bytesMax: number): Promise<string | null>;
	gone: AbortSignal;
}

interface Answered {
	status: number;
	headers: Readonly<Record<string, string>>;
	body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

export interface McpCall {
	request: Pick<McpRequest, "method" | "headers" | "gone">;
	body: string;
	/** the id of the agent whose token came with it, and the token */
	self: string;
	token: string;
}

type App = (request: McpRequest) => Promise<Answered>;

/** `app` answers for the daemon at `url`. */
export async function answerMcp(
	{ request: { method, headers, gone }, body, self, token }: McpCall,
	{ url, app }: { url: string; app: App },
): Promise<Answered> {
	const client = new Client({ url, token }, async (to, request) => {
		const { status, body: answer } = await app(asked(to, request));
		return { ok: status < 400, text: async () => String(answer ?? ""), chunks: nothing() };
	});
	const request = new Request(`${url}/mcp`, {
		...{ method, headers: [...headers], signal: gone },
		...(body !== "" && { body }),
	});
	const response = await createMcpHandler(() => mcpServer({ client, self })).fetch(request);
	return { status: response.status, headers: Object.fromEntries(response.headers), body: response.body };
}

async function* nothing(): AsyncGenerator<never> {}

function asked(to: string, { method, headers, body = "", signal }: Sending): McpRequest {
	const { pathname, search, host } = new URL(to);
	return {
		method,
		path: pathname,
		query: search.slice(1),
		headers: new Map([...Object.entries(headers), ["host", host]]),
		text: async () => body,
		gone: signal ?? new AbortController().signal,
	};
}

interface Sending {
	method: string;
	headers: Readonly<Record<string, string>>;
	body?: string;
	signal?: AbortSignal;
}
