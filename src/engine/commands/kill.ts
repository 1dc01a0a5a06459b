// Commands that end agents, with everything that they and the agents below them have open.
import type { AgentState } from "#contract/agent.ts";
import { AgentDelete, AgentKill } from "#contract/agent-commands.ts";
import { type AgentId, agentOf } from "#contract/ids.ts";
import { decideDelete, decideKill, type KillFacts, type OpenWorkAndQueue } from "#domain/agent/kill.ts";
import { onAgent } from "./on-agent.ts";
import { openWorkOf, unrecorded } from "./open-work.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export const killDefinitions = {
	"agent.kill": onAgent({
		schema: AgentKill,
		allowedActors: "everyone",
		startsWork: false,
		load: (work, { cascade }, { agent }) => killFacts(work, agent, cascade),
		decide: (_, command, facts, envelope) => decideKill(facts, command, envelope),
	}),
	"agent.delete": onAgent({
		schema: AgentDelete,
		allowedActors: "people",
		startsWork: false,
		load: (work, _, { agent }) => killFacts(work, agent, false),
		decide: (_, command, facts) => decideDelete(facts, command),
	}),
};

async function killFacts(work: UnitOfWork, target: AgentState, cascade: boolean): Promise<KillFacts> {
	const caller = agentOf(work.envelope.actor);
	const descendants = cascade ? await work.tx.descendants(target.id) : [];
	return {
		target,
		openWork: await openWorkOfAll(work, [...descendants, target]),
		givers: await giversTo(work, [...descendants, target]),
		children: cascade ? [] : await work.tx.children(target.id),
		descendants,
		above: await work.tx.above(target.id),
		aboveCaller: caller === null ? [] : await work.tx.above(caller),
	};
}

async function openWorkOfAll(work: UnitOfWork, agents: readonly AgentState[]): Promise<Map<AgentId, OpenWorkAndQueue>> {
	const open = await work.tx.openWaits();
	const found = new Map<AgentId, OpenWorkAndQueue>();
	for (const { id, turn } of agents) {
		const openWork = await openWorkOf(work, id, turn?.id ?? null);
		const prompts = await work.tx.queueOrder(id);
		const waits = open.filter((wait) => wait.agent === id);
		const partials = turn === null ? [] : await unrecorded(work, id, turn.id);
		found.set(id, { ...openWork, waits, partials, prompts: prompts.map((prompt) => prompt.id) });
	}
	return found;
}

/** All agents up the chain of budgets, since the nearest giver may have ended. */
async function giversTo(work: UnitOfWork, agents: readonly AgentState[]): Promise<Map<AgentId, AgentState>> {
	const found = new Map<AgentId, AgentState>();
	for (const { budget } of agents) {
		for (
			let from = budget?.from ?? null;
			from !== null && !found.has(from);
			from = found.get(from)?.budget?.from ?? null
		) {
			const giver = await work.agent(from);
			if (giver !== undefined) found.set(from, giver);
		}
	}
	return found;
}
