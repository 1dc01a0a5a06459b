// `brood mcp`: the tools over standard input and output, for the agent whose process started it.
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Client } from "#client/client.ts";
import { mcpServer } from "./server.ts";

export interface AgentEnvironment {
	url: string | undefined;
	token: string | undefined;
	agent: string | undefined;
}

/** False outside of an agent's process, where the address of the daemon is unknown. */
export function serveTools({ url, token, agent }: AgentEnvironment): boolean {
	if (url === undefined || token === undefined || agent === undefined) return false;
	const client = new Client({ url, token });
	serveStdio(() => mcpServer({ client, self: agent }));
	return true;
}
