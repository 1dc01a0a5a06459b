// Why an agent is held, and which command lets it continue, for messages.
import { fullName } from "#contract/full-name.ts";
import type { Agent } from "#contract/wire.ts";
import { holdTable, verbThatEndsHolds } from "#domain/agent-state/holds.ts";

type Held = Pick<Agent, "handle" | "project" | "holds" | "lastError">;

export const continueCommand = (agent: Held): string => `brood agent ${verbThatEndsHolds(agent)} ${fullName(agent)}`;

/** The reason of the hold that makes its label `error`; empty if there is none. */
export const errorReason = ({ holds }: Pick<Held, "holds">): string =>
	holds.find(({ kind }) => holdTable[kind].label === "error")?.reason ?? "";
