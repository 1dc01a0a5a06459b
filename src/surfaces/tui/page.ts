// The visible part of a conversation. It is found from an anchor, block by block, and only what is visible is wrapped:
// the cost does not depend on the length of the conversation.

/** The row at the top of the page: a block, and which of its rows. Null follows the end. */
export type Anchor = { block: number; row: number } | null;

interface Identified {
	readonly id: number;
}

/** `R`: a row as it is drawn, or what it says. */
export interface Page<R = string> {
	rows: R[];
	/** the block of each row, for the mouse and for opening; null for rows of the running messages */
	blocks: (number | null)[];
	/** where the page begins; null if it shows the end */
	anchor: Anchor;
	/** nothing is above it */
	isStart: boolean;
}

interface PageSource<B extends Identified, R = string> {
	/** in the order of their ids */
	blocks: readonly B[];
	/** below the last block: the messages that are being written */
	tail: readonly R[];
	rowsOf(block: B): readonly R[];
}

/** The page at an anchor. A page that would end above its bottom shows the end. */
export function pageAt<B extends Identified, R>(source: PageSource<B, R>, anchor: Anchor, height: number): Page<R> {
	const { blocks, tail, rowsOf } = source;
	const from = anchor === null ? null : indexOf(blocks, anchor.block);
	if (anchor === null || from === null) return lastPage(source, height);
	const page: Page<R> = { rows: [], blocks: [], anchor, isStart: from === 0 && anchor.row === 0 };
	for (let at = from; at < blocks.length; at++) {
		const block = blocks[at] ?? never();
		const rows = rowsOf(block);
		add(page, at === from ? rows.slice(Math.min(anchor.row, rows.length - 1)) : rows, block.id);
		if (page.rows.length > height) return cut(page, 0, height);
	}
	add(page, tail, null);
	return page.rows.length > height ? cut(page, 0, height) : lastPage(source, height);
}

/** The anchor so many rows further up (negative) or down. */
export function moved<B extends Identified>(source: PageSource<B>, anchor: Anchor, by: number, height: number): Anchor {
	const { blocks, rowsOf } = source;
	const start = pageAt(source, anchor, height);
	const top = start.anchor ?? topOf(source, height);
	let at = top === null ? null : indexOf(blocks, top.block);
	if (top === null || at === null) return null;
	let row = top.row + by;
	while (row < 0 && at > 0) {
		at--;
		row += rowsOf(blocks[at] ?? never()).length;
	}
	for (let count = rowsOf(blocks[at] ?? never()).length; row >= count && at < blocks.length - 1; ) {
		row -= count;
		at++;
		count = rowsOf(blocks[at] ?? never()).length;
	}
	const next = { block: blocks[at]?.id ?? 0, row: Math.max(0, row) };
	return pageAt(source, next, height).anchor;
}

/** Whether the first row of a block is on the page. */
export function isBegunOn<B extends Identified>(
	source: PageSource<B>,
	anchor: Anchor,
	height: number,
	block: number,
): boolean {
	const page = pageAt(source, anchor, height);
	const at = page.blocks.indexOf(block);
	return at > 0 || (at === 0 && (page.anchor ?? topOf(source, height))?.row === 0);
}

/** The row at the top of the last page. */
export function topOf<B extends Identified>({ blocks, tail, rowsOf }: PageSource<B>, height: number): Anchor {
	let missing = height - tail.length;
	for (let at = blocks.length - 1; at >= 0; at--) {
		const block = blocks[at] ?? never();
		const { length } = rowsOf(block);
		if (length >= missing || at === 0) return { block: block.id, row: Math.max(0, length - missing) };
		missing -= length;
	}
	return null;
}

function lastPage<B extends Identified, R>({ blocks, tail, rowsOf }: PageSource<B, R>, height: number): Page<R> {
	const parts: { rows: readonly R[]; id: number | null }[] = [{ rows: tail, id: null }];
	let count = tail.length;
	let at = blocks.length;
	while (at > 0 && count < height) {
		at--;
		const block = blocks[at] ?? never();
		const rows = rowsOf(block);
		parts.push({ rows, id: block.id });
		count += rows.length;
	}
	const page: Page<R> = { rows: [], blocks: [], anchor: null, isStart: at === 0 && count <= height };
	for (const { rows, id } of parts.toReversed()) add(page, rows, id);
	return cut(page, Math.max(0, page.rows.length - height), height);
}

function add<R>(page: Page<R>, rows: readonly R[], id: number | null): void {
	for (const row of rows) {
		page.rows.push(row);
		page.blocks.push(id);
	}
}

function cut<R>(page: Page<R>, from: number, height: number): Page<R> {
	const part = <T>(all: readonly T[]): T[] => all.slice(from, from + height);
	return { ...page, rows: part(page.rows), blocks: part(page.blocks) };
}

/** Where the block is, or the next one if it is no longer there; null if that would be after the end. */
export function indexOf(blocks: readonly Identified[], id: number): number | null {
	let [low, high] = [0, blocks.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((blocks[middle]?.id ?? 0) < id) low = middle + 1;
		else high = middle;
	}
	return low < blocks.length ? low : null;
}

function never(): never {
	throw new Error("The index is outside the conversation.");
}
