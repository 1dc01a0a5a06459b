// The words of `brood run`: a prompt, and before it an agent type, if the first word names one.
import { vendorTypes } from "#contract/agent-type.ts";
import { UsageError } from "./print.ts";
import { textOf } from "./prompt.ts";

/** The types that can be named before the prompt. */
const runTypes: readonly string[] = [...vendorTypes, "llm", "shell", "scripted", "human"];

/** The first word names the type if more words, or a file, follow. */
export async function typeAndPrompt(
	words: readonly string[],
	file: string | undefined,
): Promise<{ type: string | null; text: string }> {
	const [first = "", ...rest] = words;
	const isType = runTypes.includes(first);
	if (isType && rest.length === 0 && file === undefined)
		throw new UsageError(`${first} is an agent type: write the prompt after it, brood run ${first} 'fix the test'.`);
	const meant = isType || rest.length !== 1 ? undefined : runTypes.find((type) => isSlip(first, type));
	if (meant !== undefined)
		throw new UsageError(
			`There is no agent type ${first}. For ${meant}, write brood run ${meant} '…'; if ${first} belongs to the prompt, quote the whole prompt.`,
		);
	const text = (isType ? rest : words).join(" ");
	return { type: isType ? first : null, text: await textOf(text === "" ? undefined : text, file) };
}

/** Whether a word is a type with one letter too many, missing, wrong or in its neighbour's place. */
function isSlip(word: string, type: string): boolean {
	if (word === type || Math.abs(word.length - type.length) > 1) return false;
	let same = 0;
	while (same < type.length && word[same] === type[same]) same++;
	const [left, right] = [word.slice(same), type.slice(same)];
	const swapped = (right[1] ?? "") + (right[0] ?? "") + right.slice(2);
	return left === swapped || left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1);
}
