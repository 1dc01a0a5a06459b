// Usage and budgets as text. Separate from the sums, so that printing an agent does not load them.
import type { Budget, Spent, Usage } from "#contract/usage.ts";

export const number = (count: number): string => count.toLocaleString("en");
export const money = ({ costs }: Pick<Spent, "costs">): string =>
	costs.length === 0
		? "-"
		: costs.map(({ amount, currency }) => `${amount.toFixed(amount < 1 ? 4 : 2)} ${currency}`).join(" + ");

export function spentLine(spent: Spent): string {
	const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = spent;
	const cached =
		cachedReadTokens + cachedWriteTokens === 0
			? ""
			: `, ${number(cachedReadTokens)} read from a cache, ${number(cachedWriteTokens)} written to it`;
	return `${number(inputTokens)} tokens in, ${number(outputTokens)} out${cached}${spent.costs.length === 0 ? "" : `, ${money(spent)}`}`;
}

export function budgetLine({ tokens, cost }: Budget): string {
	const parts = [
		...(tokens === null ? [] : [`${number(tokens)} tokens`]),
		...(cost === null ? [] : [money({ costs: [cost] })]),
	];
	return parts.join(", ") || "no limit";
}

/** One report or one turn: token counts, cost, and how full the model's window is. */
export function usageLine({ cost, sessionCost, contextTokens, contextTokensMax, ...counts }: Usage): string {
	const { inputTokens, outputTokens, thoughtTokens, cachedReadTokens, cachedWriteTokens } = counts;
	// an agent's program may have written something else here
	const part = (count: unknown, what: string): string[] =>
		typeof count === "number" ? [`${number(count)} ${what}`] : [];
	const window = typeof contextTokensMax === "number" ? ` of ${number(contextTokensMax)}` : "";
	const parts = [
		...part(inputTokens, "tokens in"),
		...part(outputTokens, "out"),
		...part(thoughtTokens, "of thoughts"),
		...part(cachedReadTokens || undefined, "read from a cache"),
		...part(cachedWriteTokens || undefined, "written to it"),
		...(typeof cost?.amount === "number" ? [money({ costs: [cost] })] : []),
		...(typeof contextTokens === "number" ? [`a context of ${number(contextTokens)}${window}`] : []),
	];
	// some programs report a total apart from what the turn used
	if (parts.length === 0 && typeof sessionCost?.amount === "number")
		return `${money({ costs: [sessionCost] })} in the whole session`;
	return parts.join(", ");
}
