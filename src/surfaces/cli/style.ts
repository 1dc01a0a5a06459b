// Colours on a terminal. Only the terminal's own, so that they fit its theme; none where nobody sees them.
import { visible } from "#contract/visible.ts";
import type { Role } from "#views/state-style.ts";

export type Style = Role | "strong" | "faint" | "added" | "deleted";

const codes: Readonly<Record<Style, string>> = {
	run: "36",
	wait: "1;33",
	bad: "31",
	ok: "32",
	off: "2",
	strong: "1",
	faint: "2",
	added: "32",
	deleted: "31",
};

/** `--color always|never` and `NO_COLOR` decide before the terminal does. */
export function hasColour(stream: { isTTY?: boolean } = process.stdout): boolean {
	const { NO_COLOR: off, BROOD_COLOR: chosen, TERM: terminal } = process.env;
	if (chosen === "always" || chosen === "never") return chosen === "always";
	return off === undefined && terminal !== "dumb" && stream.isTTY === true;
}

/** The text, with what a terminal would obey made visible, in a colour. */
export function painted(style: Style, text: string, colour: boolean = hasColour()): string {
	return colour && text !== "" ? `\u001B[${codes[style]}m${visible(text)}\u001B[0m` : visible(text);
}

/** Takes `--color` and `--no-color` out of the arguments: they stand anywhere, and every command knows them. */
export function takeColour(args: readonly string[], env: NodeJS.ProcessEnv): string[] {
	return args.filter((arg, at) => {
		const [, when] = /^--color(?:=(always|never|auto))?$/.exec(arg) ?? (arg === "--no-color" ? ["", "never"] : []);
		if (when === undefined && arg !== "--color") return true;
		// behind `--` everything is text
		if (args.slice(0, at).includes("--")) return true;
		env["BROOD_COLOR"] = when ?? "always";
		return false;
	});
}
