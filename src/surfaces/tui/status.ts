// The last rows of the screen: what just happened, else what can be done.
import { inline } from "#contract/visible.ts";
import { painted, type Style } from "#views/paint.ts";
import { leftOutLine } from "#views/refused-files.ts";
import { isHumanAgentsTurn } from "#views/state-style.ts";
import { fittingHints, hint } from "./keymap.ts";
import type { Seen, State, StatusMessage } from "./model.ts";
import { clipped, wrapped } from "./pi/text.ts";
import { slashCommands } from "./slash-commands.ts";
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
	const told = [connectionOf(seen), toldOf(state, seen)].filter((each) => each !== null);
	if (told.length > 0)
		return toldRows(told, { width: width - 2, count: Math.max(2, Math.floor(height / 3)) }).map(({ text, style }) =>
			painted(style, `  ${text}`, colour),
		);
	// a list has its own hints
	if (state.panel !== null) return [""];
	const usage = usageOf(typed, width - 2);
	return [painted("faint", clipped(`  ${usage ?? fittingHints(hintsOf(state, seen), width - 2)}`, width), colour)];
}

interface Told {
	text: string;
	style: Style;
}

/** A refusal is read whole, also on a narrow screen; without room for it, the last row says how many more there are. */
function toldRows(told: readonly Told[], room: { width: number; count: number }): Told[] {
	const lines = told.flatMap(({ text, style }) => text.split("\n").map((line) => ({ text: inline(line), style })));
	const rowsOf = (some: readonly Told[]): Told[] =>
		some.flatMap(({ text, style }) => wrapped(text, Math.max(8, room.width)).map((row) => ({ text: row, style })));
	const all = rowsOf(lines);
	if (all.length <= room.count) return all;
	let kept = Math.max(1, lines.length - 1);
	while (kept > 1 && rowsOf(lines.slice(0, kept)).length >= room.count) kept--;
	const shown = rowsOf(lines.slice(0, kept));
	const left = lines.slice(kept);
	const isCut = left.length === 0 || shown.length >= room.count;
	const end = isCut ? "…" : leftOutLine(left.map(({ text }) => text));
	return [...shown.slice(0, room.count - 1), { text: end, style: told.at(-1)?.style ?? "bad" }];
}

function connectionOf({ connection, refusal, problem }: Seen): Told | null {
	switch (connection) {
		case "lost":
			if (refusal !== null)
				return { style: "bad", text: `The daemon refuses to answer: ${inline(refusal)} Asking again …` };
			return {
				style: "bad",
				text: `${problem === null ? "The daemon does not answer." : inline(problem)} What you typed is kept. Reconnecting …`,
			};
		case "stopped":
			return { style: "bad", text: "The daemon was stopped; `brood up` starts it. What you typed is kept." };
		case "connecting":
			return { style: "faint", text: "connecting …" };
		case "live":
			return null;
	}
}

function toldOf(state: State, seen: Seen): Told | null {
	const waiting = state.waiting.findLast(({ agent }) => agent === state.current);
	if (waiting !== undefined) {
		const asked = seen.inbox.approvals.filter(({ agent }) => waiting.awaited.includes(agent));
		const asks = asked.map(({ handles, title }) => `${handles.at(-1) ?? ""} asks for approval: ${inline(title)}`);
		return { style: "wait", text: [`${waiting.text}   (Esc cancels)`, ...asks].join("\n") };
	}
	const edited = state.panel === null ? state.editing.get(state.current) : undefined;
	if (edited !== undefined && seen.connection === "live" && !isQueued(edited, state, seen))
		return {
			style: "bad",
			text: "The prompt has left the queue: Enter cannot replace it. Esc leaves it and keeps your text.",
		};
	const told = state.status === null ? "" : trueText(state.status, state, seen);
	if (state.status !== null && told !== "") return { ...state.status, text: told };
	const agent = seen.agents.get(state.current);
	const dead = agent === undefined || state.panel !== null ? null : unwritable(agent);
	return dead === null ? null : { style: "off", text: dead };
}

/** What is said of a prompt is true while it waits; what a lost connection caused, until there is one. */
function trueText({ text, queued, whenLive }: StatusMessage, state: State, seen: Seen): string {
	if (queued !== undefined && !isQueued(queued, state, seen)) return "";
	return whenLive !== undefined && seen.connection === "live" ? whenLive : text;
}

const isQueued = (prompt: number, { current }: State, seen: Seen): boolean =>
	seen.queue(current).some(({ id }) => id === prompt);

function hintsOf(state: State, seen: Seen): string[] {
	if (state.selected !== null) return ["↑↓ choose", hint("blocks", "open", "open"), hint("blocks", "close", "close")];
	if (state.editing.has(state.current)) return ["Enter save", "Alt+Enter line", "Esc leave it as it was"];
	const agent = seen.agents.get(state.current);
	const isRunning = (agent?.turn ?? null) !== null;
	return [
		...(agent !== undefined && isHumanAgentsTurn(agent) ? ["/finish ANSWER ends the turn"] : []),
		"Enter send",
		"Alt+Enter line",
		...(isRunning ? [hint("conversation", "interrupt", "interrupt")] : []),
		"Ctrl+↑↓←→ move",
		hint("conversation", "tree", "tree"),
		hint("conversation", "keys", "keys"),
	];
}

/** How the command that is being written goes on, and what it does if there is room for it; null if none is. */
function usageOf(typed: string, width: number): string | null {
	const [, name = ""] = /^\/(\S+)(\s|$)/.exec(typed) ?? [];
	const command = slashCommands[name];
	if (command === undefined) return null;
	const usage = `/${name} ${command.usage}`.trimEnd();
	const whole = `${usage}   ${command.help}`;
	return whole.length <= width ? whole : usage;
}
