// The generated index of decisions, and the table of folders in ARCHITECTURE.md.
import { type Folder, folders } from "./folders.ts";

/** `pages` are paths and texts of docs/decisions. */
export function decisionsPage(pages: readonly { file: string; text: string }[]): string {
	const rows = pages.map(({ file, text }) => {
		const title = /^# (.*)$/m.exec(text)?.[1];
		if (title === undefined) throw new Error(`${file} has no title`);
		return `- [${file.slice(0, 4)}](${file}): ${title.replace(/^\d+[.:]? */, "")}`;
	});
	return ["# Decisions", "", "What was decided, what was decided against, and why.", "", ...rows, ""].join("\n");
}

const [begin, end] = ["<!-- folders: generated -->\n", "\n<!-- end of folders -->"];

/** Replaces the table of folders, and keeps what is written by hand. */
export function architecturePage(current: string): string {
	const [from, to] = [current.indexOf(begin), current.indexOf(end)];
	if (from < 0 || to < 0) throw new Error("ARCHITECTURE.md has no place for the table of folders");
	const rows = Object.entries(folders).map(
		([name, folder]) => `| \`${name}/\` | ${folder.question} | ${imported(folder)} | ${used(folder)} |`,
	);
	const table = ["| folder | question | may import | may use |", "| --- | --- | --- | --- |", ...rows].join("\n");
	return `${current.slice(0, from + begin.length)}${table}${current.slice(to)}`;
}

const imported = ({ mayImport }: Folder): string =>
	mayImport.map((name) => (/[/.]/.test(name) ? `\`${name}\`` : name)).join(", ") || "–";

/** By name as long as there are a few. */
function used({ mayUse }: Folder): string {
	const libraries = mayUse.filter((name) => name !== "node:*");
	const named = libraries.length > 4 ? [`${libraries.length} libraries`] : libraries.map((name) => `\`${name}\``);
	return [...(mayUse.includes("node:*") ? ["Node"] : []), ...named].join(", ") || "–";
}
