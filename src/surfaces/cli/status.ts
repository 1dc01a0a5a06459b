import path from "node:path";
import { counted } from "#contract/counted.ts";
import { inline } from "#contract/visible.ts";
import type { Status } from "#contract/wire.ts";

export function statusLine({
	version,
	url,
	remoteUrl,
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
	const remote = remoteUrl === null ? "" : `, for other machines at ${remoteUrl}`;
	const node = nodes > 1 ? `, node ${nodeName} of ${nodes}` : "";
	return [
		`brood ${version} at ${url} (pid ${pid})${remote}`,
		`home ${home}, store ${store}${node}, containment ${containment}`,
		`${counts}${wrong.join("")}`,
	].join("\n");
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
