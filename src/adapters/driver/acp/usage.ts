// The usage of a turn, as an item. Programs report it at the end, and the size of the context window during the turn.
import type { Cost, PromptResponse, Usage as TokenUsage, UsageUpdate } from "@agentclientprotocol/sdk/unstable";
import type { TurnItem } from "#contract/turn.ts";
import type { Usage } from "#contract/usage.ts";

/** Some programs report tokens in a field of their own. */
export function tokensOf({ usage, _meta }: Pick<PromptResponse, "usage" | "_meta">): TokenCounts | null {
	if (usage) return usage;
	const count = Object(Reflect.get(Object(_meta?.["quota"]), "token_count"));
	const [inputTokens, outputTokens] = [Reflect.get(count, "input_tokens"), Reflect.get(count, "output_tokens")];
	return typeof inputTokens === "number" && typeof outputTokens === "number" ? { inputTokens, outputTokens } : null;
}

/** Our own programs report tokens during a turn, for which the protocol has no field. */
export function tokensSoFar({ _meta }: Pick<UsageUpdate, "_meta">): TokenCounts | null {
	const tokens: unknown = Reflect.get(Object(_meta?.["brood"]), "tokens");
	if (typeof tokens !== "object" || tokens === null) return null;
	const known = Object.entries(tokens).filter(
		(entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] >= 0,
	);
	return { inputTokens: 0, outputTokens: 0, ...Object.fromEntries(known) };
}

type TokenCounts = Pick<
	TokenUsage,
	"inputTokens" | "outputTokens" | "thoughtTokens" | "cachedReadTokens" | "cachedWriteTokens"
>;

export function usageItem(
	tokens: TokenCounts | null,
	window: Pick<UsageUpdate, "used" | "size" | "cost"> | null,
	cost: Cost | null,
): TurnItem[] {
	if (tokens === null && window === null) return [];
	const { inputTokens, outputTokens, thoughtTokens, cachedReadTokens, cachedWriteTokens } = tokens ?? {};
	const counts = {
		inputTokens,
		outputTokens,
		thoughtTokens,
		cachedReadTokens,
		cachedWriteTokens,
		contextTokens: window?.used || undefined,
		contextTokensMax: window?.size || undefined,
	};
	const known = Object.entries(counts).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
	// an invalid currency would make the whole item invalid
	const sum = ({ amount, currency }: Cost): Cost => ({ amount, currency: currency.slice(0, 10).toWellFormed() || "?" });
	// the session's cost also after a turn that cost nothing: a later process counts from there
	const costs = {
		...(cost !== null && isPaid(cost) && { cost: sum(cost) }),
		...(window?.cost && isPaid(window.cost) && { sessionCost: sum(window.cost) }),
	};
	const data: Usage = { ...Object.fromEntries(known), ...costs };
	return Object.keys(data).length === 0 ? [] : [{ kind: "usage", text: null, data }];
}

const isPaid = ({ amount }: Cost): boolean => amount > 0 && Number.isFinite(amount);

/** Programs report running totals of a turn; an item has the difference. */
export function countUp(): (total: TokenCounts | null) => TokenCounts | null {
	const before = new Map<string, number>();
	return (total) => {
		if (total === null) return null;
		const grown = Object.entries(total).flatMap(([key, count]) => {
			if (typeof count !== "number" || !Number.isFinite(count)) return [];
			const more = count - (before.get(key) ?? 0);
			before.set(key, count);
			return more > 0 ? [[key, more]] : [];
		});
		return grown.length === 0 ? null : { inputTokens: 0, outputTokens: 0, ...Object.fromEntries(grown) };
	};
}

/**
 * Programs report the total cost of a session; a turn's cost is the difference. After a resume the total may continue
 * or start at zero: a smaller total is a new one.
 */
export function costSince(already: number): (total: Cost | null) => Cost | null {
	let before = already;
	return (total) => {
		if (total === null || !Number.isFinite(total.amount)) return null;
		if (total.amount < before) before = 0;
		const spent = Math.max(0, total.amount - before);
		before = total.amount;
		// without the rounding error of binary fractions
		return { amount: Number(spent.toFixed(8)), currency: total.currency };
	};
}
