// An agent's question, above the input. It is shown whole, if need be one part after another, and can be allowed only
// when all of it has been on the screen.
import type { AgentId } from "#contract/ids.ts";
import { inline, visible } from "#contract/visible.ts";
import type { Approval } from "#contract/wire.ts";
import { ageOf } from "#views/age.ts";
import { filesText } from "#views/approval-text.ts";
import { painted, signed } from "#views/paint.ts";
import { hint } from "./keymap.ts";
import type { QuestionState, Seen, State } from "./model.ts";
import { nextNeedingYou } from "./moving.ts";
import { clipped, widthOf, wrapped } from "./pi/text.ts";

/** The whole question: what it wants to do, to which files, and everything it said about it. */
export function questionLines(approval: Approval): string[] {
	const { tool, title, content, files } = approval;
	return [
		`${tool}  ${title}`,
		...(files.length === 0 ? [] : [`files ${filesText(approval)}:`, ...files.map((file) => `  ${inline(file)}`)]),
		...(content === "" || content === title ? [] : content.split("\n")),
	].flatMap((line) => line.split("\n"));
}

export interface QuestionPart {
	rows: string[];
	/** the first row that is shown, and how many there are */
	at: number;
	count: number;
	/** every row has been on the screen */
	isRead: boolean;
	state: QuestionState;
}

export interface QuestionSize {
	/** of the screen */
	width: number;
	rows: number;
	/** the rows that the other parts of the screen leave to the question; 0 in a window that is too small for it */
	room: number;
}

/** columns that a question needs */
export const widthMin = 10;

export const tooSmall = "The window is too small to show the question.";

/** What is shown of the question: half of the screen or most of it, as far as there is room. */
export function partOf(approval: Approval, before: QuestionState | null, size: QuestionSize): QuestionPart {
	const known = before?.approval === approval.id ? before : null;
	// rows of another width are other rows: it is read from its beginning
	const { at, read } = known?.width === size.width ? known : { at: 0, read: 0 };
	const isWide = known?.isWide ?? false;
	const all = questionLines(approval).flatMap((line) =>
		wrapped(visible(line).replaceAll("\t", "    "), Math.max(widthMin - 2, size.width - 4)),
	);
	const wanted = isWide ? Math.max(2, size.rows - 8) : Math.max(2, Math.floor(size.rows / 2) - 4);
	const room = Math.min(wanted, size.room);
	const from = Math.max(0, Math.min(at, all.length - room));
	return {
		rows: all.slice(from, from + room),
		at: from,
		count: all.length,
		isRead: read >= all.length,
		state: {
			...{ approval: approval.id, at: from, read, isWide, width: size.width },
			...{ shownAt: known?.shownAt ?? null, isAlways: false },
		},
	};
}

/** The part once it was on the screen. Scrolling past rows is not reading: only what follows what was read counts. */
export function drawnPart(part: QuestionPart): QuestionPart {
	const { at, rows, count, state } = part;
	const read = at <= state.read ? Math.max(state.read, at + rows.length) : state.read;
	return { ...part, isRead: read >= count, state: { ...state, read } };
}

/** What is known of the question that is drawn now: from when on it has been on the screen, and how far it was read. */
export function shownQuestion(state: State, seen: Seen, { now, ...size }: { now: number } & QuestionSize): State {
	const approval = seen.approvals(state.current)[0];
	if (approval === undefined || state.panel !== null) return state;
	const isAlways = state.question?.approval === approval.id && state.question.isAlways;
	const { state: question } = drawnPart(partOf(approval, state.question, size));
	return { ...state, question: { ...question, isAlways, shownAt: question.shownAt ?? now } };
}

/** The question so many rows further. */
export function scrolledQuestion(part: QuestionPart, by: number): QuestionState {
	return { ...part.state, at: Math.max(0, Math.min(part.count - part.rows.length, part.at + by)) };
}

/** The question at the first row that has not been on the screen. */
export const readFurther = ({ state }: QuestionPart): QuestionState => ({ ...state, at: state.read });

export function questionRows(
	approval: Approval,
	before: QuestionState | null,
	{ seen, colour, keysMax, ...size }: { seen: Seen; colour: boolean; keysMax: number } & QuestionSize,
): string[] {
	const { handles, askedAt } = approval;
	const { width } = size;
	const part = drawnPart(partOf(approval, before, size));
	const isPart = part.rows.length < part.count;
	const range = isPart ? `, rows ${part.at + 1}–${part.at + part.rows.length} of ${part.count}` : "";
	const head = ` ${handles.at(-1) ?? ""} (${handles.join("/")}) asks, ${ageOf(askedAt, seen.now)} ago`;
	const below = size.room < 1 ? [tooSmall] : keyRows({ isPart, isRead: part.isRead, isWide: part.state.isWide }, width);
	return [
		clipped(signed("wait", "◆", inline(head + (size.room < 1 ? "" : range)), colour), width),
		...part.rows.map((row) => `  ${row}`),
		...below.slice(0, keysMax).map((row) => painted("faint", `  ${row}`, colour)),
	];
}

/** The rows that the keys below a question may take. */
export const keyRowsMax = (width: number): number =>
	keyRows({ isRead: false, isPart: true, isWide: false }, width).length;

function keyRows({ isRead, isPart, isWide }: Record<"isRead" | "isPart" | "isWide", boolean>, width: number): string[] {
	const keys = [
		isRead ? hint("approval", "allow", "allow") : hint("approval", "allow", "read on, then allow"),
		hint("approval", "deny", "deny"),
		hint("approval", "always", "always"),
		...(isPart ? ["Shift+↑↓ scroll", hint("approval", "whole", isWide ? "less" : "more of it")] : []),
	].join(" · ");
	return wrapped(`${keys}   (while you type: with Alt)`, Math.max(8, width - 2));
}

/** The oldest question of another agent, in one row. */
export function otherQuestionRow(
	seen: Seen,
	current: AgentId,
	{ width, colour }: { width: number; colour: boolean },
): string[] {
	const others = seen.inbox.approvals.filter(({ agent }) => agent !== current);
	const [first] = others;
	if (first === undefined) return [];
	const more = others.length === 1 ? "" : ` (and ${others.length - 1} more)`;
	// in the order of the tree, the next agent may be another one
	const next = nextNeedingYou(seen, current);
	const goes = next === null || next.id === first.agent ? "goes there" : `goes to ${next.handle}`;
	const end = `${more} · ${hint("conversation", "needs-you", goes)}`;
	const text = inline(` ${first.handles.at(-1) ?? ""} asks: ${first.tool} ${first.title}`);
	const row = clipped(clipped(text, Math.max(8, width - 1 - widthOf(end))) + end, width - 1);
	return [signed("wait", "◆", row, colour)];
}
