// A question is answered only when all of it has been on the screen.
import { expect, test } from "vitest";
import type { Approval } from "#contract/wire.ts";
import { idOf, moment, question as pushing } from "#tools/terminal-frames.ts";
import { firstState, type State } from "../../src/surfaces/tui/model.ts";
import { partOf, scrolledQuestion, shownQuestion } from "../../src/surfaces/tui/question.ts";
import { update } from "../../src/surfaces/tui/update.ts";

const size = { width: 40, rows: 24 };
const question = (lines: number): Approval =>
	JSON.parse(
		JSON.stringify({
			...{ id: 1, tool: "execute", title: "do it", files: [], inside: true, path: ["init", "one"] },
			content: Array.from({ length: lines }, (_, at) => `line ${at}`).join("\n"),
		}),
	);

test("a short one is read as soon as it is shown", () => {
	expect(partOf(question(2), null, size)).toMatchObject({ rows: ["execute  do it", "line 0", "line 1"], isRead: true });
});

test("a long one is read part by part, and jumping to its end is not reading", () => {
	const long = question(20);
	let part = partOf(long, null, size);
	expect(part).toMatchObject({ at: 0, count: 21, isRead: false });
	expect(part.rows).toHaveLength(8);
	// control: the end without what is before it
	expect(partOf(long, scrolledQuestion(part, 1000), size).isRead).toBe(false);
	let parts = 1;
	for (; !part.isRead; parts++) part = partOf(long, scrolledQuestion(part, part.rows.length), size);
	expect(parts).toBe(3);
	expect(part.rows.at(-1)).toBe("line 19");
	// another question begins at its beginning
	expect(partOf({ ...long, id: 2 }, part.state, size)).toMatchObject({ at: 0, isRead: false });
});

test("in a window of another width it is read again from its beginning", () => {
	const long = question(20);
	let part = partOf(long, null, size);
	while (!part.isRead) part = partOf(long, scrolledQuestion(part, part.rows.length), size);
	// control: the same width, other rows
	expect(partOf(long, part.state, { width: 40, rows: 20 }).isRead).toBe(true);
	expect(partOf(long, part.state, { width: 30, rows: 20 })).toMatchObject({ at: 0, isRead: false });
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
			const screen = { now: this.now, width: 100, rows: 30 };
			this.#state = shownQuestion(this.#state, seen, screen);
			this.now += this.afterMs;
			const draft = { text: "", isCompleting: false };
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

test("what is always allowed is confirmed with Enter, and any other key is not a yes", () => {
	const person = new Person();
	person.press("a", "a", "down", "enter");
	expect(person.answers).toEqual([]);
	person.press("a", "enter", "enter");
	expect(person.answers).toEqual([[1, "always"]]);
});
