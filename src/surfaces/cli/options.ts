// Options that many commands have, said the same way everywhere.
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";

export const json = () => new Option("--json", "print one JSON document");
export const project = () => new Option("--project <slug>", "where the agent's name is looked for first");

/** A whole number; the parser itself takes any word for anything. */
export function whole(words: string): number {
	if (!/^-?\d{1,9}$/.test(words)) throw new InvalidArgumentError("It has to be a whole number.");
	return Number(words);
}
