// What events do to the rows of nodes.
import type { NodeId, NodeState } from "#contract/node.ts";
import type { Changes } from "./change.ts";

const named = (event: { data: { node: NodeId } }): NodeId[] => [event.data.node];
const becomes = (state: NodeState["state"]) => ({
	keys: named,
	change: (row: NodeState): NodeState => ({ ...row, state }),
});

export const nodeChanges = {
	"node.joined": {
		keys: named,
		make: ({ data: { node, fellAt = null, ...rest }, at }) => ({
			id: node,
			...rest,
			state: "up",
			joinedAt: at,
			fellAt,
		}),
	},
	"node.fell": {
		keys: named,
		change: (row, { data, at }) => ({ ...row, state: "down", epoch: data.epoch, fellAt: at }),
	},
	"node.left": becomes("left"),
	"node.drainStarted": becomes("draining"),
	"node.resumed": becomes("up"),
	"node.removed": becomes("removed"),
	"node.equipped": { keys: named, change: (row, { data: { types } }) => ({ ...row, types }) },
} satisfies Changes<"node">;
