// The routes of nodes.
import type { CommandInput } from "#contract/command.ts";
import { isActive, type NodeId, type NodeState, noNode } from "#contract/node.ts";
import { nodeStateText } from "#contract/node-state-text.ts";
import type { Node } from "#contract/node-wire.ts";
import { slicePage } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { databaseProblems } from "#views/database.ts";
import { nodeView } from "#views/nodes.ts";
import { findNode } from "../find-node.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";

type NodeRequest = RouteRequest<"nodeDrain" | "nodeResume" | "nodeFall" | "nodeRemove">;

export function nodeHandlers(context: RequestContext) {
	const { engine, reads } = context;
	const shown = async (states: readonly NodeState[]): Promise<Node[]> => {
		const [leases, agents, beats, subscriptions] = await Promise.all([
			reads.turnLeases(),
			reads.livingAgentsByNode(),
			engine.nodes.lastBeats(),
			reads.subscriptions(),
		]);
		const { self } = engine.nodes;
		const isSilent = (node: NodeId): boolean => engine.nodes.lastSeen(node)?.isSilent ?? false;
		return states.map((state) => nodeView(state, { self, leases, agents, beats, subscriptions, isSilent }));
	};
	const change = async (
		request: NodeRequest,
		commandFor: (node: NodeState) => CommandInput | Refusal,
	): Promise<Node | Refusal> => {
		const found = await findNode(reads, request.params["node"] ?? "");
		const command = isRefusal(found) ? found : commandFor(found);
		if (isRefusal(found)) return found;
		if (isRefusal(command)) return command;
		const done = await context.dispatch(request, command);
		if (isRefusal(done)) return done;
		const [node] = await shown([(await reads.node(found.id)) ?? found]);
		return node ?? noNode(found.name);
	};
	return {
		nodes: async ({ page }) => {
			const listed = (await reads.nodes()).filter(({ state }) => state !== "removed");
			return slicePage(await shown(listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))), page);
		},
		database: async () => ({
			...{ roundTripMs: engine.nodes.database?.roundTripMs ?? null },
			clockOffsetMs: engine.nodes.database?.clockOffsetMs ?? null,
			problems: databaseProblems(await engine.nodes.examine(), engine.nodes.database, engine.nodes.limitsIgnored),
		}),
		nodeDrain: (request) => change(request, ({ id }) => ({ type: "node.drain", node: id })),
		nodeResume: (request) => change(request, ({ id }) => ({ type: "node.resume", node: id })),
		nodeRemove: (request) => change(request, ({ id }) => ({ type: "node.remove", node: id })),
		nodeFall: async (request) => {
			const fallen = await change(request, (node) =>
				node.id === engine.nodes.self ? wasAsked(node) : fallOf(node, engine.nodes.lastSeen(node.id)),
			);
			// a beat came in between
			return isRefusal(fallen) || !isActive(fallen) ? fallen : stillAnswers(fallen);
		},
	} satisfies Partial<Handlers>;
}

function fallOf(
	node: NodeState,
	seen: { epoch: number; beats: number; isSilent: boolean } | null,
): CommandInput | Refusal {
	if (!isActive(node))
		return refuse("CONFLICT", `Node ${node.name} is ${nodeStateText(node.state)}: no turn runs there.`, {
			suggestions: ["brood node list"],
		});
	// one that has not been seen has only just started
	if (seen?.isSilent !== true) return stillAnswers(node);
	return { type: "node.fall", node: node.id, epoch: seen.epoch, beats: seen.beats };
}

const wasAsked = ({ name }: NodeState): Refusal =>
	refuse("CONFLICT", `Node ${name} is the one that you asked, and it answers.`, {
		suggestions: ["to stop it: brood down", "if another node's machine is off: brood node fall NODE"],
	});

const stillAnswers = ({ name }: { name: string }): Refusal =>
	refuse("CONFLICT", `Node ${name} still answers: stop it with \`brood down\` on its machine.`, {
		suggestions: ["brood node list"],
	});
