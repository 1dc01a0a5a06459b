// The agent type `shell`: the prompt is a command, run in the agent's folder.
import { runCommand } from "./command.ts";
import { speak, TurnFailed } from "./speak.ts";

speak("shell", async (prompt, voice) => {
	let failed: Error | null = null;
	await voice.tool(prompt.split("\n", 1)[0] ?? prompt, "execute", async (soFar) => {
		try {
			return await runCommand(prompt, voice.signal, soFar);
		} catch (error) {
			failed = error instanceof Error ? error : new Error(String(error));
			throw failed;
		}
	});
	if (failed !== null && !voice.signal.aborted) throw new TurnFailed("The command failed.");
});
