import path from "node:path";
import { counted } from "#contract/counted.ts";
import { inline } from "#contract/visible.ts";
import type { Status } from "#contract/wire.ts";

export function statusLine({
	version,
	url,
	remote,
	pid,
	home,
	store,
	containment,
	agents,
	turns,
	problems,
	nodeName,
	nodes,
}: Status): string {
	const wrong = problems.map(
		({ what, text, fix }) => `\nFIX ${inline(what)}: ${inline(text)}${fix === null ? "" : `\n    ${inline(fix)}`}`,
	);
	const counts =
		agents === null || turns === null
			? "agents and turns unknown until the database answers"
			: `${counted(agents, "agent")} alive, ${counted(turns, "turn")} running`;
	return `brood ${version} at ${url} (pid ${pid})${remote === null ? "" : `, for other machines at ${remote}`}\nhome ${home}, store ${store}${nodes > 1 ? `, node ${nodeName} of ${nodes}` : ""}, containment ${containment}\n${counts}${wrong.join("")}`;
}

/** Derives a project's name from its folder's. */
export function slugOf(folder: string): string {
	return path
		.basename(path.resolve(folder))
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, "-")
		.replaceAll(/^-+|-+$/g, "")
		.slice(0, 64);
}
