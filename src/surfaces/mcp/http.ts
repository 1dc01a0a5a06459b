// The tools over HTTP, served by the daemon. Their calls go through the routes and the guard inside the process,
// without a network request.
import { createMcpHandler } from "@modelcontextprotocol/server";
import { Client, fromResponse } from "#client/client.ts";
import { mcpServer } from "./server.ts";

export interface McpRequest {
	request: Request;
	/** the id of the agent whose token came with it, and the token */
	self: string;
	token: string;
}

type Fetch = (request: Request) => Response | Promise<Response>;

/** `routes` answers for the daemon at `url`. */
export async function answerMcp(
	{ request, self, token }: McpRequest,
	{ url, routes }: { url: string; routes: Fetch },
): Promise<Response> {
	const host = new URL(url).host;
	const client = new Client({ url, token }, async (to, { headers, ...rest }) =>
		fromResponse(await routes(new Request(to, { ...rest, headers: { ...headers, host } }))),
	);
	return await createMcpHandler(() => mcpServer({ client, self })).fetch(request);
}
