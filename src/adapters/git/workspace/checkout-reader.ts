import type { Refusal } from "#contract/refusal.ts";

/** Reads an agent's tree before a merge: directly, through the worker of its sandbox, or not at all. */
export interface CheckoutReader {
	/** a refusal if anything is not committed, or if the files are not those of this commit; each of them is read */
	dirty(commit: string): Promise<Refusal | null>;
	/** the tip of its branch, in the project's repository */
	tip(): Promise<string | null | Refusal>;
}
