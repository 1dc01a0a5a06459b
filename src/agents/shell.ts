// The agent type `shell`: the prompt is a command, run in the agent's folder.

import { serveAgent, TurnFailed } from "./acp-agent.ts";
import { runShell } from "./run-shell.ts";

serveAgent("shell", async (prompt, reporter) => {
	let failed: Error | null = null;
	await reporter.tool(prompt.split("\n", 1)[0] ?? prompt, "execute", async (soFar) => {
		try {
			return await runShell(prompt, reporter.signal, soFar);
		} catch (error) {
			failed = error instanceof Error ? error : new Error(String(error));
			throw failed;
		}
	});
	if (failed !== null && !reporter.signal.aborted) throw new TurnFailed("The command failed.");
});
