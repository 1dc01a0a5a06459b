// Completion for bash, zsh and fish: the shell asks us for the possible next words, the most likely first.
import { Argument, type Command } from "@commander-js/extra-typings";
import { inline } from "#contract/visible.ts";

/** Where `brood complete` fails, such as after `--file`, the shell completes files as it always does. */
const scripts = {
	bash: `_brood() {
  local found
  found=$(brood complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || compopt -o default
  COMPREPLY=()
  [[ -z $found ]] || mapfile -t COMPREPLY <<< "$found"
}
complete -o nosort -F _brood brood 2>/dev/null || complete -F _brood brood`,
	zsh: `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
_brood() {
  local found
  if found="$(brood complete -- "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null)"; then
    local -a names=(\${(f)found})
    compadd -V brood -a names
  else _files; fi
}
compdef _brood brood`,
	fish: `function __brood_complete
  set -l found (brood complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  and printf '%s\\n' $found
  or __fish_complete_path (commandline -ct)
end
complete -c brood -f -k -a '(__brood_complete)'`,
};

export function completionSubcommands(program: Command): void {
	program
		.command("completion")
		.description('print a completion script: eval "$(brood completion bash)"')
		.addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"] as const))
		.action(async (shell) => (await import("./print.ts")).print(scripts[shell]));
	program
		.command("complete", { hidden: true })
		.argument("[words...]", "the line so far")
		.action(async (words) => {
			const last = words.at(-1) ?? "";
			const known = await candidates(program, words);
			if (known === null) process.exitCode = 1;
			const options = known?.filter((option) => option.startsWith(last)) ?? [];
			if (options.length > 0) (await import("./print.ts")).print(options.map(inline).join("\n"));
		});
}

interface Value {
	name(): string;
	argChoices?: readonly string[] | undefined;
}

interface OptionShape extends Value {
	long?: string | undefined;
	short?: string | undefined;
	required: boolean;
	optional: boolean;
	variadic: boolean;
}

interface CommandShape {
	commands: readonly CommandShape[];
	name(): string;
	aliases(): readonly string[];
	options: readonly OptionShape[];
	registeredArguments: readonly (Value & { variadic: boolean })[];
}

/** Null where it may be anything, such as a file or a text. */
async function candidates(root: CommandShape, words: readonly string[]): Promise<readonly string[] | null> {
	const path = [root];
	const given: string[] = [];
	/** the option whose value comes next */
	let open: OptionShape | undefined;
	for (const word of words.slice(0, -1)) {
		const current = path.at(-1) ?? root;
		const isValue = open !== undefined && !word.startsWith("-");
		if (isValue && open?.variadic !== true) open = undefined;
		if (isValue) continue;
		const next = current.commands.find((command) => command.name() === word || command.aliases().includes(word));
		if (next !== undefined && given.length === 0) path.push(next);
		else if (!word.startsWith("-")) given.push(word);
		else open = current.options.find(({ long, short }) => word === long || word === short);
		if (open?.required === false && !open.optional) open = undefined;
	}
	const current = path.at(-1) ?? root;
	if (words.at(-1)?.startsWith("-")) return current.options.flatMap(({ long }) => long ?? []);
	if (open !== undefined) return await valuesOf(open, { path, words, given });
	if (current.commands.length > 0)
		return current.commands.map((command) => command.name()).filter((name) => name !== "complete");
	const argument = current.registeredArguments[given.length] ?? current.registeredArguments.at(-1);
	if (argument === undefined || (given.length >= current.registeredArguments.length && !argument.variadic)) return [];
	return (await valuesOf(argument, { path, words, given }))?.filter((value) => !given.includes(value)) ?? null;
}

interface TypedLine {
	path: readonly CommandShape[];
	words: readonly string[];
	/** the arguments before the word */
	given: readonly string[];
}

async function valuesOf(value: Value, { path, words, given }: TypedLine): Promise<readonly string[] | null> {
	if (value.argChoices !== undefined) return value.argChoices;
	const { namesFor } = await import("./complete-names.ts");
	const at = words.indexOf("--project");
	return await namesFor(value.name(), {
		verb: path.at(-1)?.name() ?? "",
		project: at < 0 || at > words.length - 3 ? undefined : words[at + 1],
		word: words.at(-1) ?? "",
		given,
	});
}
