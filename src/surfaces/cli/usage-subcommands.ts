// Usage, and the options for budgets.
import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { BudgetRequest, Cost } from "#contract/usage.ts";
import { scopedSubcommand } from "./options.ts";

export function usageSubcommands(program: Command): void {
	scopedSubcommand(
		program,
		"usage",
		"show tokens and cost, as reported by the agents' programs",
		"only this project; with an agent: look for its name there first",
	)
		.argument("[agent]", "only this agent, alone and with its forks")
		.addOption(
			new Option("--by <noun>", "add up by agent, issue, subscription or project").choices([
				"agent",
				"issue",
				"subscription",
				"project",
			] as const),
		)
		.option(
			"--since <time>",
			"only since then: today, yesterday, week (Monday), month (the 1st), an age (7d) or a date",
		)
		.addHelpText(
			"after",
			"\nExamples:\n  brood usage\n  brood usage opus-1\n  brood usage --since week --by project\n  brood usage --since 7d --by subscription",
		)
		.action(
			async (agent, { by, since, ...options }) =>
				await (await import("./usage.ts")).usage(agent, { by, since }, options),
		);
}

export const budgetTokens = () =>
	new Option("--budget-tokens <number>", "the most tokens that it may use in its life; none for no limit").argParser(
		tokensOf,
	);
export const budgetCost = () =>
	new Option(
		"--budget-cost <amount>",
		"the most that it may cost in its life, like 5 or '5 EUR'; none for no limit",
	).argParser(costOf);

/** commander treats null as absent */
type Unbounded = "none";

interface Bounds {
	budgetTokens?: number | Unbounded | undefined;
	budgetCost?: Cost | Unbounded | undefined;
}

export function budgetOf({ budgetTokens: tokens, budgetCost: cost }: Bounds): { budget?: BudgetRequest } {
	const bound = <T>(value: T | Unbounded): T | null => (value === "none" ? null : value);
	const budget = {
		...(tokens !== undefined && { tokens: bound(tokens) }),
		...(cost !== undefined && { cost: bound(cost) }),
	};
	return Object.keys(budget).length === 0 ? {} : { budget };
}

function tokensOf(value: string): number | Unbounded {
	if (value === "none") return value;
	if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError("Say a number of tokens, or none.");
	return Number(value);
}

function costOf(value: string): Cost | Unbounded {
	if (value === "none") return value;
	const [, amount, currency = "USD"] = /^(\d+(?:\.\d+)?) ?([A-Z]{3})?$/.exec(value) ?? [];
	if (amount === undefined) throw new InvalidArgumentError("Say an amount like 5 or '5 EUR', or none.");
	return { amount: Number(amount), currency };
}
