// Which command lets a held agent continue, for messages.
import { fullName } from "#contract/full-name.ts";
import type { Agent } from "#contract/wire.ts";
import { verbThatEndsHolds } from "#domain/agent-state/holds.ts";

type Held = Pick<Agent, "handle" | "project" | "holds" | "lastError">;

export const verbToContinue = (agent: Held): "resume" | "recover" => verbThatEndsHolds(agent);

export const continues = (agent: Held): string => `brood agent ${verbThatEndsHolds(agent)} ${fullName(agent)}`;
