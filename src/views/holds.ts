// Which command lets a held agent continue, for messages.
import { fullName } from "#contract/full-name.ts";
import type { Agent } from "#contract/wire.ts";
import { verbThatEndsHolds } from "#domain/agent-state/holds.ts";

export const continues = (agent: Pick<Agent, "handle" | "project" | "holds" | "lastError">): string =>
	`brood agent ${verbThatEndsHolds(agent)} ${fullName(agent)}`;
