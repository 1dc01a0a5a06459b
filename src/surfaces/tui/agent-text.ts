// How an agent is named on the terminal's screen.
import type { Agent } from "#contract/wire.ts";
import { styleOf } from "#views/agent-text.ts";
import { painted } from "#views/paint.ts";
import type { Seen } from "./model.ts";

export { ageOf, counters, stateOf, styleOf } from "#views/agent-text.ts";

export function glyph(agent: Agent, colour: boolean): string {
	const style = styleOf(agent);
	return painted(style.role, style.glyph, colour);
}

/** The name of whoever did something: `human`, `system` or an agent. */
export function nameOf({ agents }: Pick<Seen, "agents">, actor: string): string {
	const id = actor.startsWith("agent:") ? actor.slice("agent:".length) : actor;
	const byId: ReadonlyMap<string, Agent> = agents;
	return byId.get(id)?.handle ?? actor;
}
