// Prints tokens and cost.
import type { UsageRow } from "#contract/routes/usage.ts";
import type { Spent } from "#contract/usage.ts";
import { tokensAndCost, totalUsage } from "#views/usage.ts";
import { budgetLine, money, number, spentLine } from "#views/usage-lines.ts";
import { act, type Options } from "./act.ts";
import { call } from "./call.ts";
import { agentNamed } from "./directory-project.ts";
import { table, UsageError } from "./print.ts";
import { timeOf } from "./time.ts";

interface UsageOptions {
	by?: "agent" | "issue" | "subscription" | "project" | undefined;
	since?: string | undefined;
}

export async function usage(agent: string | undefined, { by, since }: UsageOptions, options: Options): Promise<void> {
	const from = since === undefined ? undefined : periodStart(since);
	if (agent !== undefined && by !== undefined) throw new UsageError("Name an agent or use --by, not both.");
	if (agent === undefined)
		return await call("usage", options, { query: { by, since: from } }, (rows) =>
			usageTable(rows, { by, since, ...options }),
		);
	if (from === undefined) return await call("agentUsage", options, { params: { agent } }, usageDetails);
	await act(
		options,
		async (cli) => {
			const [id, rows] = [await agentNamed(cli, agent), await cli.client.call("usage", { query: { since: from } })];
			return rows.filter((row) => row.agent === id);
		},
		(rows) => usageTable(rows, { since, ...options }),
	);
}

/** Midnight of today, yesterday, Monday or the first of the month, in local time; otherwise as everywhere. */
function periodStart(words: string): string {
	const now = new Date(performance.timeOrigin + performance.now());
	const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
	const starts: Readonly<Record<string, Date>> = {
		today: new Date(year, month, day),
		yesterday: new Date(year, month, day - 1),
		week: new Date(year, month, day - ((now.getDay() + 6) % 7)),
		month: new Date(year, month, 1),
	};
	return starts[words]?.toISOString() ?? timeOf(words, "earlier", `, or ${Object.keys(starts).join(", ")}`);
}

/** A name that works on the command line. */
function wholeName({ name, project, agent }: UsageRow, { by, project: only }: UsageOptions & Options): string {
	if (only !== undefined || project === null || by === "project") return name;
	return agent === null ? `${project}#${name}` : `${project}/${name}`;
}

export function usageTable(rows: readonly UsageRow[], wanted: UsageOptions & Options): string {
	const shown = rows.filter(
		({ tokens, spent, budget, withForks }) =>
			tokens > 0 || spent.costs.length > 0 || budget !== null || hasForks(spent, withForks),
	);
	const counts = (spent: Spent): string[] => [
		number(spent.inputTokens),
		number(spent.outputTokens),
		number(spent.cachedReadTokens),
		number(spent.cachedWriteTokens),
		money(spent),
	];
	// a period has neither forks nor budgets
	const isWhole = shown.some(({ withForks, budgetLeft }) => withForks !== null || budgetLeft !== null);
	const cells = shown.map((row) => {
		const { spent, withForks, budgetLeft } = row;
		const more = [
			withForks === null ? "-" : tokensAndCost(withForks),
			budgetLeft === null ? "-" : budgetLine(budgetLeft),
		];
		return [wholeName(row, wanted), ...counts(spent), ...(isWhole ? more : [])];
	});
	const head = ["NAME", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITTEN", "COST"];
	const total = ["total", ...counts(totalUsage(shown)), ...(isWhole ? ["", ""] : [])];
	const none = wanted.since === undefined ? "no usage reported yet" : "no usage reported in this time";
	return (
		table(
			[...head, ...(isWhole ? ["WITH FORKS", "BUDGET LEFT"] : [])],
			[...cells, ...(cells.length > 1 ? [total] : [])],
		) || none
	);
}

const hasForks = (spent: Spent, withForks: Spent | null): boolean =>
	withForks !== null && withForks.inputTokens + withForks.outputTokens > spent.inputTokens + spent.outputTokens;

export function usageDetails({ name, spent, withForks, tokens, budget, budgetLeft }: UsageRow): string {
	const lines: [string, string | null][] = [
		["agent", name],
		["used", spentLine(spent)],
		["counted", `${number(tokens)} tokens`],
		["with its forks", withForks && spentLine(withForks)],
		["budget", budget && budgetLine(budget)],
		["left", budgetLeft && budgetLine(budgetLeft)],
	];
	return lines.flatMap(([title, value]) => (value === null ? [] : `${title.padEnd(18)} ${value}`)).join("\n");
}
