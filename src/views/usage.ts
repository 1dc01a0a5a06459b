// Usage per agent, issue, subscription and project. An agent's own is in its row; that of its forks is added up here.
import type { AgentState } from "#contract/agent.ts";
import type { IssueState } from "#contract/issue.ts";
import type { UsageRow } from "#contract/routes/usage.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { Spent } from "#contract/usage.ts";
import { countedTokens, exact, leftOf, sumOf } from "#domain/usage.ts";
import { money, number } from "./usage-lines.ts";

/** `forks`: the usage of each of its forks, and of theirs. An agent made under agent 0 is not its fork. */
export function agentUsage(agent: AgentState, forks: readonly Spent[]): UsageRow {
	const { handle, id, project, spent, budget } = agent;
	const bounds = budget && { tokens: budget.tokens, cost: budget.cost };
	const withForks = sumOf([spent, ...forks]);
	return { ...row(handle, spent), agent: id, project, withForks, budget: bounds, budgetLeft: bounds && leftOf(agent) };
}

export const issueUsage = ({ number, project, spent }: IssueState): UsageRow => ({
	...row(String(number), spent),
	project,
});

export const subscriptionUsage = ({ name, spent }: SubscriptionState): UsageRow => row(name, spent);

export function projectUsage({ project, spent }: { project: UsageRow["project"]; spent: Spent }): UsageRow {
	const costs = spent.costs.map(({ amount, currency }) => ({ amount: exact(amount), currency }));
	return { ...row(project ?? "-", { ...spent, costs }), project };
}

/** What was reported in a period. `name`: of an agent or project its own, of an issue its number. */
export function periodUsage(
	name: string,
	of: { agent?: UsageRow["agent"]; project?: UsageRow["project"] },
	spent: Spent,
): UsageRow {
	return { ...row(name, spent), agent: of.agent ?? null, project: of.project ?? null };
}

/** All rows together. */
export const totalUsage = (rows: readonly Pick<UsageRow, "spent">[]): Spent => sumOf(rows.map(({ spent }) => spent));

const row = (name: string, spent: Spent): UsageRow => ({
	...{ name, agent: null, project: null, spent, tokens: countedTokens(spent) },
	...{ withForks: null, budget: null, budgetLeft: null },
});

export const tokensAndCost = (spent: Spent): string =>
	`${number(countedTokens(spent))} tokens${spent.costs.length === 0 ? "" : `, ${money(spent)}`}`;
