// A question is answered only when all of it has been on the screen.
import fc from "fast-check";
import { expect, test } from "vitest";
import { Handle } from "#contract/ids.ts";
import type { Approval } from "#contract/wire.ts";
import { terminalKey } from "#test/support/terminal-key.ts";
import { idOf, moment, question as pushing } from "#tools/terminal-frames.ts";
import { type ScreenLook, sharesOf } from "../../src/surfaces/tui/below.ts";
import { firstState, type QuestionState, type State } from "../../src/surfaces/tui/model.ts";
import {
	drawnPart,
	otherQuestionRow,
	partOf,
	type QuestionPart,
	type QuestionSize,
	readFurther,
	scrolledQuestion,
	shownQuestion,
} from "../../src/surfaces/tui/question.ts";
import { keyOn, screenRows } from "../../src/surfaces/tui/screen.ts";
import { update } from "../../src/surfaces/tui/update.ts";

const size = { width: 40, rows: 24, room: 16 };
const drawn = (approval: Approval, before: QuestionState | null, on: QuestionSize = size): QuestionPart =>
	drawnPart(partOf(approval, before, on));
const question = (lines: number): Approval =>
	JSON.parse(
		JSON.stringify({
			...{ id: 1, tool: "execute", title: "do it", files: [], inside: true, handles: ["init", "one"] },
			content: Array.from({ length: lines }, (_, at) => `line ${at}`).join("\n"),
		}),
	);

test("a short one is read as soon as it is shown, and not before", () => {
	expect(drawn(question(2), null)).toMatchObject({ rows: ["execute  do it", "line 0", "line 1"], isRead: true });
	expect(partOf(question(2), null, size)).toMatchObject({ isRead: false });
	expect(drawn(question(2), null, { ...size, room: 0 })).toMatchObject({ rows: [], isRead: false });
});

test("a long one is read part by part, and jumping to its end is not reading", () => {
	const long = question(20);
	let part = drawn(long, null);
	expect(part).toMatchObject({ at: 0, count: 21, isRead: false });
	expect(part.rows).toHaveLength(8);
	// control: the end without what is before it
	expect(drawn(long, scrolledQuestion(part, 1000)).isRead).toBe(false);
	let parts = 1;
	for (; !part.isRead; parts++) part = drawn(long, readFurther(part));
	expect(parts).toBe(3);
	expect(part.rows.at(-1)).toBe("line 19");
	// another question begins at its beginning
	expect(drawn({ ...long, id: 2 }, part.state)).toMatchObject({ at: 0, isRead: false });
});

test("in a window of another width it is read again from its beginning", () => {
	const long = question(20);
	let part = drawn(long, null);
	while (!part.isRead) part = drawn(long, readFurther(part));
	// control: the same width, other rows
	expect(drawn(long, part.state, { ...size, rows: 20 }).isRead).toBe(true);
	expect(drawn(long, part.state, { ...size, width: 30 })).toMatchObject({ at: 0, isRead: false });
});

interface Window {
	width: number;
	height: number;
	/** rows of the input */
	draft: number;
	/** of the question */
	lines: number;
	status: string;
	isWide: boolean;
	/** another agent asks as well */
	isOther: boolean;
}

/** Presses `y` until the question is allowed, or nothing new is shown: which of its lines were on a frame? */
function pressed({ width, height, draft, lines, status, isWide, isOther }: Window): {
	shown: Set<string>;
	end: string;
} {
	const content = Array.from({ length: lines }, (_, at) => `row-${at}.`).join("\n");
	const seen = moment([{ ...pushing, content }, ...(isOther ? [{ ...pushing, id: 8, agent: idOf("D") }] : [])]);
	const input = Array.from({ length: draft }, (_, at) => (at === draft - 1 ? "> \u001B[7m \u001B[0m" : ">"));
	const look: ScreenLook = { width, height, colour: false, typed: "text", input };
	let state: State = { ...firstState(idOf("C")), status: { text: status, style: "faint" } };
	const shown = new Set<string>();
	const press = (name: string, now: number): string => {
		state = shownQuestion(state, seen, { now, width, rows: height, room: sharesOf(state, seen, look).room });
		const rows = screenRows(state, seen, look);
		expect(rows.length).toBeLessThanOrEqual(height);
		for (const row of rows) for (const [line] of row.matchAll(/row-\d+\./g)) shown.add(line);
		const given = { name, data: name, now: now + 1000, draft: { ...terminalKey("").draft, text: "text" } };
		const next = update(state, keyOn(state, seen, look, given), seen);
		state = next.state;
		return next.effects.some((effect) => effect.do === "answer") ? "allowed" : (state.status?.text ?? "");
	};
	if (isWide) press("alt+v", 0);
	let end = "";
	for (let at = 1; at < lines + 10 && end !== "allowed"; at++) end = press("alt+y", at * 5000);
	return { shown, end };
}

test("what was not on the screen is never allowed, whatever the size of the window and of what is written", () => {
	const ends = new Map<string, number>();
	const windows = fc.record({
		...{
			width: fc.integer({ min: 5, max: 120 }),
			height: fc.oneof(...[12, 60].map((max) => fc.integer({ min: 1, max }))),
		},
		...{ draft: fc.integer({ min: 1, max: 20 }), lines: fc.integer({ min: 1, max: 40 }) },
		...{ status: fc.constantFrom("", "a word", "many words ".repeat(30)) },
		...{ isWide: fc.boolean(), isOther: fc.boolean() },
	});
	fc.assert(
		fc.property(windows, (window) => {
			const { shown, end } = pressed(window);
			ends.set(end, (ends.get(end) ?? 0) + 1);
			if (end === "allowed") expect(shown.size).toBe(window.lines);
			else expect([end, shown.size]).toEqual(["The window is too small to show the question.", 0]);
		}),
		{ numRuns: 80 },
	);
	// control: both ends were seen, and no third
	expect([...ends.keys()].toSorted()).toEqual(["The window is too small to show the question.", "allowed"]);
});

test("of the questions of other agents the oldest is named, and where the key for the next goes", () => {
	const [older, newer] = [
		pushing,
		{ ...pushing, id: 8, agent: idOf("D"), handles: ["init", "opus-1", "store"].map((each) => Handle.parse(each)) },
	];
	const said = (approvals: Approval[], current: string): string[] =>
		otherQuestionRow(moment(approvals), idOf(current), { width: 100, colour: false });
	expect(said([older, newer], "B")).toEqual([
		"◆ fonts asks: execute git push origin brood/fonts (and 1 more) · Ctrl+N goes there",
	]);
	expect(said([newer, older], "B")).toEqual([
		"◆ store asks: execute git push origin brood/fonts (and 1 more) · Ctrl+N goes to fonts",
	]);
	expect(said([newer], "B")).toEqual(["◆ store asks: execute git push origin brood/fonts · Ctrl+N goes there"]);
	expect(said([older], "C")).toEqual([]);
});

test("a draft of nine lines takes rows from the question, and they are shown before it is allowed", () => {
	const window = { width: 80, height: 24, draft: 8, lines: 84, status: "", isWide: true, isOther: false };
	expect([pressed(window).end, pressed(window).shown.size]).toEqual(["allowed", 84]);
	const small = (height: number): string => pressed({ ...window, width: 40, height, draft: 1, lines: 3 }).end;
	const refused = "The window is too small to show the question.";
	expect([4, 5, 6, 7, 8].map(small)).toEqual([refused, refused, refused, "allowed", "allowed"]);
});

/** A person before an agent that asks one question after another. */
class Person {
	readonly questions = [1, 2, 3].map((id) => ({ ...pushing, id }));
	readonly answers: unknown[] = [];
	now = 1_000_000;
	#state: State = firstState(idOf("C"));

	/** As the program does: a frame, then the key, then the daemon's answer. */
	press(...names: string[]): void {
		for (const name of names) {
			const seen = moment(this.questions);
			const screen = { now: this.now, width: 100, rows: 30, room: 20 };
			this.#state = shownQuestion(this.#state, seen, screen);
			this.now += this.afterMs;
			const { draft } = terminalKey("");
			const nowhere = { scroll: () => null, anchorOf: () => null, anchorWith: () => null };
			const reading = { ...nowhere, collapsible: () => [], isShown: () => true };
			const key = { ...screen, now: this.now, name, data: name, height: 20, draft, reading };
			const { state, effects } = update(this.#state, key, seen);
			this.#state = state;
			for (const effect of effects.filter((each) => each.do === "answer")) {
				this.answers.push([effect.approval, effect.answer]);
				this.questions.shift();
			}
		}
	}

	get said(): string | undefined {
		return this.#state.status?.text;
	}

	/** between a frame and a key */
	afterMs = 1000;
}

test("a key that is held answers the question that was there, and none that has just appeared", () => {
	const person = new Person();
	person.press("y");
	person.afterMs = 120;
	person.press("y", "y", "y", "y", "y", "y", "y", "y", "y", "y", "n", "alt+y", "alt+n");
	expect(person.answers).toEqual([[1, "allow"]]);
	person.afterMs = 1000;
	person.press("n", "y");
	expect(person.answers).toEqual([
		[1, "allow"],
		[2, "deny"],
		[3, "allow"],
	]);
});

test("before Enter confirms an always, the screen says what it covers", () => {
	const person = new Person();
	person.press("a");
	expect(person.said).toBe("Enter always allows exactly this. Any other key does not.");
	const always: Approval["options"][number] = { id: "x", name: "Yes, allow all edits", kind: "allow_always" };
	person.questions.splice(0, 1, { ...pushing, id: 9, options: [always] });
	person.press("a");
	const more = "and all that its program means by “Yes, allow all edits”";
	expect(person.said).toBe(`Enter always allows exactly this, ${more}. Any other key does not.`);
});

test("what is always allowed is confirmed with Enter, and any other key is not a yes", () => {
	const person = new Person();
	person.press("a", "a", "down", "enter");
	expect(person.answers).toEqual([]);
	person.press("a", "enter", "enter");
	expect(person.answers).toEqual([[1, "always"]]);
});
