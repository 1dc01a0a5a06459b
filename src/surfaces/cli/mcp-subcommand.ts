// `brood mcp`, which agents' programs start.
import type { Command } from "@commander-js/extra-typings";

export function mcpSubcommand(program: Command): void {
	program
		.command("mcp")
		.description("for agents: serve Brood's tools over standard input and output (MCP)")
		.action(async () => {
			const { serveTools } = await import("#surfaces/mcp/stdio.ts");
			const { BROOD_URL: url, BROOD_TOKEN: token, BROOD_AGENT: agent } = process.env;
			if (serveTools({ url, token, agent })) return;
			(await import("./print.ts")).printToStderr(
				"brood: The tools are for agents: a daemon starts this with BROOD_URL, BROOD_TOKEN and BROOD_AGENT.",
			);
			process.exitCode = 2;
		});
}
