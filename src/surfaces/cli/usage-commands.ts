// Tokens and cost, and the options that bound them.
import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { BudgetRequest, Cost } from "#contract/usage.ts";
import { call } from "./call.ts";
import { json, project } from "./options.ts";

export function usageCommands(program: Command): void {
	program
		.command("usage")
		.description("tokens and cost, added up")
		.argument("[agent]", "only this one, alone and with its forks")
		.addOption(
			new Option("--by <noun>", "what is added up").choices(["agent", "issue", "subscription", "project"] as const),
		)
		.addOption(project())
		.addOption(json())
		.addHelpText("after", "\nExamples:\n  brood usage\n  brood usage opus-1\n  brood usage --by issue --project web")
		.action(async (agent, { by, ...options }) =>
			agent === undefined
				? await call("usage", options, { query: { by } }, async (rows) => (await import("./usage.ts")).usageTable(rows))
				: await call("agentUsage", options, { params: { agent } }, async (row) =>
						(await import("./usage.ts")).usageDetails(row),
					),
		);
}

export const budgetTokens = () =>
	new Option("--budget-tokens <number>", "how many tokens it may use in all; none for no limit").argParser(tokensOf);
export const budgetCost = () =>
	new Option("--budget-cost <amount>", "what it may cost in all, like 5 or '5 EUR'; none for no limit").argParser(
		costOf,
	);

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
