// An agent's question, above the input. It is shown whole, if need be one part after another, and can be allowed only
// when all of it has been on the screen.
import { inline, visible } from "#contract/visible.ts";
import type { Approval } from "#contract/wire.ts";
import { ageOf } from "#views/age.ts";
import { filesText } from "#views/approval-text.ts";
import { painted, signed } from "#views/paint.ts";
import { hint } from "./keymap.ts";
import type { QuestionState, Seen, State } from "./model.ts";
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

/** What is shown of the question: half of the screen, or most of it. */
export function partOf(
	approval: Approval,
	before: QuestionState | null,
	size: { width: number; rows: number },
): QuestionPart {
	const known = before?.approval === approval.id ? before : null;
	// rows of another width are other rows: it is read from its beginning
	const { at, read } = known?.width === size.width ? known : { at: 0, read: 0 };
	const isWide = known?.isWide ?? false;
	const all = questionLines(approval).flatMap((line) =>
		wrapped(visible(line).replaceAll("\t", "    "), Math.max(8, size.width - 4)),
	);
	const room = isWide ? Math.max(2, size.rows - 8) : Math.max(2, Math.floor(size.rows / 2) - 4);
	const from = Math.max(0, Math.min(at, all.length - room));
	// scrolling past rows is not reading: only what follows what was read counts
	const seen = from <= read ? Math.max(read, from + room) : read;
	return {
		rows: all.slice(from, from + room),
		at: from,
		count: all.length,
		isRead: seen >= all.length,
		state: {
			...{ approval: approval.id, at: from, read: seen, isWide, width: size.width },
			...{ shownAt: known?.shownAt ?? null, isAlways: false },
		},
	};
}

/** What is known of the question that is drawn now: from when on it has been on the screen. */
export function shownQuestion(
	state: State,
	seen: Seen,
	{ now, ...size }: { now: number; width: number; rows: number },
): State {
	const approval = seen.approvals(state.current)[0];
	const isShown = approval === undefined || state.panel !== null || state.question?.approval === approval.id;
	if (isShown) return state;
	return { ...state, question: { ...partOf(approval, null, size).state, shownAt: now } };
}

/** The question so many rows further. */
export function scrolledQuestion(part: QuestionPart, by: number): QuestionState {
	return { ...part.state, at: Math.max(0, Math.min(part.count - part.rows.length, part.at + by)) };
}

export function questionRows(
	approval: Approval,
	before: QuestionState | null,
	{ seen, width, rows, colour }: { seen: Seen; width: number; rows: number; colour: boolean },
): string[] {
	const { path, askedAt } = approval;
	const part = partOf(approval, before, { width, rows });
	const isPart = part.rows.length < part.count;
	const range = isPart ? `, rows ${part.at + 1}–${part.at + part.rows.length} of ${part.count}` : "";
	const head = ` ${path.at(-1) ?? ""} (${path.join("/")}) asks, ${ageOf(askedAt, seen.now)} ago${range}`;
	const keys = [
		part.isRead ? hint("approval", "allow", "allow") : hint("approval", "allow", "read on, then allow"),
		hint("approval", "deny", "deny"),
		hint("approval", "always", "always"),
		...(isPart ? ["Shift+↑↓ scroll", hint("approval", "whole", part.state.isWide ? "less" : "more of it")] : []),
	].join(" · ");
	return [
		clipped(signed("wait", "◆", inline(head), colour), width),
		...part.rows.map((row) => `  ${row}`),
		...wrapped(`${keys}   (while you type: with Alt)`, Math.max(8, width - 2)).map((row) =>
			painted("faint", `  ${row}`, colour),
		),
	];
}

/** The oldest question of another agent, in one row. */
export function otherQuestionRow(
	seen: Seen,
	current: string,
	{ width, colour }: { width: number; colour: boolean },
): string[] {
	const others = seen.inbox.approvals.filter(({ agent }) => agent !== current);
	const [first] = others;
	if (first === undefined) return [];
	const more = others.length === 1 ? "" : ` (and ${others.length - 1} more)`;
	const end = `${more} · ${hint("conversation", "needs-you", "goes there")}`;
	const text = inline(` ${first.path.at(-1) ?? ""} asks: ${first.tool} ${first.title}`);
	const row = clipped(clipped(text, Math.max(8, width - 1 - widthOf(end))) + end, width - 1);
	return [signed("wait", "◆", row, colour)];
}
