// An agent of another vendor, as small as can be: it starts the servers of tools that it is given, and each line of a
// prompt is a tool with its input: `fork {"prompt": "say hello"}`. It says what each tool answered.
import { Readable, Writable } from "node:stream";
import { agent, type McpServer, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

let servers: readonly McpServer[] = [];
let said = 0;

const connection = agent({ name: "tool-agent" })
	.onRequest(methods.agent.initialize, async () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
	.onRequest(methods.agent.session.new, async ({ params }) => {
		servers = params.mcpServers;
		return { sessionId: "1" };
	})
	.onRequest(methods.agent.session.prompt, async ({ params, client }) => {
		const text = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n");
		for (const line of text.split("\n")) {
			const [, name = "", input = "{}"] = /^(\w+)(?: (\{.*\}))?$/.exec(line) ?? [];
			const content = {
				type: "text" as const,
				text: name === "" ? `heard: ${line}` : await use(name, JSON.parse(input)),
			};
			await client.notify(methods.client.session.update, {
				sessionId: params.sessionId,
				update: { sessionUpdate: "agent_message_chunk", messageId: `m-${++said}`, content },
			});
		}
		return { stopReason: "end_turn" as const };
	})
	.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
void connection.closed.then(() => process.exit(0));

async function use(name: string, input: Record<string, unknown>): Promise<string> {
	const server = servers[0];
	if (server === undefined || !("command" in server)) return "no tools were given";
	const env = Object.fromEntries(server.env.map((each) => [each.name, each.value]));
	const mcp = new Client({ name: "tool-agent", version: "1" });
	await mcp.connect(new StdioClientTransport({ command: server.command, args: server.args, env }));
	try {
		if (name === "list") return (await mcp.listTools()).tools.map((tool) => tool.name).join(" ");
		const result = await mcp.callTool({ name, arguments: input });
		return JSON.stringify({
			error: result.isError === true,
			text: result.content.map((each) => (each.type === "text" ? each.text : "")).join(""),
		});
	} finally {
		await mcp.close();
	}
}
