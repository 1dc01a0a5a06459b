// What holds for all commands: short options, and help that begins with a verb.
import { expect, test } from "vitest";
import { commandsPage } from "#tools/commands-page.ts";
import { program } from "./program.ts";

interface Node {
	name(): string;
	aliases(): readonly string[];
	description(): string;
	commands: readonly Node[];
	options: readonly { long?: string | undefined; short?: string | undefined }[];
}

const all = commandsBelow(program(), []);

function commandsBelow(node: Node, words: readonly string[]): { words: string; node: Node }[] {
	return node.commands.flatMap((each) => {
		const below = [...words, each.name()];
		return [...commandsBelow(each, below), { words: below.join(" "), node: each }];
	});
}

test("--message, --file and the number of lines have the same letter everywhere", () => {
	const letters: Readonly<Record<string, string>> = {
		...{ "--message": "-m", "--file": "-f", "--limit": "-n" },
	};
	const found = all.flatMap(({ words, node }) =>
		node.options.flatMap(({ long = "", short }) =>
			letters[long] === undefined ? [] : [{ words, long, isRight: short === letters[long] }],
		),
	);
	expect(found.filter(({ isRight }) => !isRight)).toEqual([]);
	expect(found.length).toBeGreaterThan(12);
});

test("every example of the commands page names a command and options that exist", () => {
	const examples = [...commandsPage().matchAll(/\| `(brood [^`]*)` \|$/gm)].map(([, example = ""]) => example);
	expect(examples.length).toBeGreaterThan(100);
	expect(examples.filter((example) => wrongIn(example) !== null)).toEqual([]);
	expect(wrongIn("brood subscription cool work --for 1h")).toBe("--for");
	expect(wrongIn("brood nothing")).toBe("nothing");
});

/** The first word that does not exist, outside of quotes. */
function wrongIn(example: string): string | null {
	const [, ...words] = example.replaceAll(/'[^']*'/g, "''").split(" ");
	const found = all.find((each) => words.join(" ").startsWith(`${each.words} `) || words.join(" ") === each.words);
	if (found === undefined) return words[0] ?? "";
	const options = words.filter((word) => word.startsWith("-"));
	const known = found.node.options.flatMap(({ long, short }) => [long, short]);
	return options.find((option) => !known.includes(option)) ?? null;
}

test("only the commands that the arguments name are created, and all of them for an alias or a wrong word", () => {
	const named = (...words: string[]): string[] => commandsBelow(program(words), []).map((each) => each.words);
	expect(named("ps")).toEqual(["ps"]);
	expect(named("agent", "list")).toEqual(["agent list", "agent"]);
	expect([named("task", "list").length, named("nothing").length]).toEqual([all.length, all.length]);
});
