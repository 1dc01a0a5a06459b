// Tokens and cost, as people read them.
import type { UsageRow } from "#contract/routes/usage.ts";
import type { Spent } from "#contract/usage.ts";
import { familyLine } from "#views/usage.ts";
import { budgetLine, money, number, spentLine } from "#views/usage-lines.ts";
import { table } from "./print.ts";

export function usageTable(rows: readonly UsageRow[]): string {
	const told = rows.filter(
		({ tokens, spent, budget, withForks }) =>
			tokens > 0 || spent.costs.length > 0 || budget !== null || hasForks(spent, withForks),
	);
	const cells = told.map(({ name, spent, withForks, left }) => [
		...[
			name,
			number(spent.inputTokens),
			number(spent.outputTokens),
			number(spent.cachedReadTokens),
			number(spent.cachedWriteTokens),
			money(spent),
		],
		...[withForks === null ? "-" : familyLine(withForks), left === null ? "-" : budgetLine(left)],
	]);
	const head = ["NAME", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITTEN", "COST", "WITH FORKS", "BUDGET LEFT"];
	return table(head, cells) || "no usage reported yet";
}

const hasForks = (spent: Spent, withForks: Spent | null): boolean =>
	withForks !== null && withForks.inputTokens + withForks.outputTokens > spent.inputTokens + spent.outputTokens;

export function usageDetails({ name, spent, withForks, tokens, budget, left }: UsageRow): string {
	const lines: [string, string | null][] = [
		["agent", name],
		["used", spentLine(spent)],
		["counted", `${number(tokens)} tokens`],
		["with its forks", withForks && spentLine(withForks)],
		["budget", budget && budgetLine(budget)],
		["left", left && budgetLine(left)],
	];
	return lines.flatMap(([title, value]) => (value === null ? [] : `${title.padEnd(18)} ${value}`)).join("\n");
}
