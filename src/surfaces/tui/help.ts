// The keys and the commands, with what they do.
import { painted } from "#views/paint.ts";
import { inputKeys, keymap, keyName } from "./keymap.ts";
import { widthOf, wrapped } from "./pi/text.ts";
import { slashCommands } from "./slash-commands.ts";

interface Look {
	width: number;
	colour: boolean;
}

const modeNames = {
	conversation: "In the conversation",
	input: "In the input",
	approval: "While an agent asks, and nothing is being typed (or with Alt)",
	blocks: "Among the blocks of a conversation",
	tree: "In the tree",
	list: "In any list",
	queue: "In the queue",
	mail: "In the mail",
	turns: "In the turns",
	diff: "In a diff",
} as const;

export const keyTable = (): { mode: string; rows: { keys: string; help: string }[] }[] =>
	Object.entries(modeNames).map(([mode, title]) => ({
		mode: title,
		rows: Object.entries({ ...keymap, input: inputKeys })
			.filter(([name]) => name === mode)
			.flatMap(([, entries]) => entries.map(({ keys, help }) => ({ keys: keys.map(keyName).join(", "), help }))),
	}));

export const keyRows = (look: Look): string[] =>
	keyTable().flatMap(({ mode, rows }) => [
		...wrapped(mode, look.width).map((row) => painted("strong", row, look.colour)),
		...columns(
			rows.map(({ keys, help }) => [keys, help]),
			look,
		),
		"",
	]);

export const commandRows = (look: Look): string[] =>
	columns(
		Object.entries(slashCommands).map(([name, { usage, help }]) => [`/${name} ${usage}`.trimEnd(), help]),
		look,
	);

/** what a text needs beside its name; on a narrower screen it goes below */
const textMin = 32;

/** Names on the left, what they mean on the right. Nothing is cut off. */
function columns(entries: readonly (readonly [name: string, text: string])[], { width, colour }: Look): string[] {
	const left = 4 + Math.max(...entries.map(([name]) => widthOf(name)));
	const isBeside = width - left >= textMin;
	const indent = " ".repeat(isBeside ? left : 6);
	return entries.flatMap(([name, text]) => {
		const texts = wrapped(text, Math.max(8, width - indent.length));
		if (!isBeside)
			return [...wrapped(name, width - 2).map((row) => `  ${row}`), ...texts.map((row) => indent + faint(row, colour))];
		return texts.map((row, at) => (at === 0 ? `  ${name}`.padEnd(left) : indent) + row);
	});
}

const faint = (text: string, colour: boolean): string => painted("faint", text, colour);
