// The screen as it was drawn last. What the mouse points at and marks is what its reader sees, though agents write on
// meanwhile; while the button is down, nothing moves.
import type { AgentId } from "#contract/ids.ts";
import { type ScreenLook, sharesOf } from "./below.ts";
import { copiedText, type Span } from "./copying.ts";
import type { Seen, State } from "./model.ts";
import { indexOf } from "./page.ts";
import { selectable, type Target, targetAt } from "./pointing.ts";
import { shownQuestion } from "./question.ts";
import { followed, screenRows } from "./screen.ts";

interface Drawn {
	state: State;
	seen: Seen;
	look: ScreenLook;
	rows: string[];
}

export class DrawnScreen {
	#last: Drawn | null = null;

	/** The rows, and the state of a reader who has seen them. While it is held, both are as they were. */
	draw(
		state: State,
		seen: Seen,
		look: ScreenLook,
		{ now, isHeld }: { now: number; isHeld: boolean },
	): Pick<Drawn, "state" | "rows"> {
		const { width, height } = look;
		const last = this.#last;
		if (isHeld && last?.look.width === width && last.look.height === height) return { state, rows: last.rows };
		const size = { now, width, rows: height, room: sharesOf(state, seen, look).room };
		const read = followed(shownQuestion(state, seen, size), seen, look);
		const rows = screenRows(read, seen, look);
		this.#last = { state: read, seen: asItIs(read, seen, look), look, rows };
		return { state: read, rows };
	}

	readonly copied = (spans: readonly Span[]): string => {
		if (this.#last === null) return "";
		const { state, seen, look, rows } = this.#last;
		return copiedText(state, seen, look, { rows, spans });
	};

	readonly together = (column: number, row: number): [from: number, to: number] => {
		if (this.#last === null) return [0, 0];
		const { state, seen, look } = this.#last;
		return selectable(state, seen, look, { column, row });
	};

	/** Null if there is nothing to click. */
	targetAt(at: { column: number; row: number }): Target | null {
		if (this.#last === null) return null;
		const { state, seen, look } = this.#last;
		return targetAt(state, seen, look, at);
	}
}

/** blocks that are kept for each row of the screen: some have no rows */
const blocksPerRow = 4;

/** Only what is on the screen: the lists of a conversation change in place. */
function asItIs(state: State, seen: Seen, { height }: ScreenLook): Seen {
	const { current, anchors } = state;
	const anchor = anchors.get(current) ?? null;
	const [all, messages] = [seen.blocks(current), seen.messages(current)];
	const at = (anchor === null ? null : indexOf(all, anchor.block)) ?? all.length;
	const count = blocksPerRow * height;
	const blocks = all.slice(Math.max(0, at - count), at + count);
	const of = <T>(kept: readonly T[], now: (agent: AgentId) => readonly T[]) => {
		return (agent: AgentId): readonly T[] => (agent === current ? kept : now(agent));
	};
	return { ...seen, blocks: of(blocks, seen.blocks), messages: of([...messages], seen.messages) };
}
