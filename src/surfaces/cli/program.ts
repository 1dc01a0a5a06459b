// The command tree. Only the parser is loaded here; a command's code is loaded when it runs.
import { Command, Help } from "@commander-js/extra-typings";
import { refuse } from "#contract/refusal.ts";
import { asJson, indented, visible } from "#contract/visible.ts";
import { version } from "#src/version.ts";
import { agentSubcommands } from "./agent-subcommands.ts";
import { approvalSubcommands } from "./approval-subcommands.ts";
import { completionSubcommands } from "./completion.ts";
import { daemonSubcommands } from "./daemon-subcommands.ts";
import { issueSubcommands } from "./issue-subcommands.ts";
import { mcpSubcommand } from "./mcp-subcommand.ts";
import { narrow } from "./named-subcommands.ts";
import { nodeSubcommands } from "./node-subcommands.ts";
import { personSubcommands } from "./person-subcommands.ts";
import { queueSubcommands } from "./queue-subcommands.ts";
import { runSubcommand } from "./run-subcommand.ts";
import { subscriptionSubcommands } from "./subscription-subcommands.ts";
import { threadSubcommands } from "./thread-subcommands.ts";
import { usageSubcommands } from "./usage-subcommands.ts";
import { waitSubcommand } from "./wait-subcommand.ts";

const lastOptions = ["--project", "--json", "--help"];

/** The commands that these words name, as far as they name one; all commands without words. */
export function program(words: readonly string[] = []): Command {
	// completion walks the whole tree
	if (words[0] === "complete") return program();
	const made = new Command("brood")
		.version(version)
		.description("A process manager for coding agents")
		// `style.ts` takes it out of the arguments before they are parsed
		.option("--color <when>", "colours: always, never, or auto (the default: on a terminal, unless NO_COLOR is set)")
		.showSuggestionAfterError()
		// an option after a command is that command's: `ui list --json` asks for the list as JSON
		.enablePositionalOptions()
		.configureHelp({
			showGlobalOptions: true,
			// that an option is off, or empty, unless it is given needs no words
			optionDescription: (option) => new Help().optionDescription(option).replace(/ \(default: (?:false|"")\)$/, ""),
			// a command's own options come before those that many commands have
			visibleOptions: (command) =>
				new Help()
					.visibleOptions(command)
					.toSorted((one, other) => lastOptions.indexOf(one.long ?? "") - lastOptions.indexOf(other.long ?? "")),
		})
		.addHelpText(
			"after",
			"\nExamples:\n  brood run 'fix the failing test'\n  brood ps --watch\n  brood diff opus-1\n  brood fork opus-1 'try it the other way'\n\nAlone, `brood` opens the terminal.",
		);
	// arguments that the parser refuses exit with 2
	const json = process.argv.includes("--json");
	const inherited = {
		outputError: (text: string, write: (text: string) => void): void => write(withGroup(made, text)),
		writeErr: (text: string): void =>
			void process.stderr.write(
				json
					? `${asJson({ error: refuse("VALIDATION_ERROR", text.trim().replace(/^error: /, "")) })}\n`
					: `${visible(indented(text.trimEnd(), "  "))}\n`,
			),
	};
	made.configureOutput(inherited).exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
	const narrowed = narrow(made, words);
	runSubcommand(made);
	daemonSubcommands(made);
	agentSubcommands(made);
	queueSubcommands(made);
	waitSubcommand(made);
	mcpSubcommand(made);
	approvalSubcommands(made);
	issueSubcommands(made);
	made.commandsGroup("Subscriptions, people and machines:");
	subscriptionSubcommands(made);
	personSubcommands(made);
	nodeSubcommands(made);
	usageSubcommands(made);
	threadSubcommands(made);
	made.commandsGroup("Shell:");
	completionSubcommands(made);
	return narrowed.missed() ? program() : made;
}

/** Names the full command for one that was typed without its group: `brood recover` is `brood agent recover`. */
function withGroup(root: Command, text: string): string {
	const [, word] = /unknown command '([^']+)'/.exec(text) ?? [];
	if (word === undefined) return text;
	const groups = root.commands.filter(({ commands }) =>
		commands.some((each) => each.name() === word || each.aliases().includes(word)),
	);
	if (groups.length === 0 || groups.length > 3) return text;
	const full = groups.map((group) => `brood ${group.name()} ${word}`).join(" or ");
	return `${text.split("\n", 1)[0]}\n(It is ${full}.)\n`;
}
