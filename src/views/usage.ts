// Who used how much. An agent's own is in its row; a family's is added up here.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { UsageRow } from "#contract/routes/usage.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { Spent } from "#contract/usage.ts";
import { countedTokens, inAll, leftOf } from "#domain/usage.ts";
import { money, number } from "./usage-lines.ts";

/**
 * For each agent what it used together with its forks. Agent 0 forks nobody: those below it only belong to nobody else.
 */
export function familyUsage(agents: readonly AgentState[]): ReadonlyMap<AgentId, Spent> {
	const roots = new Set(agents.filter((agent) => agent.supervisor === null).map(({ id }) => id));
	const below = Map.groupBy(
		agents,
		(agent) =>
			agent.lineage?.agent ?? (agent.supervisor !== null && roots.has(agent.supervisor) ? null : agent.supervisor),
	);
	const found = new Map<AgentId, Spent>();
	const visit = (agent: AgentState): Spent => {
		const known = found.get(agent.id);
		if (known !== undefined) return known;
		const sum = inAll([agent.spent, ...(below.get(agent.id) ?? []).map(visit)]);
		found.set(agent.id, sum);
		return sum;
	};
	for (const agent of agents) visit(agent);
	return found;
}

export function agentUsage(agent: AgentState, withForks: Spent): UsageRow {
	const { handle, id, project, spent, budget } = agent;
	const bounds = budget && { tokens: budget.tokens, cost: budget.cost };
	return { ...row(handle, spent), agent: id, project, withForks, budget: bounds, left: bounds && leftOf(agent) };
}

export const issueUsage = ({ number, project, spent }: IssueState): UsageRow => ({
	...row(String(number), spent),
	project,
});

export const subscriptionUsage = ({ name, spent }: SubscriptionState): UsageRow => row(name, spent);

export function projectUsage(agents: readonly AgentState[]): UsageRow[] {
	const by = Map.groupBy(agents, ({ project }) => project);
	return [...by].map(([project, those]) => ({
		...row(project ?? "-", inAll(those.map(({ spent }) => spent))),
		project,
	}));
}

const row = (name: string, spent: Spent): UsageRow => ({
	...{ name, agent: null, project: null, spent, tokens: countedTokens(spent) },
	...{ withForks: null, budget: null, left: null },
});

export const familyLine = (spent: Spent): string =>
	`${number(countedTokens(spent))} tokens${spent.costs.length === 0 ? "" : `, ${money(spent)}`}`;
