// The files that a refusal names, for every surface that prints one.
import type { Refusal } from "#contract/refusal.ts";
import { inline } from "#contract/visible.ts";

const shownMax = 20;

/** What is not committed, as `git status` shows it, or in conflict. */
export function refusedFiles({ details }: Pick<Refusal, "details">): string[] {
	const named = details["status"] ?? details["files"];
	if (!Array.isArray(named)) return [];
	const names = named.filter((name) => typeof name === "string");
	const shown = names.slice(0, shownMax);
	// the refusal itself names only the first
	const { changes } = details;
	const more = Math.max(names.length, typeof changes === "number" ? changes : 0) - shown.length;
	return [...shown.map((name) => `  ${inline(name)}`), ...(more > 0 ? [moreLine(more)] : [])];
}

const moreLine = (count: number): string => `  and ${count} more`;

/** For the end of a list that is cut: how many lines were left out, counted with those that their last one counts. */
export function leftOutLine(lines: readonly string[]): string {
	const [, counted] = /^ {2}and (\d+) more$/.exec(lines.at(-1) ?? "") ?? [];
	return moreLine(counted === undefined ? lines.length : lines.length - 1 + Number(counted));
}
