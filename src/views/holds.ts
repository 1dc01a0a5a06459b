// Which command lets a held agent continue, for messages.
import type { Agent } from "#contract/wire.ts";
import { verbThatEnds } from "#domain/agent-state/holds.ts";

export const continues = (agent: Pick<Agent, "handle" | "project" | "holds" | "lastError">): string =>
	`brood agent ${verbThatEnds(agent)} ${agentName(agent)}`;

/** Works in every directory, whatever other agents are called. */
export const agentName = ({ handle, project }: Pick<Agent, "handle" | "project">): string =>
	project === null ? handle : `${project}/${handle}`;
