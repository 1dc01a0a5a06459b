// The tree beside the conversation, around the current agent.
import { inline } from "#contract/visible.ts";
import type { Agent } from "#contract/wire.ts";
import { counters } from "#views/agent-text.ts";
import { painted } from "#views/paint.ts";
import { glyph, stateText } from "./agent-text.ts";
import type { Seen, State } from "./model.ts";
import { isLiving, treeAround } from "./moving.ts";

/** wide enough for a tree beside the conversation */
const sideFrom = 100;

/** The columns of the tree; 0 if the screen is too narrow for one. */
export const sideWidth = (width: number): number => (width < sideFrom ? 0 : width < 160 ? 26 : 40);

/** deeper agents are not indented further: their names have to fit */
const indentMax = 6;

export function sideRows(state: State, seen: Seen, look: { height: number; width: number; colour: boolean }): string[] {
	return sideAgents(state, seen, look.height).map(({ agent, depth }) => {
		const { colour, width } = look;
		const indent = " ".repeat(Math.min(depth, indentMax));
		const isHere = agent.id === state.current;
		const doing = stateText(agent, seen.now);
		const more = doing === "asks you" ? " asks" : width > 30 && doing !== "idle" ? ` ${doing}` : "";
		const name = inline(agent.handle);
		const rest = `${more} ${counters(agent)}`.trimEnd();
		const bar = isHere ? painted("run", "▌", colour) : painted("faint", "│", colour);
		return `${bar} ${indent}${glyph(agent, colour)} ${isHere ? painted("strong", name, colour) : name}${painted("faint", rest, colour)}`;
	});
}

/** The agents that are shown, in their rows: the living ones and the current one. */
export function sideAgents(state: State, seen: Seen, height: number): { agent: Agent; depth: number }[] {
	const rows = treeAround(seen, state.current).filter(({ agent }) => isLiving(agent) || agent.id === state.current);
	const at = Math.max(
		0,
		rows.findIndex(({ agent }) => agent.id === state.current),
	);
	const from = Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
	return rows.slice(from, from + height);
}
