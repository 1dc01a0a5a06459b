// The generated parts of docs/user/terminal.md: keys, slash commands and pictures, from the code that runs them.
import { keyTable } from "../src/surfaces/tui/help.ts";
import { slashCommands } from "../src/surfaces/tui/slash-commands.ts";
import { terminalFrames } from "./terminal-frames.ts";

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
	const parts = {
		keys: keys.join("\n\n"),
		commands: ["| command | what it does |", "|---|---|", ...commands].join("\n"),
	};
	const frames = Object.entries(terminalFrames()).map(([name, rows]): [string, string] => [
		`frame ${name}`,
		["```", ...rows, "```"].join("\n"),
	]);
	return [...Object.entries(parts), ...frames].reduce((text, [name, part]) => between(text, name, part), current);
}

function between(text: string, name: string, part: string): string {
	const [begin, end] = [`<!-- ${name}: generated -->`, `<!-- end of ${name} -->`];
	const [from, to] = [text.indexOf(begin), text.indexOf(end)];
	if (from < 0 || to < 0) throw new Error(`docs/user/terminal.md has no place for the ${name}`);
	return `${text.slice(0, from + begin.length)}\n${part}\n${text.slice(to)}`;
}
