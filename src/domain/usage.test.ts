import { describe, expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import { isRefusal } from "#contract/refusal.ts";
import { type BudgetRequest, nothingSpent } from "#contract/usage.ts";
import { id, live } from "#test/support/given.ts";
import {
	decideBudget,
	heldForBudget,
	leftOf,
	returnBudgets,
	splitBudget,
	sumOf,
	usedUp,
	withSpent,
	withUsage,
} from "./usage.ts";

const usd = (amount: number) => ({ amount, currency: "USD" });

function spender(letter: string, tokens: number | null, spent = 0, more: Partial<AgentState> = {}): AgentState {
	return {
		...live(letter),
		budget: { tokens, cost: null, from: null },
		spent: { ...nothingSpent, inputTokens: spent },
		...more,
	};
}

const split = (parent: AgentState, request?: BudgetRequest) => {
	const parts = splitBudget(parent, request);
	return isRefusal(parts) ? parts.code : { child: parts.child, parent: parts.parent };
};

describe("what was used", () => {
	test("adds up within a turn, and the window is told anew", () => {
		const first = withUsage(null, { inputTokens: 10, outputTokens: 1, contextTokens: 11, cost: usd(0.1) });
		expect(withUsage(first, { inputTokens: 5, contextTokens: 16, cost: usd(0.2) })).toEqual({
			inputTokens: 15,
			outputTokens: 1,
			contextTokens: 16,
			cost: usd(0.3),
		});
	});

	test("adds up over turns, with one sum for each currency", () => {
		const spent = withSpent(withSpent(nothingSpent, { inputTokens: 1, cost: usd(0.1) }), {
			outputTokens: 2,
			cost: { amount: 3, currency: "EUR" },
		});
		expect(sumOf([spent, spent])).toEqual({
			...nothingSpent,
			inputTokens: 2,
			outputTokens: 4,
			costs: [usd(0.2), { amount: 6, currency: "EUR" }],
		});
	});

	test("what was read from a cache is not counted, what was written to it is", () => {
		const agent = spender("a", 100, 10);
		expect(leftOf({ ...agent, spent: { ...agent.spent, cachedReadTokens: 1000, cachedWriteTokens: 30 } }).tokens).toBe(
			60,
		);
	});
});

describe("a budget", () => {
	test("that is used up holds its agent at the end of the turn, once", () => {
		const agent = spender("a", 100, 100);
		expect(heldForBudget(agent)).toEqual([
			{ kind: "agent.held", agent: id("a"), data: { hold: "budget", reason: "its budget of 100 tokens is used up" } },
		]);
		expect(heldForBudget({ ...agent, holds: [{ kind: "budget", reason: "", by: agent.createdBy, at: 1 }] })).toEqual(
			[],
		);
		expect(heldForBudget(spender("a", 101, 100))).toEqual([]);
	});

	test("of money is used up by money of the same currency", () => {
		const agent = { ...spender("a", null), budget: { tokens: null, cost: usd(1), from: null } };
		expect(usedUp({ ...agent, spent: { ...nothingSpent, costs: [{ amount: 5, currency: "EUR" }] } })).toBeNull();
		expect(usedUp({ ...agent, spent: { ...nothingSpent, costs: [usd(1.5)] } })).toBe("its budget of 1 USD is used up");
	});

	test("that is raised ends the hold, and one that is lifted too", () => {
		const held = spender("a", 100, 100, { holds: [{ kind: "budget", reason: "", by: live("a").createdBy, at: 1 }] });
		const lift = { kind: "agent.unheld", agent: id("a"), data: { holds: ["budget"] } };
		expect(decideBudget(held, { tokens: 200 })).toEqual([
			{ kind: "agent.budgeted", agent: id("a"), data: { budget: { tokens: 200, cost: null, from: null } } },
			lift,
		]);
		expect(decideBudget(held, { tokens: null })).toEqual([
			{ kind: "agent.budgeted", agent: id("a"), data: { budget: null } },
			lift,
		]);
		expect(decideBudget(held, { tokens: 90 })).toHaveLength(1);
	});
});

describe("a fork", () => {
	const parts = (child: number, rest: number) => ({
		child: { tokens: child, cost: null, from: id("a") },
		parent: [{ kind: "agent.budgeted", agent: id("a"), data: { budget: { tokens: rest, cost: null, from: null } } }],
	});

	test("gets half of what is left, and its parent has that much less", () =>
		expect(split(spender("a", 100, 20))).toEqual(parts(40, 60)));
	test("gets what is asked for", () => expect(split(spender("a", 100, 20), { tokens: 80 })).toEqual(parts(80, 20)));
	test("gets no more than there is", () =>
		expect(split(spender("a", 100, 20), { tokens: 81 })).toBe("BUDGET_EXCEEDED"));
	test("of a parent with a budget cannot be without one", () =>
		expect(split(spender("a", 100, 20), { tokens: null })).toBe("BUDGET_EXCEEDED"));
	test("is refused if nothing is left", () => expect(split(spender("a", 100, 100))).toBe("BUDGET_EXCEEDED"));
	test("gets no money of another currency", () => {
		const parent = { ...live("a"), budget: { tokens: null, cost: usd(10), from: null } };
		expect(split(parent, { cost: { amount: 1, currency: "EUR" } })).toBe("BUDGET_EXCEEDED");
		expect(split(parent)).toMatchObject({ child: { cost: usd(5) } });
	});
	test("of an agent without a budget has what is requested, or none", () => {
		expect(split(live("a"))).toEqual({ child: null, parent: [] });
		expect(split(live("a"), { tokens: 5 })).toEqual({ child: { tokens: 5, cost: null, from: null }, parent: [] });
	});
});

describe("an agent that ends", () => {
	const child = (letter: string, from: string, tokens: number, spent: number): AgentState =>
		spender(letter, tokens, spent, { budget: { tokens, cost: null, from: id(from) } });
	const given = (tokens: number) => [
		{ kind: "agent.budgeted", agent: id("a"), data: { budget: { tokens, cost: null, from: null } } },
	];
	const others = (...agents: AgentState[]) => new Map(agents.map((agent) => [agent.id, agent]));

	const emptied = (letter: string, from: string, tokens: number) => ({
		...{ kind: "agent.budgeted", agent: id(letter) },
		data: { budget: { tokens, cost: null, from: id(from) } },
	});

	test("gives back what it has left, and has nothing more", () =>
		expect(returnBudgets([child("b", "a", 40, 15)], others(spender("a", 60, 20)))).toEqual([
			emptied("b", "a", 15),
			...given(85),
		]));
	test("that overspent takes the difference from the budget that it came from, down to zero", () => {
		expect(returnBudgets([child("b", "a", 40, 50)], others(spender("a", 60, 20)))).toEqual([
			emptied("b", "a", 40),
			...given(50),
		]);
		expect(returnBudgets([child("b", "a", 1, 5000)], others(spender("a", 60, 20)))).toEqual([
			emptied("b", "a", 1),
			...given(0),
		]);
	});
	test("gives back no money of another currency than its giver has", () => {
		const costs = (letter: string, currency: string, from: string | null): AgentState => ({
			...live(letter),
			budget: { tokens: null, cost: { amount: 3, currency }, from: from === null ? null : id(from) },
		});
		expect(returnBudgets([costs("b", "EUR", "a")], others(costs("a", "USD", null)))).toMatchObject([
			{ agent: id("b") },
			{ agent: id("a"), data: { budget: { cost: usd(3) } } },
		]);
	});
	test("together with its fork gives to the one above both", () =>
		expect(returnBudgets([child("c", "b", 20, 5), child("b", "a", 20, 10)], others(spender("a", 60, 20)))).toEqual([
			...[emptied("c", "b", 5), emptied("b", "a", 10)],
			...given(85),
		]));
	test("whose giver has ended gives further up", () => {
		const gone = { ...child("b", "a", 20, 20), life: "ended" as const };
		expect(returnBudgets([child("c", "b", 20, 5)], others(gone, spender("a", 60, 20)))).toEqual([
			emptied("c", "b", 5),
			...given(75),
		]);
	});
	test("has nothing left to split: its forks have what is named for them", () => {
		const gone = { ...child("b", "a", 15, 15), life: "ended" as const };
		expect(split(gone)).toBe("BUDGET_EXCEEDED");
		expect(split(gone, { tokens: null })).toBe("BUDGET_EXCEEDED");
		expect(split(gone, { cost: usd(1) })).toBe("BUDGET_EXCEEDED");
		expect(split(gone, { tokens: 30 })).toEqual({ child: { tokens: 30, cost: null, from: null }, parent: [] });
	});
	test("that got it from a person gives nothing", () =>
		expect(returnBudgets([spender("b", 100)], others(spender("a", 60)))).toEqual([]));
});
