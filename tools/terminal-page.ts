// The tables of docs/user/terminal.md: keys and slash commands, from the code that runs them.
import { keyTable } from "../src/surfaces/tui/help.ts";
import { slashCommands } from "../src/surfaces/tui/slash-commands.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** Replaces what is between the marks, and keeps what is written by hand. */
export function terminalPage(current: string): string {
	const keys = keyTable().map(({ mode, rows }) =>
		[
			`**${mode}**`,
			"",
			"| key | what it does |",
			"|---|---|",
			...rows.map(({ keys: names, help }) => `| ${cell(names)} | ${cell(help)} |`),
		].join("\n"),
	);
	const commands = Object.entries(slashCommands).map(
		([name, { usage, help }]) => `| \`/${cell(`${name} ${usage}`.trim())}\` | ${cell(help)} |`,
	);
	return between(
		between(current, "keys", keys.join("\n\n")),
		"commands",
		["| command | what it does |", "|---|---|", ...commands].join("\n"),
	);
}

function between(text: string, name: string, part: string): string {
	const [begin, end] = [`<!-- ${name}: generated -->`, `<!-- end of ${name} -->`];
	const [from, to] = [text.indexOf(begin), text.indexOf(end)];
	if (from < 0 || to < 0) throw new Error(`docs/user/terminal.md has no place for the ${name}`);
	return `${text.slice(0, from + begin.length)}\n${part}\n${text.slice(to)}`;
}
