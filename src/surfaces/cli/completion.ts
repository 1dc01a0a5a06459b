// Completion for bash, zsh and fish: the shell asks us for the words that may come next, agents' names included.
import { Argument, type Command } from "@commander-js/extra-typings";
import { inline } from "#contract/visible.ts";

const scripts = {
	bash: `_brood() { mapfile -t COMPREPLY < <(brood complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); }
complete -F _brood brood`,
	zsh: `_brood() { compadd -- \${(f)"$(brood complete -- "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null)"} }
compdef _brood brood`,
	fish: `complete -c brood -f -a '(brood complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

export function completionCommands(program: Command): void {
	program
		.command("completion")
		.description('completion for your shell: eval "$(brood completion bash)"')
		.addArgument(new Argument("<shell>", "which").choices(["bash", "zsh", "fish"] as const))
		.action(async (shell) => (await import("./print.ts")).print(scripts[shell]));
	program
		.command("complete", { hidden: true })
		.argument("[words...]", "the line so far")
		.action(async (words) => {
			const options = await candidates(program, words);
			const last = words.at(-1) ?? "";
			(await import("./print.ts")).print(
				options
					.filter((option) => option.startsWith(last))
					.map(inline)
					.join("\n"),
			);
		});
}

interface Node {
	commands: readonly Node[];
	name(): string;
	options: readonly { long?: string | undefined }[];
	registeredArguments: readonly { name(): string }[];
}

async function candidates(root: Node, words: readonly string[]): Promise<string[]> {
	let node = root;
	let arguments_ = 0;
	for (const word of words.slice(0, -1)) {
		const next = node.commands.find((command) => command.name() === word);
		if (next !== undefined) node = next;
		else if (!word.startsWith("-")) arguments_++;
	}
	if (words.at(-1)?.startsWith("-")) return node.options.flatMap(({ long }) => long ?? []);
	if (node.commands.length > 0)
		return node.commands.map((command) => command.name()).filter((name) => name !== "complete");
	return node.registeredArguments[arguments_]?.name() === "agent" ? await agentNames() : [];
}

/** Of a daemon that runs; completion starts none. */
async function agentNames(): Promise<string[]> {
	const { running } = await import("./connect.ts");
	const found = await running().catch(() => null);
	const agents = (await found?.client.call("agents", { query: {} }).catch(() => [])) ?? [];
	return agents.map((agent) => (agent.project === null ? agent.handle : `${agent.project}/${agent.handle}`));
}
