// The tools for agents, over the Model Context Protocol. Each calls the daemon's routes with the token of the agent's
// process, and can do exactly what that token allows.
import { McpServer } from "@modelcontextprotocol/server";
import type { Client } from "#client/client.ts";
import { refusalText, type ToolName, toolNames, tools, useTool } from "#client/tools.ts";
import { isRefusal } from "#contract/refusal.ts";
import { version } from "#src/version.ts";

export interface McpCaller {
	client: Client;
	/** the id of the agent */
	self: string;
}

export function mcpServer(caller: McpCaller): McpServer {
	const server = new McpServer({ name: "brood", version }, { instructions });
	for (const name of toolNames) {
		const { description, input } = tools[name];
		server.registerTool(name, { description, inputSchema: input }, (given: unknown) => answer(caller, name, given));
	}
	return server;
}

const instructions =
	"Brood manages the agent that you are: you can make child agents, give them work, write to other agents of your project and wait for them.";

/**
 * Text only: if an answer has structured content too, Claude Code and Codex show the model only that. Programs find
 * the data in `_meta`.
 */
async function answer({ client, self }: McpCaller, name: ToolName, input: unknown) {
	const answered = await useTool(name, input, { self, call: client.callOrRefusal });
	if (isRefusal(answered)) {
		const { code, message, details } = answered;
		return {
			isError: true,
			content: [{ type: "text" as const, text: refusalText(answered) }],
			_meta: { [dataName]: { code, message, details } },
		};
	}
	return { content: [{ type: "text" as const, text: answered.text }], _meta: { [dataName]: answered.data } };
}

const dataName = "brood/data";
