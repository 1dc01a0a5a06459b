// Which command lets a held agent continue, for messages.
import { fullName } from "#contract/full-name.ts";
import type { Agent } from "#contract/wire.ts";
import { verbThatEnds } from "#domain/agent-state/holds.ts";

export const continues = (agent: Pick<Agent, "handle" | "project" | "holds" | "lastError">): string =>
	`brood agent ${verbThatEnds(agent)} ${fullName(agent)}`;
