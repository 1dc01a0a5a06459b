// The label: derived from life, activity, holds and whether the agent was deleted; never stored.
import type { AgentState, HoldKind, Label } from "#contract/agent.ts";
import { holdTable } from "./holds.ts";

type LabelFacts = Pick<AgentState, "life" | "activity" | "holds" | "workspaceRemovedAt">;

export function labelOf(agent: LabelFacts): Label {
	if (agent.life === "ended") return agent.workspaceRemovedAt === null ? "dead" : "deleted";
	if (agent.life === "provisioning") return hasErrorHold(agent) ? "error" : "init";
	switch (agent.activity) {
		case "preparing":
			return "checkout";
		case "running":
			return "running";
		case "settling":
			return "done";
		case "idle":
			return agent.holds.length === 0 ? "idle" : hasErrorHold(agent) ? "error" : "paused";
	}
}

const hasErrorHold = (agent: LabelFacts): boolean => agent.holds.some((hold) => holdTable[hold.kind].label === "error");

export const isHeld = (agent: LabelFacts, kind: HoldKind): boolean => agent.holds.some((hold) => hold.kind === kind);
