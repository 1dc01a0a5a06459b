// The files that a refusal names, for every surface that prints one.
import type { Refusal } from "#contract/refusal.ts";
import { inline } from "#contract/visible.ts";

const shownMax = 20;

/** What is not committed, as `git status` shows it, or in conflict. */
export function refusedFiles({ details }: Pick<Refusal, "details">): string[] {
	const named = details["status"] ?? details["files"];
	if (!Array.isArray(named)) return [];
	const names = named.filter((name) => typeof name === "string");
	const more = names.length - shownMax;
	return [...names.slice(0, shownMax).map((name) => `  ${inline(name)}`), ...(more > 0 ? [`  and ${more} more`] : [])];
}
