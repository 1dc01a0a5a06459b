// Completion in the input: commands and their options, agents, and files.
import { opendir, readFile } from "node:fs/promises";
import path from "node:path";
import type { AgentId } from "#contract/ids.ts";
import { inline } from "#contract/visible.ts";
import { type IgnoreRule, ignoreRules, isIgnored } from "./ignored.ts";
import type { Seen } from "./model.ts";
import type { Completions } from "./pi/draft.ts";
import { matching } from "./pi/text.ts";
import type { SlashCommand } from "./slash.ts";
import { slashCommands } from "./slash-commands.ts";
import { wordsOf } from "./words.ts";

const shownMax = 50;

/** For the last word of the text; null if nothing fits. A word that is whole is sent by Enter, not completed. */
export async function completed(
	text: string,
	seen: Pick<Seen, "agents">,
	current: AgentId,
): Promise<Completions | null> {
	const found = await fitting(text, seen, current);
	return found === null || found.items.some(({ value }) => value === found.word) ? null : found;
}

async function fitting(text: string, { agents }: Pick<Seen, "agents">, current: AgentId): Promise<Completions | null> {
	const [word = ""] = /\S*$/.exec(text) ?? [];
	if (word.startsWith("@")) {
		const folder = agents.get(current)?.workspace?.path ?? process.cwd();
		const files = await filesIn(folder);
		const found = matching(files, word.slice(1), (file) => file).slice(0, shownMax);
		const note =
			files.length < filesMax ? "" : `Only ${filesMax.toLocaleString("en")} files of the workspace are offered.`;
		return { word, items: found.map((file) => ({ value: `@${file}`, hint: "" })), note };
	}
	if (/^\/\S*$/.test(text)) {
		const all = Object.entries(slashCommands).map(([name, { help }]) => ({ value: `/${name}`, hint: help }));
		const begun = all.filter(({ value }) => value.startsWith(word));
		return { word, items: begun.length > 0 ? begun : matching(all, word.slice(1), ({ value }) => value) };
	}
	const [, name = ""] = /^\/(\S+)\s/.exec(text) ?? [];
	const command = slashCommands[name];
	if (command === undefined) return null;
	if (word.startsWith("--")) {
		const options = [...command.usage.matchAll(/--[a-z-]+/g)].map(([option]) => option);
		return { word, items: options.filter((each) => each.startsWith(word)).map((value) => ({ value, hint: "" })) };
	}
	if (!isAgent(text, command)) return null;
	const named = matching([...agents.values()], word, ({ handle }) => handle).slice(0, shownMax);
	return { word, items: named.map(({ handle, label }) => ({ value: handle, hint: label })) };
}

/** Whether the last word of the text stands where the command takes an agent. */
function isAgent(text: string, { usage, flags = [] }: SlashCommand): boolean {
	if (!usage.includes("AGENT")) return false;
	const { words, options } = wordsOf(`${text}.`, new Set(flags));
	const isValue = [...options.values()].some((value) => value.endsWith("."));
	return !isValue && (words.length === 1 || usage.includes("AGENT…"));
}

/** more files than this are not looked at */
const filesMax = 100_000;
const skipped = new Set(["node_modules", "target", "dist", ".venv", "__pycache__"]);
/** the files of a folder are read again after this time */
const freshMs = 10_000;

let last: { folder: string; at: number; files: Promise<string[]> } | null = null;

function filesIn(folder: string): Promise<string[]> {
	const now = performance.now();
	if (last === null || last.folder !== folder || now - last.at > freshMs)
		last = { folder, at: now, files: walked(folder) };
	return last.files;
}

/**
 * The files below a folder, folders with a slash at their end; what is in an ignored folder is left out. git is not
 * asked: a repository could make it run programs.
 */
async function walked(folder: string): Promise<string[]> {
	const found: string[] = [];
	const rules = new Map<string, IgnoreRule[]>();
	const open = [""];
	// the list grows while it is walked: those above come first
	for (const next of open) {
		if (found.length >= filesMax) break;
		try {
			const said = await readFile(path.join(folder, next, ".gitignore"), "utf8").catch(() => "");
			rules.set(next, ignoreRules(said));
			for await (const entry of await opendir(path.join(folder, next))) {
				// a folder in a repository, a file in a worktree, nothing to talk about in either
				if (entry.name === ".git") continue;
				// a name with control characters can be shown, but not written into the input
				if (inline(entry.name) !== entry.name) continue;
				const name = path.join(next, entry.name);
				if (entry.isDirectory() && !skipped.has(entry.name) && !isLeftOut(rules, name)) open.push(name);
				found.push(entry.isDirectory() ? `${name}/` : name);
				if (found.length >= filesMax) break;
			}
		} catch {
			// a folder that has just gone, or that may not be read
		}
	}
	return found;
}

/** The file that is nearest to the folder decides. */
function isLeftOut(rules: ReadonlyMap<string, IgnoreRule[]>, folder: string): boolean {
	for (let above = folder; above !== ""; ) {
		above = above.includes("/") ? path.dirname(above) : "";
		const said = isIgnored(rules.get(above) ?? [], path.relative(above, folder));
		if (said !== null) return said;
	}
	return false;
}
