// Adding up what models use, and budgets: what is left of one, how a fork splits it, and what comes back.
//
// Counted are input, output and what was written to a provider's cache. What was read from a cache is shown and not
// counted, where a program tells it apart.
import type { AgentState } from "#contract/agent.ts";
import type { NewEvent } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import {
	type Allowance,
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

/** A turn's usage with what came to it; how full the window is is told anew each time. */
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

export function inAll(all: readonly Spent[]): Spent {
	const sums = Object.fromEntries(totals.map((key) => [key, all.reduce((sum, each) => sum + each[key], 0)]));
	return { ...nothingSpent, ...sums, costs: together(all.flatMap(({ costs }) => costs)) };
}

function together(costs: readonly Cost[]): Cost[] {
	const by = Map.groupBy(costs, ({ currency }) => currency);
	return [...by.values()].flatMap(([first, ...others]) => (first === undefined ? [] : [others.reduce(plus, first)]));
}

/** Sums of money, without what binary fractions add to them. */
const plus = (one: Cost, other: Cost): Cost => ({ ...one, amount: exact(one.amount + other.amount) });
const exact = (amount: number): number => Number(amount.toFixed(8));

export const countedTokens = ({ inputTokens, outputTokens, cachedWriteTokens }: Spent): number =>
	inputTokens + outputTokens + cachedWriteTokens;
const counted = (spent: Spent, currency: string): number =>
	spent.costs.find((cost) => cost.currency === currency)?.amount ?? 0;

type Spender = Pick<AgentState, "budget" | "spent">;

/** What an agent may still use; null where it may use as much as it likes. */
export function leftOf({ budget, spent }: Spender): Budget {
	const { tokens = null, cost = null } = budget ?? {};
	return {
		tokens: tokens === null ? null : Math.max(0, tokens - countedTokens(spent)),
		cost: cost && { ...cost, amount: exact(Math.max(0, cost.amount - counted(spent, cost.currency))) },
	};
}

/** In words, if nothing is left of something. */
export function usedUp(agent: Spender): string | null {
	const left = leftOf(agent);
	if (left.tokens === 0) return `its budget of ${agent.budget?.tokens} tokens is used up`;
	if (left.cost?.amount === 0) return `its budget of ${agent.budget?.cost?.amount} ${left.cost.currency} is used up`;
	return null;
}

/** At the end of a turn: from here on nothing starts by itself. What was begun is never cut off for it at its end. */
export function heldForBudget(agent: AgentState): NewEvent[] {
	const reason = usedUp(agent);
	return reason === null || isHeld(agent, "budget")
		? []
		: [{ kind: "agent.held", agent: agent.id, data: { hold: "budget", reason } }];
}

/** Another budget, and the end of the hold if there is something left again. */
export function budgeted(agent: AgentState, budget: Allowance | null): NewEvent[] {
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
): { child: Allowance | null; parent: NewEvent[] } | Refusal {
	const left = leftOf(parent);
	if (parent.budget === null) {
		const { tokens = null, cost = null } = request;
		return { child: tokens === null && cost === null ? null : { tokens, cost, from: null }, parent: [] };
	}
	const fresh = givenAnew(parent, parent.budget, request);
	if (fresh !== null) return { child: fresh, parent: [] };
	const tokens = left.tokens === null ? (request.tokens ?? null) : (request.tokens ?? Math.floor(left.tokens / 2));
	const half = left.cost && { ...left.cost, amount: exact(left.cost.amount / 2) };
	const cost = request.cost ?? half;
	const tooMuch =
		beyond(left.tokens, tokens, request.tokens === null) ??
		beyond(left.cost?.amount ?? null, sameCurrency(left.cost, cost), request.cost === null);
	if (tooMuch !== null)
		return refuse("BUDGET_EXCEEDED", `${parent.handle} has ${budgetText(left)} left: ${tooMuch}.`, {
			details: { agent: parent.id, left },
			suggestions: [`brood usage ${parent.handle}`],
		});
	const rest = {
		tokens: minus(parent.budget.tokens, left.tokens === null ? null : tokens),
		cost: minusCost(parent.budget.cost, cost),
	};
	return { child: { tokens, cost, from: parent.id }, parent: budgeted(parent, { ...rest, from: parent.budget.from }) };
}

/** Who has ended has given back what was left. Its forks have what is named for them, and that comes from nobody. */
function givenAnew(parent: AgentState, { tokens, cost }: Allowance, request: BudgetRequest): Allowance | null {
	if (parent.life !== "ended" || usedUp(parent) === null) return null;
	const named = { tokens: request.tokens ?? null, cost: request.cost ?? null, from: null };
	return (tokens !== null && named.tokens === null) || (cost !== null && named.cost === null) ? null : named;
}

/** Another currency than the parent's is not to be had from it. */
const sameCurrency = (left: Cost | null, asked: Cost | null): number | null =>
	asked === null ? null : left !== null && left.currency !== asked.currency ? Number.POSITIVE_INFINITY : asked.amount;

function beyond(left: number | null, asked: number | null, boundless: boolean): string | null {
	if (left === null) return null;
	if (boundless) return "a fork cannot have more than that";
	if (asked === null || asked <= 0) return "nothing can be split off";
	return asked > left ? "a fork cannot have more than that" : null;
}

const minus = (from: number | null, less: number | null): number | null => (from === null ? null : from - (less ?? 0));
const minusCost = (from: Cost | null, less: Cost | null): Cost | null =>
	from && { ...from, amount: exact(from.amount - (less?.currency === from.currency ? less.amount : 0)) };

/**
 * What the agents that end have left goes back to where it came from, or further up if that one ends too. What they
 * used beyond theirs is taken from there: many forks with next to nothing would be a way around every budget.
 */
export function givenBack(ending: readonly AgentState[], others: ReadonlyMap<AgentId, AgentState>): NewEvent[] {
	const ends = new Map(ending.map((agent) => [agent.id, agent]));
	const heirs = new Map<AgentId, AgentState>();
	const emptied: NewEvent[] = [];
	for (const agent of ending) {
		const to = budgetRecipient(agent, ends, others);
		if (to === undefined) continue;
		const heir = heirs.get(to.id) ?? to;
		const { budget } = heir;
		if (budget === null) continue;
		const rest = restOf(agent, budget.cost?.currency ?? "");
		const cost = budget.cost && { ...budget.cost, amount: exact(Math.max(0, budget.cost.amount + rest.amount)) };
		heirs.set(to.id, {
			...heir,
			budget: { ...budget, tokens: budget.tokens === null ? null : Math.max(0, budget.tokens + rest.tokens), cost },
		});
		emptied.push(...without(agent, leftOf(agent)));
	}
	return [...emptied, ...[...heirs.values()].flatMap((heir) => budgeted(heir, heir.budget))];
}

/** What was given back is no longer there to be split: an agent that has ended can still be forked. */
function without({ id, budget }: AgentState, left: Budget): NewEvent[] {
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
		amount: cost?.currency === currency ? cost.amount - counted(spent, currency) : 0,
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
