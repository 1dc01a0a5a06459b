// The agent types that are ours, and how their programs are started.
import type { AgentProgram } from "#adapters/driver/programs.ts";
import { programPath } from "#local/programs.ts";

const own = (name: "scripted" | "shell" | "llm"): AgentProgram => ({
	command: process.execPath,
	args: [programPath(`agents/${name}`)],
	leavesNothing: true,
});

export const ownPrograms: Readonly<Record<string, AgentProgram>> = {
	scripted: own("scripted"),
	shell: own("shell"),
	llm: {
		...own("llm"),
		environmentPattern: /^(ANTHROPIC|OPENAI|GOOGLE_GENERATIVE_AI|GEMINI|COMPATIBLE)_(API_KEY|BASE_URL)$/,
	},
};
