// Shows long text in colours and in the user's pager.
import { spawnSync } from "node:child_process";
import { visible } from "#contract/visible.ts";
import { printPainted } from "./print.ts";
import { hasColour, painted, type Style } from "./style.ts";

const statHead = "ADDED ";
const counts = /^(\+\S+)( +)(-\S+)/gm;

/** Returns what is left to print: nothing, if the pager has shown it. */
export function paged(patchOrStat: string): string {
	const text = coloured(patchOrStat);
	const { PAGER: chosen, GIT_PAGER: git, TERM: terminal } = process.env;
	const pager = git ?? chosen ?? "less";
	const lines = text.split("\n").length;
	const fits = lines < (process.stdout.rows ?? 24);
	if (!process.stdout.isTTY || pager === "" || pager === "cat" || fits || terminal === "dumb") {
		printPainted(`${text.trimEnd()}\n`);
		return "";
	}
	// quits if it all fits on the screen, passes colours on, and leaves the screen as it was
	const shown = spawnSync("/bin/sh", ["-c", pager], {
		input: text,
		stdio: ["pipe", "inherit", "inherit"],
		env: { LESS: "FRX", ...process.env },
	});
	if (shown.status === 127) printPainted(`${text.trimEnd()}\n`);
	return "";
}

/** A patch or a table of line counts, line by line. */
function coloured(patch: string): string {
	if (!hasColour()) return visible(patch);
	if (patch.startsWith(statHead))
		return visible(patch).replaceAll(
			counts,
			(_, added: string, space: string, deleted: string) =>
				`${painted("added", added)}${space}${painted("deleted", deleted)}`,
		);
	return patch
		.split("\n")
		.map((line) => {
			const style = styleOf(line);
			return style === null ? visible(line) : painted(style, line);
		})
		.join("\n");
}

function styleOf(line: string): Style | null {
	if (/^(diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename )/.test(line)) return "strong";
	if (line.startsWith("@@")) return "run";
	if (line.startsWith("+")) return "added";
	return line.startsWith("-") ? "deleted" : null;
}
