// What models use: told by their programs in the course of a turn, added up for agents, subscriptions and issues. And
// what an agent may use: its budget.
import { z } from "zod";
import { AgentId, SubscriptionName } from "./ids.ts";

const Currency = z.string().min(1).max(10);
export const Cost = z.strictObject({ amount: z.number().nonnegative(), currency: Currency });
export type Cost = z.infer<typeof Cost>;

/** What came to a turn, as far as its program told; a turn may have several. */
export const Usage = z.object({
	inputTokens: z.number().exactOptional(),
	outputTokens: z.number().exactOptional(),
	thoughtTokens: z.number().exactOptional(),
	cachedReadTokens: z.number().exactOptional(),
	cachedWriteTokens: z.number().exactOptional(),
	/** how full the model's window is, and how large */
	contextTokens: z.number().exactOptional(),
	contextTokensMax: z.number().exactOptional(),
	cost: Cost.exactOptional(),
	/** what the whole session of its program has cost until then, as the program told it */
	sessionCost: Cost.exactOptional(),
});
export type Usage = z.infer<typeof Usage>;

/** What the item of a turn has that tells it; the daemon adds the subscription that pays. */
export const UsageData = Usage.extend({ subscription: SubscriptionName.exactOptional() });

/** What was used in all. */
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

/** How much may be used in all, from the agent's first turn on; null for as much as it likes. */
export const Budget = z.strictObject({ tokens: z.int().nonnegative().nullable(), cost: Cost.nullable() });
export type Budget = z.infer<typeof Budget>;

/** A requested budget; fields that are absent stay as they are, or are split. */
export const BudgetRequest = Budget.partial();
export type BudgetRequest = z.infer<typeof BudgetRequest>;

/** A budget, and whose it was before a fork split it: what is left over goes back there. */
export const Allowance = z.strictObject({ ...Budget.shape, from: AgentId.nullable() });
export type Allowance = z.infer<typeof Allowance>;
