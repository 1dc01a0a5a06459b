import { expect, test } from "vitest";
import { usageLine } from "./usage-lines.ts";

test("a report of costs is words, whatever part of it a program gives", () => {
	const cost = { amount: 0.5, currency: "USD" };
	expect(usageLine({ sessionCost: cost })).toBe("0.5000 USD in the whole session");
	expect(usageLine({ inputTokens: 1200, outputTokens: 3, cost, sessionCost: cost })).toBe(
		"1,200 tokens in, 3 out, 0.5000 USD",
	);
	expect(usageLine({})).toBe("");
});
