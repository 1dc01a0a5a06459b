// The visible part of a thread: whatever is added and wherever the reader is, nothing moves under them.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Anchor, moved, pageAt } from "../../src/surfaces/tui/page.ts";

const block = fc.record({ count: fc.integer({ min: 1, max: 7 }) });
const rowsOf = ({ id, count }: { id: number; count: number }): string[] =>
	Array.from({ length: count }, (_, row) => `${id}.${row}`);
const numbered = (blocks: readonly { count: number }[]) =>
	blocks.map(({ count }, at) => ({ id: 10 * (at + 1), count }));

test("a page is a part of all rows, as high as it can be, and follows the end by itself", () => {
	fc.assert(
		fc.property(
			fc.array(block, { maxLength: 40 }),
			fc.array(fc.integer({ min: -30, max: 30 }), { maxLength: 12 }),
			fc.integer({ min: 1, max: 20 }),
			fc.array(fc.constant("tail"), { maxLength: 4 }),
			(given, moves, height, tail) => {
				const source = { blocks: numbered(given), tail, rowsOf };
				const all = [...source.blocks.flatMap(rowsOf), ...tail];
				let anchor: Anchor = null;
				for (const by of moves) {
					anchor = moved(source, anchor, by, height);
					const { rows } = pageAt(source, anchor, height);
					expect(rows).toHaveLength(Math.min(height, all.length));
					const from = anchor === null ? all.length - rows.length : all.indexOf(rows[0] ?? "");
					expect(rows).toEqual(all.slice(from, from + height));
				}
			},
		),
		{ numRuns: 500 },
	);
});

test("scrolling up and down again comes back, row by row", () => {
	const source = {
		blocks: numbered(Array.from({ length: 30 }, (_, at) => ({ count: 1 + (at % 5) }))),
		tail: [],
		rowsOf,
	};
	const all = source.blocks.flatMap(rowsOf);
	let anchor: Anchor = null;
	for (let row = 1; row <= all.length - 10; row++) {
		anchor = moved(source, anchor, -1, 10);
		expect(pageAt(source, anchor, 10).rows[0]).toBe(all[all.length - 10 - row]);
	}
	expect(pageAt(source, anchor, 10).isStart).toBe(true);
	expect(moved(source, anchor, -5, 10)).toEqual(anchor);
	expect(moved(source, anchor, 1000, 10)).toBeNull();
});

test("what is added below or loaded above does not move the page", () => {
	const blocks = numbered(Array.from({ length: 20 }, () => ({ count: 3 })));
	const anchor = moved({ blocks, tail: [], rowsOf }, null, -17, 8);
	const { rows } = pageAt({ blocks, tail: [], rowsOf }, anchor, 8);
	const more = [{ id: 1, count: 50 }, ...blocks, { id: 1000, count: 9 }];
	expect(pageAt({ blocks: more, tail: ["x", "y"], rowsOf }, anchor, 8).rows).toEqual(rows);
	// control: the end moves
	expect(pageAt({ blocks: more, tail: [], rowsOf }, null, 8).rows).not.toEqual(rows);
});
