// Completion in the input: commands, agents and files.
import { readdirSync } from "node:fs";
import path from "node:path";
import type { AgentId } from "#contract/ids.ts";
import type { Seen } from "./model.ts";
import type { Completion } from "./pi.ts";
import { slashCommands } from "./slash.ts";

const shownMax = 50;

/** For the last word of the text; null if it is none of them. */
export function completed(
	text: string,
	{ agents }: Pick<Seen, "agents">,
	current: AgentId,
): { word: string; items: readonly Completion[] } | null {
	const [word = ""] = /\S*$/.exec(text) ?? [];
	if (/^\/\S*$/.test(text)) {
		const all = Object.entries(slashCommands).map(([name, { help }]) => ({ value: `/${name}`, hint: help }));
		return { word, items: all.filter(({ value }) => value.startsWith(word)) };
	}
	if (word.startsWith("@")) {
		const folder = agents.get(current)?.workspace?.path ?? process.cwd();
		return { word, items: filesAt(folder, word.slice(1)).map((file) => ({ value: `@${file}`, hint: "" })) };
	}
	if (!text.startsWith("/")) return null;
	const named = [...agents.values()].filter(({ handle }) => handle.startsWith(word));
	return { word, items: named.slice(0, shownMax).map(({ handle, label }) => ({ value: handle, hint: label })) };
}

/** The files of a workspace that begin like this; a folder ends with a slash. */
function filesAt(folder: string, begun: string): string[] {
	const [above, name] = [path.dirname(`${begun}x`), path.basename(`${begun}x`).slice(0, -1)];
	try {
		const entries = readdirSync(path.join(folder, above), { withFileTypes: true });
		return entries
			.filter((entry) => entry.name.startsWith(name) && entry.name !== ".git")
			.slice(0, shownMax)
			.map((entry) => path.join(above, entry.name) + (entry.isDirectory() ? "/" : ""));
	} catch {
		return [];
	}
}
