import { expect, test } from "vitest";
import { StoreFault } from "../ports/store.ts";
import { retryWhile } from "./retry.ts";

const tried = async (kind: StoreFault["kind"]): Promise<string | null> => {
	const faults = [new StoreFault(kind, "come back later")];
	const attempt = async (): Promise<string> => {
		const fault = faults.pop();
		if (fault !== undefined) throw fault;
		return "recorded";
	};
	return await retryWhile(attempt, () => false, new AbortController().signal);
};

test.each(["full", "unavailable", "denied"] as const)("a store that is %s for a while is asked again", async (kind) => {
	expect(await tried(kind)).toBe("recorded");
});

test.each(["rejected", "broken", "fenced"] as const)("what is %s is not tried again", async (kind) => {
	await expect(tried(kind)).rejects.toMatchObject({ kind });
});
