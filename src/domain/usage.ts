// Adds up usage, and keeps budgets: what is left, how a fork splits it, and what returns to the parent.
//
// Input, output and cache writes count. Cache reads are shown but not counted, where a program reports them separately.
import type { AgentState } from "#contract/agent.ts";
import type { NewEvent } from "#contract/event.ts";
import { fullName } from "#contract/full-name.ts";
import type { AgentId } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import {
	type AgentBudget,
	type Budget,
	type BudgetRequest,
	type Cost,
	nothingSpent,
	type Spent,
	type Usage,
} from "#contract/usage.ts";
import { isHeld } from "./agent-state/label.ts";

const counts = ["inputTokens", "outputTokens", "thoughtTokens", "cachedReadTokens", "cachedWriteTokens"] as const;
const totals = ["inputTokens", "outputTokens", "cachedReadTokens", "cachedWriteTokens"] as const;

/** Adds a report to a turn's usage; the size of the context is replaced, not added. */
export function withUsage(before: Usage | null, more: Usage): Usage {
	const sums = counts.flatMap((key) =>
		before?.[key] === undefined && more[key] === undefined ? [] : [[key, (before?.[key] ?? 0) + (more[key] ?? 0)]],
	);
	const cost =
		more.cost === undefined
			? before?.cost
			: before?.cost?.currency === more.cost.currency
				? plus(before.cost, more.cost)
				: more.cost;
	return { ...before, ...more, ...Object.fromEntries(sums), ...(cost && { cost }) };
}

export function withSpent(before: Spent, more: Usage): Spent {
	const sums = Object.fromEntries(totals.map((key) => [key, before[key] + (more[key] ?? 0)]));
	return { ...before, ...sums, costs: more.cost === undefined ? before.costs : together([...before.costs, more.cost]) };
}

export function sumOf(all: readonly Spent[]): Spent {
	const sums = Object.fromEntries(totals.map((key) => [key, all.reduce((sum, each) => sum + each[key], 0)]));
	return { ...nothingSpent, ...sums, costs: together(all.flatMap(({ costs }) => costs)) };
}

function together(costs: readonly Cost[]): Cost[] {
	const by = Map.groupBy(costs, ({ currency }) => currency);
	return [...by.values()].flatMap(([first, ...others]) => (first === undefined ? [] : [others.reduce(plus, first)]));
}

/** Rounds away the error of binary fractions. */
const plus = (one: Cost, other: Cost): Cost => ({ ...one, amount: exact(one.amount + other.amount) });
export const exact = (amount: number): number => Number(amount.toFixed(8));

export const countedTokens = ({ inputTokens, outputTokens, cachedWriteTokens }: Spent): number =>
	inputTokens + outputTokens + cachedWriteTokens;
const costIn = (spent: Spent, currency: string): number =>
	spent.costs.find((cost) => cost.currency === currency)?.amount ?? 0;

type Spender = Pick<AgentState, "budget" | "spent">;

/** What is left of an agent's budget; null where it has no limit. */
export function leftOf({ budget, spent }: Spender): Budget {
	const { tokens = null, cost = null } = budget ?? {};
	return {
		tokens: tokens === null ? null : Math.max(0, tokens - countedTokens(spent)),
		cost: cost && { ...cost, amount: exact(Math.max(0, cost.amount - costIn(spent, cost.currency))) },
	};
}

/** Which limit is used up, as a phrase; null if none is. */
export function usedUp(agent: Spender): string | null {
	const left = leftOf(agent);
	if (left.tokens === 0) return `its budget of ${agent.budget?.tokens} tokens is used up`;
	if (left.cost?.amount === 0) return `its budget of ${agent.budget?.cost?.amount} ${left.cost.currency} is used up`;
	return null;
}

/** Holds the agent once its budget is used up: at the end of a turn, or when one is stopped for it. */
export function heldForBudget(agent: AgentState): NewEvent[] {
	const reason = usedUp(agent);
	return reason === null || isHeld(agent, "budget")
		? []
		: [{ kind: "agent.held", agent: agent.id, data: { hold: "budget", reason } }];
}

/** Sets a budget, and clears the hold if something is left again. */
export function budgeted(agent: AgentState, budget: AgentBudget | null): NewEvent[] {
	const free = isHeld(agent, "budget") && usedUp({ ...agent, budget }) === null;
	return [
		{ kind: "agent.budgeted", agent: agent.id, data: { budget } },
		...(free ? [{ kind: "agent.unheld", agent: agent.id, data: { holds: ["budget"] } } satisfies NewEvent] : []),
	];
}

export function decideBudget(agent: AgentState, request: BudgetRequest): NewEvent[] {
	const { tokens = agent.budget?.tokens ?? null, cost = agent.budget?.cost ?? null } = request;
	return budgeted(agent, tokens === null && cost === null ? null : { tokens, cost, from: agent.budget?.from ?? null });
}

/** A fork gets the requested budget, else half of what its parent has left; it is taken from the parent. */
export function splitBudget(
	parent: AgentState,
	request: BudgetRequest = {},
): { child: AgentBudget | null; parent: NewEvent[] } | Refusal {
	const left = leftOf(parent);
	if (parent.budget === null) {
		const { tokens = null, cost = null } = request;
		return { child: tokens === null && cost === null ? null : { tokens, cost, from: null }, parent: [] };
	}
	const fresh = budgetOfEndedParent(parent, parent.budget, request);
	if (fresh !== null) return { child: fresh, parent: [] };
	const tokens = left.tokens === null ? (request.tokens ?? null) : (request.tokens ?? Math.floor(left.tokens / 2));
	const half = left.cost && { ...left.cost, amount: exact(left.cost.amount / 2) };
	const cost = request.cost ?? half;
	const tooMuch =
		beyond(left.tokens, tokens, request.tokens === null) ??
		beyond(left.cost?.amount ?? null, sameCurrency(left.cost, cost), request.cost === null);
	if (tooMuch !== null)
		return refuse("BUDGET_EXCEEDED", `${parent.handle} has ${budgetText(left)} left: ${tooMuch}.`, {
			details: { agent: parent.id, budgetLeft: left },
			suggestions: [`brood usage ${fullName(parent)}`],
		});
	const rest = {
		tokens: minus(parent.budget.tokens, left.tokens === null ? null : tokens),
		cost: minusCost(parent.budget.cost, cost),
	};
	return { child: { tokens, cost, from: parent.id }, parent: budgeted(parent, { ...rest, from: parent.budget.from }) };
}

/** An ended agent has returned what was left, so its forks get only what the request names, taken from no parent. */
function budgetOfEndedParent(
	parent: AgentState,
	{ tokens, cost }: AgentBudget,
	request: BudgetRequest,
): AgentBudget | null {
	if (parent.life !== "ended" || usedUp(parent) === null) return null;
	const named = { tokens: request.tokens ?? null, cost: request.cost ?? null, from: null };
	return (tokens !== null && named.tokens === null) || (cost !== null && named.cost === null) ? null : named;
}

/** Infinite for another currency than the parent's, so that it is always refused. */
const sameCurrency = (left: Cost | null, requested: Cost | null): number | null =>
	requested === null
		? null
		: left !== null && left.currency !== requested.currency
			? Number.POSITIVE_INFINITY
			: requested.amount;

function beyond(left: number | null, requested: number | null, unlimited: boolean): string | null {
	if (left === null) return null;
	if (unlimited) return "a fork cannot have more than that";
	if (requested === null || requested <= 0) return "nothing can be split off";
	return requested > left ? "a fork cannot have more than that" : null;
}

const minus = (from: number | null, less: number | null): number | null => (from === null ? null : from - (less ?? 0));
const minusCost = (from: Cost | null, less: Cost | null): Cost | null =>
	from && { ...from, amount: exact(from.amount - (less?.currency === from.currency ? less.amount : 0)) };

/**
 * What ending agents have left returns to the agent that gave it, or to the nearest living one above. Overspending is
 * deducted there too: otherwise many forks with tiny budgets would get around every budget.
 */
export function returnBudgets(ending: readonly AgentState[], others: ReadonlyMap<AgentId, AgentState>): NewEvent[] {
	const ends = new Map(ending.map((agent) => [agent.id, agent]));
	const recipients = new Map<AgentId, AgentState>();
	const deductions: NewEvent[] = [];
	for (const agent of ending) {
		const to = budgetRecipient(agent, ends, others);
		if (to === undefined) continue;
		const recipient = recipients.get(to.id) ?? to;
		const { budget } = recipient;
		if (budget === null) continue;
		const rest = restOf(agent, budget.cost?.currency ?? "");
		const cost = budget.cost && { ...budget.cost, amount: exact(Math.max(0, budget.cost.amount + rest.amount)) };
		recipients.set(to.id, {
			...recipient,
			budget: { ...budget, tokens: budget.tokens === null ? null : Math.max(0, budget.tokens + rest.tokens), cost },
		});
		deductions.push(...deduct(agent, leftOf(agent)));
	}
	return [...deductions, ...[...recipients.values()].flatMap((recipient) => budgeted(recipient, recipient.budget))];
}

/** An ended agent can still be forked, so what was returned is taken from its own budget. */
function deduct({ id, budget }: AgentState, left: Budget): NewEvent[] {
	if (budget === null) return [];
	const rest = {
		tokens: minus(budget.tokens, left.tokens),
		cost: minusCost(budget.cost, left.cost),
		from: budget.from,
	};
	return [{ kind: "agent.budgeted", agent: id, data: { budget: rest } }];
}

function restOf({ budget, spent }: Spender, currency: string): { tokens: number; amount: number } {
	const { tokens = null, cost = null } = budget ?? {};
	return {
		tokens: tokens === null ? 0 : tokens - countedTokens(spent),
		amount: cost?.currency === currency ? cost.amount - costIn(spent, currency) : 0,
	};
}

function budgetRecipient(
	agent: AgentState,
	ends: ReadonlyMap<AgentId, AgentState>,
	others: ReadonlyMap<AgentId, AgentState>,
): AgentState | undefined {
	const from = agent.budget?.from ?? null;
	if (from === null) return undefined;
	const giver = ends.get(from) ?? others.get(from);
	if (giver === undefined) return undefined;
	return giver.life === "ended" || ends.has(giver.id) ? budgetRecipient(giver, ends, others) : giver;
}

export function budgetText({ tokens, cost }: Budget): string {
	const parts = [
		...(tokens === null ? [] : [`${tokens} tokens`]),
		...(cost === null ? [] : [`${cost.amount} ${cost.currency}`]),
	];
	return parts.length === 0 ? "as much as it likes" : parts.join(" and ");
}
