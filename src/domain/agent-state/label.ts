// The one word that a person sees, derived from the three facts. Nothing stores it.
import type { AgentState, HoldKind, Label } from "#contract/agent.ts";
import { holdTable } from "./holds.ts";

type Facts = Pick<AgentState, "life" | "activity" | "holds" | "workspaceRemovedAt">;

export function labelOf(agent: Facts): Label {
	if (agent.life === "ended") return agent.workspaceRemovedAt === null ? "dead" : "deleted";
	if (agent.life === "provisioning") return hasTrouble(agent) ? "error" : "init";
	switch (agent.activity) {
		case "preparing":
			return "checkout";
		case "running":
			return "running";
		case "settling":
			return "done";
		case "idle":
			return agent.holds.length === 0 ? "idle" : hasTrouble(agent) ? "error" : "paused";
	}
}

const hasTrouble = (agent: Facts): boolean => agent.holds.some((hold) => holdTable[hold.kind].label === "error");

export const isHeld = (agent: Facts, kind: HoldKind): boolean => agent.holds.some((hold) => hold.kind === kind);
