// The agent types that are ours, and how their programs are started.
import { type AgentProgram, missingProgram, programsFrom, programTypes } from "#adapters/driver/programs.ts";
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

/** Our own agents, and the vendors' that are installed. */
export function typesHere(
	own: Readonly<Record<string, AgentProgram>>,
	adapters: string,
	searchPath: string | undefined,
): string[] {
	const find = programsFrom({ own, adapters });
	const there = programTypes.filter((type) => missingProgram(find, { type, program: null }, searchPath) === null);
	return [...new Set([...Object.keys(own), ...there])].filter((type) => type !== "acp").sort();
}
