// What a turn used, as an item. Programs tell it at the end of a turn, and how full the window is on the way.
import type { Cost, PromptResponse, Usage as TokenUsage, UsageUpdate } from "@agentclientprotocol/sdk/unstable";
import type { TurnItem } from "#contract/turn.ts";
import type { Usage } from "#contract/usage.ts";

/** Where the protocol has no word for it yet, programs say it in a field of their own. */
export function tokensOf({ usage, _meta }: Pick<PromptResponse, "usage" | "_meta">): Tokens | null {
	if (usage) return usage;
	const count = Object(Reflect.get(Object(_meta?.["quota"]), "token_count"));
	const [inputTokens, outputTokens] = [Reflect.get(count, "input_tokens"), Reflect.get(count, "output_tokens")];
	return typeof inputTokens === "number" && typeof outputTokens === "number" ? { inputTokens, outputTokens } : null;
}

/** What our own programs tell in the middle of a turn, for which the protocol has no word. */
export function tokensSoFar({ _meta }: Pick<UsageUpdate, "_meta">): Tokens | null {
	const told: unknown = Reflect.get(Object(_meta?.["brood"]), "tokens");
	if (typeof told !== "object" || told === null) return null;
	const known = Object.entries(told).filter(
		(entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] >= 0,
	);
	return { inputTokens: 0, outputTokens: 0, ...Object.fromEntries(known) };
}

type Tokens = Pick<
	TokenUsage,
	"inputTokens" | "outputTokens" | "thoughtTokens" | "cachedReadTokens" | "cachedWriteTokens"
>;

export function usageItem(
	tokens: Tokens | null,
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
	// one field that cannot be kept would take the others along
	const sum = ({ amount, currency }: Cost): Cost => ({ amount, currency: currency.slice(0, 10).toWellFormed() || "?" });
	// a turn that cost nothing still says what its session has: whoever goes on with that counts from there
	const credentials = {
		...(cost !== null && isPaid(cost) && { cost: sum(cost) }),
		...(window?.cost && isPaid(window.cost) && { sessionCost: sum(window.cost) }),
	};
	const data: Usage = { ...Object.fromEntries(known), ...credentials };
	return Object.keys(data).length === 0 ? [] : [{ kind: "usage", text: null, data }];
}

const isPaid = ({ amount }: Cost): boolean => amount > 0 && Number.isFinite(amount);

/** Programs add up the tokens of a turn; an item has what came to them since. */
export function countUp(): (total: Tokens | null) => Tokens | null {
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
 * Programs add up the cost of a session; a turn's is what came to it since. A session that a new process goes on with
 * may be counted on, or from nothing: a sum that is smaller than the last one is a new one.
 */
export function spending(already: number): (total: Cost | null) => Cost | null {
	let before = already;
	return (total) => {
		if (total === null || !Number.isFinite(total.amount)) return null;
		if (total.amount < before) before = 0;
		const spent = Math.max(0, total.amount - before);
		before = total.amount;
		// the difference of two sums of money, without what binary fractions add to it
		return { amount: Number(spent.toFixed(8)), currency: total.currency };
	};
}
