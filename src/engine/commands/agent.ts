// What the deciders of the agent have to see, and where it is read.
import {
	type AgentConfigure,
	type AgentDelete,
	AgentFact,
	type AgentKill,
	type AgentSpawn,
	type AgentState,
	noSettings,
	type Settings,
} from "#contract/agent.ts";
import { type AgentId, agentOf, type Handle, initHandle, type ProjectSlug } from "#contract/ids.ts";
import { isItem } from "#contract/item.ts";
import type { Limits } from "#contract/limits.ts";
import type { ProjectState } from "#contract/project.ts";
import { refuse } from "#contract/refusal.ts";
import { decideConfigure } from "#domain/agent/decide.ts";
import { candidateHandles } from "#domain/agent/handle.ts";
import { decideDelete, decideKill, type KillSight, type LooseEnds } from "#domain/agent/kill.ts";
import { decideInit, decideSpawn, type SpawnSight } from "#domain/agent/spawn.ts";
import type { Decision } from "#domain/decision.ts";
import { isVisible, lastOfContext } from "#domain/history.ts";
import { openCallsOf } from "#domain/turn-end.ts";
import type { Reads } from "../ports.ts";
import type { Decided, Work } from "../work.ts";
import { looseThreads } from "./loose.ts";

/** Commands that concern one agent and need nothing but its row. */
export async function onAgent(work: Work, id: AgentId, decide: (agent: AgentState) => Decision): Promise<Decided> {
	const agent = await work.agent(id);
	return { decision: agent === undefined ? unknownAgent(id) : decide(agent), subject: { agent: id } };
}

const unknownAgent = (id: AgentId): Decision => refuse("AGENT_NOT_FOUND", `There is no agent ${id}.`, { suggestions: ["brood agent list"] });

export async function initAgent(work: Work, command: { agentType: string }): Promise<Decided> {
	const { freshId } = work.envelope;
	const existing = await work.tx.agentByHandle(null, initHandle);
	return { decision: decideInit(existing, command, { freshId }), subject: { agent: existing?.id ?? freshId } };
}

export async function spawnAgent(work: Work, command: AgentSpawn, limits: Limits): Promise<Decided> {
	const { actor, freshId, salt } = work.envelope;
	const parent = await work.agent(command.by);
	if (parent === undefined) return { decision: unknownAgent(command.by), subject: {} };
	const above = await work.tx.above(parent.id);
	const supervisor = await nearestLiving(work, parent, above);
	// a child belongs to its parent's project; only a child of agent 0 may choose
	const project = await projectFor(work, parent.supervisor === null ? (command.project ?? null) : parent.project);
	const wishes = candidateHandles({ name: command.name, title: command.title ?? command.agentType ?? parent.type, salt });
	const seen: SpawnSight = {
		parent,
		supervisor,
		forkPoint: command.context === "inherit" ? await forkPoint(work, parent, command.at) : 0,
		openCalls: parent.turn === null ? [] : openCallsOf(await work.tx.callsOfTurn(parent.id, parent.turn.id)),
		project,
		handle: await firstFree(work, project?.slug ?? null, wishes),
		subscriptions: command.subscription === undefined ? [] : await work.tx.subscriptions(),
		inMain: project ? await inMain(work, project.slug) : undefined,
		full: await fullFamily(work, supervisor, limits.descendantsMax),
	};
	return { decision: decideSpawn(seen, command, { actor, freshId }), subject: { agent: freshId } };
}

/** The end of the parent's context takes one look-up, however long it is; any other item has to be looked for in it. */
async function forkPoint(work: Work, parent: AgentState, at: number | undefined): Promise<SpawnSight["forkPoint"]> {
	if (at === undefined) return lastOfContext(await work.tx.newestItem(parent.id), parent.lineage);
	const item = await work.tx.event(at);
	if (item === undefined || !isItem(item)) return undefined;
	const { ranges } = await work.tx.ranges(parent.id);
	const inRanges = ranges.some(({ agent, after, upTo }) => agent === item.agent && at > after && (upTo === null || at <= upTo));
	return inRanges && isVisible(item, await work.tx.controls(parent.id)) ? at : undefined;
}

async function nearestLiving(work: Work, agent: AgentState, above: readonly AgentId[]): Promise<AgentState> {
	if (agent.life !== "ended") return agent;
	for (const id of above) {
		const candidate = await work.agent(id);
		if (candidate !== undefined && candidate.life !== "ended") return candidate;
	}
	throw new Error(`no living agent above ${agent.id}, not even agent 0`);
}

async function projectFor(work: Work, slug: ProjectSlug | null): Promise<ProjectState | null | undefined> {
	if (slug === null) return null;
	const project = await work.project(slug);
	return project?.removedAt === null ? project : undefined;
}

/** Only who asks for the repository itself has to know whether somebody is in it. */
async function inMain(work: Work, project: ProjectSlug): Promise<AgentState | undefined> {
	const { command } = work.envelope;
	if (command.type !== "agent.spawn" || command.workspaceKind !== "main") return undefined;
	const living = (await work.tx.agents({ project })).filter((agent) => agent.life !== "ended");
	return living.find((agent) => (agent.workspace ?? agent.plan)?.kind === "main");
}

async function firstFree(work: Work, project: ProjectSlug | null, wishes: readonly Handle[]): Promise<Handle | undefined> {
	for (const handle of wishes) if ((await work.tx.agentByHandle(project, handle)) === undefined) return handle;
	return undefined;
}

/** The topmost agent below agent 0 has the most descendants: if its family has room, every agent in it has. */
async function fullFamily(work: Work, supervisor: AgentState, limit: number): Promise<SpawnSight["full"]> {
	if (supervisor.supervisor === null || !Number.isFinite(limit)) return null;
	const above = await work.tx.above(supervisor.id);
	const eldest = await work.agent(above.at(-2) ?? supervisor.id);
	if (eldest === undefined) return null;
	const living = await work.tx.descendants(eldest.id);
	return living.length < limit ? null : { agent: eldest, limit };
}

export async function configureAgent(work: Work, command: AgentConfigure): Promise<Decided> {
	const agent = await work.agent(command.agent);
	const current = await settingsOf(work.tx, agent?.settings ?? null);
	const subscriptions = command.subscription === undefined ? [] : await work.tx.subscriptions();
	return await onAgent(work, command.agent, (state) => decideConfigure(state, current, command, subscriptions));
}

/** The settings that an event holds; none if the agent never had any. */
export async function settingsOf(reads: Reads, event: number | null): Promise<Settings> {
	const configured = event === null ? undefined : AgentFact.safeParse(await reads.event(event)).data;
	if (configured?.kind !== "agent.configured") return noSettings;
	const { systemPrompt, pinned, options = {} } = configured.data;
	return { systemPrompt, pinned, options };
}

/** Who else works in the same tree has a say in what git does there. */
export async function inSharedTree(work: Work, id: AgentId, decide: (agent: AgentState, others: readonly AgentState[]) => Decision): Promise<Decided> {
	const agent = await work.agent(id);
	const path = agent?.workspace?.path;
	const neighbours = agent?.project == null || path === undefined ? [] : await work.tx.agents({ project: agent.project });
	const others = neighbours.filter((other) => other.id !== id && other.life !== "ended" && other.workspace?.path === path);
	return await onAgent(work, id, (state) => decide(state, others));
}

async function looseEnds(work: Work, agents: readonly AgentState[]): Promise<Map<AgentId, LooseEnds>> {
	const found = new Map<AgentId, LooseEnds>();
	for (const { id, turn } of agents) {
		const threads = await looseThreads(work, id, turn?.id ?? null);
		const waits = (await work.tx.openWaits()).filter((wait) => wait.agent === id);
		const prompts = await work.tx.prompts(id);
		found.set(id, { ...threads, waits, prompts: prompts.map((prompt) => prompt.id) });
	}
	return found;
}

export async function killAgent(work: Work, command: AgentKill): Promise<Decided> {
	const { actor } = work.envelope;
	const target = await work.agent(command.agent);
	if (target === undefined) return { decision: unknownAgent(command.agent), subject: {} };
	const seen = await killSight(work, target, command.cascade);
	return { decision: decideKill(seen, command, { actor }), subject: { agent: target.id } };
}

export async function deleteAgent(work: Work, command: AgentDelete): Promise<Decided> {
	const target = await work.agent(command.agent);
	if (target === undefined) return { decision: unknownAgent(command.agent), subject: {} };
	return { decision: decideDelete(await killSight(work, target, false), command), subject: { agent: target.id } };
}

/** Up from each to the first, since whoever gave may have ended long ago. */
async function giversTo(work: Work, agents: readonly AgentState[]): Promise<Map<AgentId, AgentState>> {
	const found = new Map<AgentId, AgentState>();
	for (const { budget } of agents) {
		for (let from = budget?.from ?? null; from !== null && !found.has(from); from = found.get(from)?.budget?.from ?? null) {
			const giver = await work.agent(from);
			if (giver !== undefined) found.set(from, giver);
		}
	}
	return found;
}

async function killSight(work: Work, target: AgentState, cascade: boolean): Promise<KillSight> {
	const caller = agentOf(work.envelope.actor);
	const descendants = cascade ? await work.tx.descendants(target.id) : [];
	return {
		target,
		loose: await looseEnds(work, [...descendants, target]),
		givers: await giversTo(work, [...descendants, target]),
		children: cascade ? [] : await work.tx.children(target.id),
		descendants,
		above: await work.tx.above(target.id),
		aboveCaller: caller === null ? [] : await work.tx.above(caller),
	};
}
