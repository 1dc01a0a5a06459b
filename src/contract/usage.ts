// Usage: reported by agents' programs during a turn, added up for agents, subscriptions and issues. And budgets.
import { z } from "zod";
import { AgentId, SubscriptionName } from "./ids.ts";

const Currency = z.string().min(1).max(10);
export const Cost = z.strictObject({ amount: z.number().nonnegative(), currency: Currency });
export type Cost = z.infer<typeof Cost>;

/** One report of a program; a turn may have several. */
export const Usage = z.object({
	inputTokens: z.number().exactOptional(),
	outputTokens: z.number().exactOptional(),
	thoughtTokens: z.number().exactOptional(),
	cachedReadTokens: z.number().exactOptional(),
	cachedWriteTokens: z.number().exactOptional(),
	/** how full the model's context window is, and its size */
	contextTokens: z.number().exactOptional(),
	contextTokensMax: z.number().exactOptional(),
	cost: Cost.exactOptional(),
	/** the cost of the program's whole session so far */
	sessionCost: Cost.exactOptional(),
});
export type Usage = z.infer<typeof Usage>;

/** The data of a `usage` item; the daemon adds the subscription. */
export const UsageData = Usage.extend({ subscription: SubscriptionName.exactOptional() });

/** Total usage. */
export const Spent = z.strictObject({
	inputTokens: z.number(),
	outputTokens: z.number(),
	cachedReadTokens: z.number(),
	cachedWriteTokens: z.number(),
	/** one for each currency */
	costs: z.array(Cost),
});
export type Spent = z.infer<typeof Spent>;
export const nothingSpent: Spent = {
	inputTokens: 0,
	outputTokens: 0,
	cachedReadTokens: 0,
	cachedWriteTokens: 0,
	costs: [],
};

/** The most that an agent may use over its life; null for no limit. */
export const Budget = z.strictObject({ tokens: z.int().nonnegative().nullable(), cost: Cost.nullable() });
export type Budget = z.infer<typeof Budget>;

/** A requested budget; absent fields stay as they are, or are split at a fork. */
export const BudgetRequest = Budget.partial();
export type BudgetRequest = z.infer<typeof BudgetRequest>;

/** A budget, and the agent that it was split from, which gets back what is left. */
export const AgentBudget = z.strictObject({ ...Budget.shape, from: AgentId.nullable() });
export type AgentBudget = z.infer<typeof AgentBudget>;
