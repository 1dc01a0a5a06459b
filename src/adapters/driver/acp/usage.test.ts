import { expect, test } from "vitest";
import { spending, usageItem } from "./usage.ts";

const usd = (amount: number) => ({ amount, currency: "USD" });

test("a turn costs what came to its session since it was last told", () => {
	const spent = spending(0);
	expect([spent(null), spent(usd(0.1)), spent(usd(0.3)), spent(usd(0.3))]).toEqual([null, usd(0.1), usd(0.2), usd(0)]);
});

test("a session that a new process goes on with is not paid for twice, whether the program counts on or begins anew", () => {
	const countsOn = spending(0.3);
	expect([countsOn(usd(0.4)), countsOn(usd(0.5))]).toEqual([usd(0.1), usd(0.1)]);
	const beginsAnew = spending(0.3);
	expect([beginsAnew(usd(0.1)), beginsAnew(usd(0.5))]).toEqual([usd(0.1), usd(0.4)]);
});

test("a turn that cost nothing says what its session has cost, so that the next process does not count it again", () => {
	const window = { used: 10, size: 100, cost: usd(5) };
	expect(usageItem(null, window, usd(0))).toMatchObject([{ data: { sessionCost: usd(5) } }]);
	expect(usageItem(null, window, usd(0))[0]?.data).not.toHaveProperty("cost");
	expect(usageItem(null, { ...window, cost: usd(-5) }, usd(0))[0]?.data).not.toHaveProperty("sessionCost");
});
