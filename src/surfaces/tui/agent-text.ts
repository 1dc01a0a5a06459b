// How an agent is named on the terminal's screen.

import type { Agent, Mail } from "#contract/wire.ts";
import { ageOf } from "#views/age.ts";
import { actorName, stateOf } from "#views/agent-text.ts";
import { withLocalTimes } from "#views/local-times.ts";
import { painted } from "#views/paint.ts";
import { styleOf } from "#views/state-style.ts";
import type { Seen } from "./model.ts";

export function glyph(agent: Agent, colour: boolean): string {
	const style = styleOf(agent);
	return painted(style.tone, style.glyph, colour);
}

/** The state with its reason. */
export const stateText = (agent: Agent, now: number): string => withLocalTimes(stateOf(agent), now);

export const nameOf = ({ agents }: Pick<Seen, "agents">, actor: string): string =>
	actorName(actor, (id) => agents.get(id));

/** A mail as it is read. */
export const mailLines = (seen: Pick<Seen, "agents" | "now">, { from, sentAt, body }: Mail): string[] => [
	`From ${nameOf(seen, from)}, ${ageOf(sentAt, seen.now)} ago`,
	"",
	...body.split("\n"),
];
