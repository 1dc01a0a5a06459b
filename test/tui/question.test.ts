// A question is answered only when all of it has been on the screen.
import { expect, test } from "vitest";
import type { Approval } from "#contract/wire.ts";
import { partOf, turned } from "../../src/surfaces/tui/question.ts";

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
	expect(partOf(long, turned(part, 1000), size).isRead).toBe(false);
	let parts = 1;
	for (; !part.isRead; parts++) part = partOf(long, turned(part, part.rows.length), size);
	expect(parts).toBe(3);
	expect(part.rows.at(-1)).toBe("line 19");
	// another question begins at its beginning
	expect(partOf({ ...long, id: 2 }, part.state, size)).toMatchObject({ at: 0, isRead: false });
});
