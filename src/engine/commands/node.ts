// Commands about nodes: they join, leave and fall; people drain, resume and remove them.
import { initHandle } from "#contract/ids.ts";
import {
	NodeDrain,
	NodeEquip,
	NodeFall,
	type NodeId,
	NodeJoin,
	NodeLeave,
	NodeRemove,
	NodeResume,
} from "#contract/node.ts";
import {
	decideDrain,
	decideEquip,
	decideFall,
	decideJoin,
	decideLeaveNode,
	decideRemoveNode,
	decideResumeNode,
	type FallenWork,
} from "#domain/membership.ts";
import { defineCommand } from "./define.ts";
import { openWorkOf, unrecorded } from "./open-work.ts";
import { turnsByNode } from "./spawn.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

const onNode = {
	load: async (work: UnitOfWork, { node }: { node: NodeId }) => ({ node: await work.node(node) }),
	subject: {},
} as const;

export const nodeDefinitions = {
	"node.join": defineCommand({
		...onNode,
		schema: NodeJoin,
		allowedActors: "daemon",
		startsWork: false,
		load: async (work) => ({ nodes: await work.tx.nodes(), agentZero: await agentZeroOf(work) }),
		decide: ({ nodes, agentZero }, command) => decideJoin(nodes, command, agentZero),
	}),
	"node.fall": defineCommand({
		...onNode,
		schema: NodeFall,
		allowedActors: "people",
		startsWork: false,
		load: async (work, { node, epoch }) => ({
			beats: await work.tx.beatsOf(node, epoch),
			node: await work.node(node),
			fallen: await fallenWork(work, node),
		}),
		decide: ({ node, ...facts }, command, envelope) => decideFall(node, command, facts, envelope),
	}),
	"node.leave": defineCommand({
		...onNode,
		schema: NodeLeave,
		allowedActors: "daemon",
		startsWork: false,
		load: async (work, { node }) => {
			const agentZero = await agentZeroOf(work);
			const facts = { nodes: await work.tx.nodes(), agentZero: agentZero?.node === node ? agentZero : undefined };
			return { node: await work.node(node), facts };
		},
		decide: ({ node, facts }, command) => decideLeaveNode(node, command, facts),
	}),
	"node.drain": defineCommand({
		...onNode,
		schema: NodeDrain,
		allowedActors: "people",
		startsWork: false,
		decide: ({ node }, command) => decideDrain(node, command),
	}),
	"node.resume": defineCommand({
		...onNode,
		schema: NodeResume,
		allowedActors: "people",
		startsWork: false,
		decide: ({ node }, command) => decideResumeNode(node, command),
	}),
	"node.equip": defineCommand({
		...onNode,
		schema: NodeEquip,
		allowedActors: "daemon",
		startsWork: false,
		decide: ({ node }, command) => decideEquip(node, command),
	}),
	"node.remove": defineCommand({
		...onNode,
		schema: NodeRemove,
		allowedActors: "people",
		startsWork: false,
		load: async (work, { node }) => {
			const facts = { nodes: await work.tx.nodes(), agents: await agentsOf(work, node) };
			return { node: await work.node(node), facts };
		},
		decide: ({ node, facts }, command, envelope) => decideRemoveNode(node, command, facts, envelope),
	}),
};

async function fallenWork(work: UnitOfWork, node: NodeId): Promise<FallenWork> {
	const turns = [];
	for (const turn of await work.tx.openTurns()) {
		const agent = turn.node === node ? await work.agent(turn.agent) : undefined;
		if (agent === undefined) continue;
		const partials = await unrecorded(work, agent.id, turn.id);
		const openWork = { ...(await openWorkOf(work, agent.id, turn.id)), partials };
		turns.push({ agent, turn, openWork, first: (await work.tx.queueEnds(agent.id)).first });
	}
	const [nodes, subscriptions, projects] = [
		await work.tx.nodes(),
		await work.tx.subscriptions(),
		await work.tx.projects(),
	];
	const elsewhere = { nodes, subscriptions, projects, busy: await turnsByNode(work) };
	return { turns, agents: await agentsOf(work, node), elsewhere };
}

const agentZeroOf = async (work: UnitOfWork) => await work.tx.agentByHandle(null, initHandle);

const agentsOf = async (work: UnitOfWork, node: NodeId) =>
	(await work.tx.agents({ life: "living" })).filter((agent) => agent.node === node);
