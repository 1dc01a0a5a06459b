import { expect, test } from "vitest";
import { Usage } from "#contract/usage.ts";
import { costSince, countUp, usageItem } from "./usage.ts";

const usd = (amount: number) => ({ amount, currency: "USD" });

test("a turn costs what came to its session since it was last told", () => {
	const spent = costSince(0);
	expect([spent(null), spent(usd(0.1)), spent(usd(0.3)), spent(usd(0.3))]).toEqual([null, usd(0.1), usd(0.2), usd(0)]);
});

test("a session that a new process goes on with is not paid for twice, whether the program counts on or begins anew", () => {
	const countsOn = costSince(0.3);
	expect([countsOn(usd(0.4)), countsOn(usd(0.5))]).toEqual([usd(0.1), usd(0.1)]);
	const beginsAnew = costSince(0.3);
	expect([beginsAnew(usd(0.1)), beginsAnew(usd(0.5))]).toEqual([usd(0.1), usd(0.4)]);
});

test("a turn that cost nothing says what its session has cost, so that the next process does not count it again", () => {
	const window = { used: 10, size: 100, cost: usd(5) };
	expect(usageItem(null, window, usd(0))).toMatchObject([{ data: { sessionCost: usd(5) } }]);
	expect(usageItem(null, window, usd(0))[0]?.data).not.toHaveProperty("cost");
	expect(usageItem(null, { ...window, cost: usd(-5) }, usd(0))[0]?.data).not.toHaveProperty("sessionCost");
});

test("an invalid number, or a cost without a currency, does not spoil the other figures", () => {
	const tokens = { inputTokens: 5, outputTokens: 1 };
	const since = countUp();
	expect([since({ ...tokens, inputTokens: Number.POSITIVE_INFINITY }), since(tokens)]).toEqual([
		{ inputTokens: 0, outputTokens: 1 },
		{ inputTokens: 5, outputTokens: 0 },
	]);
	const spent = costSince(0);
	expect([spent(usd(Number.POSITIVE_INFINITY)), spent(usd(2))]).toEqual([null, usd(2)]);
	const [unnamed] = usageItem(
		tokens,
		{ used: 1, size: 2, cost: { amount: 3, currency: "" } },
		{ amount: 3, currency: "" },
	);
	expect(Usage.safeParse(unnamed?.data)).toMatchObject({
		success: true,
		data: { ...tokens, cost: { amount: 3, currency: "?" } },
	});
	const [endless] = usageItem(
		{ ...tokens, thoughtTokens: Number.POSITIVE_INFINITY },
		null,
		usd(Number.POSITIVE_INFINITY),
	);
	expect(endless?.data).toEqual(tokens);
});
