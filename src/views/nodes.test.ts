import { expect, test } from "vitest";
import { NodeId, type NodeState } from "#contract/node.ts";
import { nodeRows } from "./nodes.ts";

const node = (name: string, more: Partial<NodeState> = {}): NodeState => ({
	...{ id: NodeId.parse(`id-${name}`), name, epoch: 1, startId: "s", state: "up", turnsMax: 4 },
	...{ types: [], version: "1", schema: 1, joinedAt: 0, fellAt: null, ...more },
});

test("nodes are shown by name with their turns and living agents, and only where there are several", () => {
	const [studio, attic] = [node("studio"), node("attic", { state: "down" })];
	const agents = [
		{ node: studio.id, life: "live" as const },
		{ node: studio.id, life: "ended" as const },
		{ node: attic.id, life: "live" as const },
	];
	expect(nodeRows([studio, attic, node("old", { state: "removed" })], [{ node: studio.id }], agents)).toEqual([
		{ id: "id-attic", name: "attic", state: "down", turnsMax: 4, turns: 0, agents: 1 },
		{ id: "id-studio", name: "studio", state: "up", turnsMax: 4, turns: 1, agents: 1 },
	]);
	expect(nodeRows([studio, node("old", { state: "removed" })], [], agents)).toEqual([]);
});
