// The last rows of the screen: what just happened, else what can be done.
import { inline } from "#contract/visible.ts";
import { painted, type Style } from "#views/paint.ts";
import { fittingHints, hint } from "./keymap.ts";
import type { Seen, State } from "./model.ts";
import { clipped, wrapped } from "./pi/text.ts";
import { usageOf } from "./slash-commands.ts";
import { unwritable } from "./update.ts";

interface Look {
	width: number;
	height: number;
	colour: boolean;
	/** what is written in the input */
	typed: string;
}

export function statusRows(state: State, seen: Seen, look: Look): string[] {
	const { width, height, colour, typed } = look;
	const told = toldOf(state, seen);
	// a refusal is read whole, also on a narrow screen
	if (told !== null)
		return told.text
			.split("\n")
			.flatMap((line) => wrapped(inline(line), Math.max(8, width - 2)))
			.slice(0, Math.max(1, Math.floor(height / 3)))
			.map((row) => painted(told.style, `  ${row}`, colour));
	// a list has its own hints
	if (state.panel !== null) return [""];
	const usage = usageOf(typed, width - 2);
	return [painted("faint", clipped(`  ${usage ?? fittingHints(hintsOf(state, seen), width - 2)}`, width), colour)];
}

function toldOf(state: State, seen: Seen): { text: string; style: Style } | null {
	if (seen.connection === "lost")
		return { style: "bad", text: "The daemon is gone. What you typed is kept. Reconnecting …" };
	if (seen.connection === "stopped")
		return { style: "bad", text: "The daemon was stopped; `brood up` starts it. What you typed is kept." };
	if (seen.connection === "connecting") return { style: "faint", text: "connecting …" };
	const waiting = state.waiting.findLast(({ agent }) => agent === state.current);
	if (waiting !== undefined) return { style: "wait", text: `${waiting.text}   (Esc cancels)` };
	if (state.status !== null) return state.status;
	const agent = seen.agents.get(state.current);
	const dead = agent === undefined || state.panel !== null ? null : unwritable(agent);
	return dead === null ? null : { style: "off", text: dead };
}

function hintsOf(state: State, seen: Seen): string[] {
	if (state.selected !== null) return ["↑↓ choose", hint("blocks", "open", "open"), hint("blocks", "close", "close")];
	if (state.editing.has(state.current)) return ["Enter save", "Alt+Enter line", "Esc leave it as it was"];
	const isRunning = (seen.agents.get(state.current)?.turn ?? null) !== null;
	return [
		"Enter send",
		"Alt+Enter line",
		...(isRunning ? [hint("conversation", "interrupt", "interrupt")] : []),
		"Ctrl+↑↓←→ move",
		hint("conversation", "tree", "tree"),
		hint("conversation", "keys", "keys"),
	];
}
