// Usage and budgets in words. Apart from the sums, so that printing an agent does not load how they are made.
import type { Budget, Spent } from "#contract/usage.ts";

export const number = (count: number): string => count.toLocaleString("en");
export const money = ({ costs }: Pick<Spent, "costs">): string =>
	costs.length === 0 ? "-" : costs.map(({ amount, currency }) => `${amount.toFixed(amount < 1 ? 4 : 2)} ${currency}`).join(" + ");

export function spentLine(spent: Spent): string {
	const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = spent;
	const cached =
		cachedReadTokens + cachedWriteTokens === 0 ? "" : `, ${number(cachedReadTokens)} read from a cache, ${number(cachedWriteTokens)} written to it`;
	return `${number(inputTokens)} tokens in, ${number(outputTokens)} out${cached}${spent.costs.length === 0 ? "" : `, ${money(spent)}`}`;
}

export function budgetLine({ tokens, cost }: Budget): string {
	const parts = [...(tokens === null ? [] : [`${number(tokens)} tokens`]), ...(cost === null ? [] : [money({ costs: [cost] })])];
	return parts.join(", ") || "no limit";
}
