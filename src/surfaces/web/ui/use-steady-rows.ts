// Rows that come and go by themselves, such as questions that are answered here or elsewhere. A click that was meant
// for what was at its place a moment ago must not answer the row that has come there.
import { type RefCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** longer than a double click, and than it takes to notice that the row is another one */
const steadyMs = 500;
/** less than this hits no other row */
const movedMin = 4;

/** For the element around the rows: a row that has come or moved takes no clicks until it has stood for a moment. */
export function useSteadyRows(): RefCallback<HTMLElement> {
	const [list, setList] = useState<HTMLElement | null>(null);
	const tops = useRef<ReadonlyMap<Element, number> | null>(null);
	useLayoutEffect(() => {
		tops.current = list && lookedAt(list, tops.current);
	});
	useEffect(() => {
		if (list === null) return;
		// what moves without a change of the list: a row that opens, a message above
		const observer = new ResizeObserver(() => {
			tops.current = lookedAt(list, tops.current);
		});
		observer.observe(list);
		return () => observer.disconnect();
	}, [list]);
	return setList;
}

/** Where each row is now. Rows that were there at the first look came with the page. */
function lookedAt(list: HTMLElement, before: ReadonlyMap<Element, number> | null): ReadonlyMap<Element, number> {
	// scrolling moves rows on purpose
	const scrolled = list.closest("main")?.scrollTop ?? 0;
	const rows = [...list.querySelectorAll("article, li")];
	const now = new Map(rows.map((row) => [row, row.getBoundingClientRect().top + scrolled]));
	if (before === null) return now;
	for (const [row, top] of now) {
		const was = before.get(row);
		if (was === undefined || Math.abs(top - was) >= movedMin)
			row.animate({ pointerEvents: ["none", "none"] }, steadyMs);
	}
	return now;
}
