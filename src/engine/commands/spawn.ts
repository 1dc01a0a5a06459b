// How agents come into being: agent 0 by itself, every other one as a child.
import { type AgentState, noAgent } from "#contract/agent.ts";
import { AgentInit, AgentSpawn } from "#contract/agent-commands.ts";
import { type AgentId, Handle, initHandle, type ProjectSlug } from "#contract/ids.ts";
import { isItem } from "#contract/item-kinds.ts";
import type { Limits } from "#contract/limits.ts";
import type { NodeId } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import type { Refusal } from "#contract/refusal.ts";
import { candidateHandles } from "#domain/agent/handle.ts";
import { decideInit, decideSpawn, type SpawnFacts } from "#domain/agent/spawn.ts";
import { isVisible, lastOfContext } from "#domain/history.ts";
import { openCallsOf } from "#domain/turn-end.ts";
import { defineCommand } from "./define.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export const spawnDefinitions = {
	"agent.init": defineCommand({
		schema: AgentInit,
		allowedActors: "daemon",
		startsWork: false,
		load: async ({ tx }) => ({ existing: await tx.agentByHandle(null, initHandle) }),
		decide: ({ existing }, command, envelope) => decideInit(existing, command, envelope),
		subject: ({ existing }, _, { freshId }) => ({ agent: existing?.id ?? freshId }),
	}),
	"agent.spawn": defineCommand({
		schema: AgentSpawn,
		allowedActors: "everyone",
		startsWork: false,
		texts: ({ prompt }) => [prompt ?? ""],
		// a retry may find a newer snapshot, or a program that was installed meanwhile, and is still the same request
		identity: ({ snapshot: _, snapshotOf: __, notHere: ___, ...rest }) => rest,
		load: spawnFacts,
		decide: decideSpawn,
		subject: (_, __, { freshId }) => ({ agent: freshId }),
	}),
};

async function spawnFacts(work: UnitOfWork, command: AgentSpawn, limits: Limits): Promise<SpawnFacts | Refusal> {
	const { tx, envelope } = work;
	const parent = await work.agent(command.parent);
	if (parent === undefined) return noAgent(command.parent);
	const supervisor = await nearestLiving(work, parent);
	// a child belongs to its parent's project; only a child of agent 0 may choose
	const project = await projectFor(work, parent.supervisor === null ? (command.project ?? null) : parent.project);
	const title = command.title ?? command.agentType ?? parent.type;
	const handles = candidateHandles({ name: command.name, title, salt: envelope.salt });
	const several = await nodesWithTurns(work);
	return {
		parent,
		supervisor,
		forkPoint: command.context === "inherit" ? await forkPoint(work, parent, command.at) : 0,
		openCalls: await openCalls(work, parent, command.at),
		project,
		...(await firstFree(work, project ?? null, handles)),
		subscriptions: command.subscription === undefined && several.busy === undefined ? [] : await tx.subscriptions(),
		// only the repository itself can be taken by another agent
		inMain: project && command.workspaceKind === "main" ? await inMain(work, project.slug) : undefined,
		...several,
		full: await fullSubtree(work, supervisor, limits.descendantsMax),
	};
}

/** Turns are counted only where there is a choice of nodes. */
async function nodesWithTurns({ tx }: UnitOfWork): Promise<Pick<SpawnFacts, "nodes" | "busy">> {
	const nodes = await tx.nodes();
	return nodes.length < 2 ? { nodes } : { nodes, busy: await turnsByNode({ tx }) };
}

/** How many turns run at each node. */
export async function turnsByNode({ tx }: Pick<UnitOfWork, "tx">): Promise<Map<NodeId, number>> {
	const busy = new Map<NodeId, number>();
	for (const { node } of await tx.turnLeases()) if (node !== null) busy.set(node, (busy.get(node) ?? 0) + 1);
	return busy;
}

/** Calls without a result at the cut: of the open turn, or of the turn that an item is in. */
async function openCalls(
	{ tx }: UnitOfWork,
	parent: AgentState,
	at: number | undefined,
): Promise<SpawnFacts["openCalls"]> {
	if (at === undefined) return parent.turn ? openCallsOf(await tx.callsOfTurn(parent.id, parent.turn.id)) : [];
	const item = await tx.event(at);
	if (item?.agent == null || item.turn == null) return [];
	return openCallsOf((await tx.callsOfTurn(item.agent, item.turn)).filter(({ id }) => id <= at));
}

/** The end of the parent's context takes one query, however long it is; any other item has to be searched for. */
async function forkPoint(
	{ tx }: UnitOfWork,
	parent: AgentState,
	at: number | undefined,
): Promise<SpawnFacts["forkPoint"]> {
	if (at === undefined) return lastOfContext(await tx.newestItem(parent.id), parent.lineage);
	const item = await tx.event(at);
	if (item === undefined || !isItem(item)) return undefined;
	const { ranges } = await tx.ranges(parent.id);
	const inRanges = ranges.some(
		({ agent, after, upTo }) => agent === item.agent && at > after && (upTo === null || at <= upTo),
	);
	return inRanges && isVisible(item, await tx.controls(parent.id)) ? at : undefined;
}

async function nearestLiving(work: UnitOfWork, agent: AgentState): Promise<AgentState> {
	if (agent.life !== "ended") return agent;
	for (const id of await work.tx.above(agent.id)) {
		const candidate = await work.agent(id);
		if (candidate !== undefined && candidate.life !== "ended") return candidate;
	}
	throw new Error(`no living agent above ${agent.id}, not even agent 0`);
}

async function projectFor(work: UnitOfWork, slug: ProjectSlug | null): Promise<ProjectState | null | undefined> {
	if (slug === null) return null;
	const project = await work.project(slug);
	return project?.removedAt === null ? project : undefined;
}

async function inMain({ tx }: UnitOfWork, project: ProjectSlug): Promise<AgentState | undefined> {
	const living = await tx.agents({ project, life: "living" });
	return living.find((agent) => (agent.workspace ?? agent.workspacePlan)?.kind === "main");
}

async function firstFree(
	{ tx }: UnitOfWork,
	project: ProjectState | null,
	handles: readonly Handle[],
): Promise<Pick<SpawnFacts, "handle" | "renamed">> {
	const holderOf = async (handle: Handle) => await tx.agentByHandle(project?.slug ?? null, handle);
	for (const handle of handles) {
		const holder = await holderOf(handle);
		if (holder === undefined) return { handle, renamed: null };
		// a project of this name was removed with its agents, and added again
		if (project === null || holder.endedAt === null || holder.endedAt >= project.addedAt) continue;
		for (let number = 1; ; number++) {
			const renamed = Handle.parse(`${handle.slice(0, 50)}-was-${number}`);
			if ((await holderOf(renamed)) === undefined) return { handle, renamed: { agent: holder.id, handle: renamed } };
		}
	}
	return { handle: undefined, renamed: null };
}

/** The topmost agent below agent 0 has the most descendants: if its subtree has room, every agent in it has. */
async function fullSubtree(work: UnitOfWork, supervisor: AgentState, limit: number): Promise<SpawnFacts["full"]> {
	if (supervisor.supervisor === null || !Number.isFinite(limit)) return null;
	const above: readonly AgentId[] = await work.tx.above(supervisor.id);
	const topmost = await work.agent(above.at(-2) ?? supervisor.id);
	if (topmost === undefined) return null;
	const living = await work.tx.descendants(topmost.id);
	return living.length < limit ? null : { agent: topmost, limit };
}
