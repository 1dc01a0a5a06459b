// The rows below the conversation: an agent's question, the separator, the input and the hints. In a low window the
// question takes the rows of the others: what has not been on the screen cannot be allowed.
import type { Seen, State } from "./model.ts";
import { keyRowsMax, otherQuestionRow, questionRows, widthMin } from "./question.ts";
import { separatorRow } from "./separator.ts";
import { statusRows } from "./status.ts";

export interface ScreenLook {
	width: number;
	height: number;
	colour: boolean;
	/** the rows of the input, and what is written in it */
	input: readonly string[];
	typed: string;
}

/** The rows above and below the rule. */
export function belowConversation(state: State, seen: Seen, look: ScreenLook): { question: string[]; input: string[] } {
	const { width, height, colour } = look;
	const { other, draft, status, ...size } = sharesOf(state, seen, look);
	const approval = state.panel === null ? seen.approvals(state.current)[0] : undefined;
	const question =
		approval === undefined
			? []
			: questionRows(approval, state.question, { seen, width, rows: height, colour, ...size });
	return {
		question: [...other, ...question],
		input: [separatorRow(state, seen, { width, colour }), ...draft, ...status],
	};
}

interface Shares {
	other: string[];
	draft: string[];
	status: string[];
	/** rows for the question itself, and for its keys below it */
	room: number;
	keysMax: number;
}

/** the others give up rows until the question has so many */
const roomMin = 2;

/** What each part has of the screen. */
export function sharesOf(state: State, seen: Seen, look: ScreenLook): Shares {
	const { width, height, input } = look;
	const isAsked = state.panel === null && seen.approvals(state.current).length > 0;
	const other = state.panel === null ? otherQuestionRow(seen, state.current, look) : [];
	const status = statusRows(state, seen, look);
	const keys = keyRowsMax(width);
	// the rule, the separator, and who asks
	const free = height - 3;
	const taken = 1 + other.length + input.length + keys + status.length;
	let missing = isAsked ? roomMin - (free - taken) : 0;
	const kept = (rows: number, rowsMin: number): number => {
		const given = Math.max(0, Math.min(missing, rows - rowsMin));
		missing -= given;
		return rows - given;
	};
	const conversation = kept(1, 0);
	const shares = {
		other: other.slice(0, kept(other.length, 0)),
		draft: aroundCursor(input, kept(input.length, 1)),
		keysMax: kept(keys, 1),
		status: status.slice(0, kept(status.length, 1)),
	};
	const used = shares.other.length + shares.draft.length + shares.keysMax + shares.status.length;
	// the rows of a narrower window would be cut at its edge
	return { ...shares, room: width < widthMin ? 0 : Math.max(0, free - conversation - used) };
}

/** how the editor draws the letter at the cursor */
const cursor = "\u001B[7m";

function aroundCursor(rows: readonly string[], count: number): string[] {
	const at = rows.findIndex((row) => row.includes(cursor));
	const from = Math.max(0, Math.min(at === -1 ? rows.length : at, rows.length - count));
	return rows.slice(from, from + count);
}
