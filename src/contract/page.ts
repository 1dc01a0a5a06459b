// Lists in pages. A store never reads more of a list than the page that was asked for.

/** At most `limit` rows, of those after the row that `after` stands for; 0 is the beginning. */
export interface PageRequest {
	after: number;
	limit: number;
}

/** What a store answers: each row with the `after` of the page that follows it, and whether there are further rows. */
export interface RowPage<T> {
	rows: { row: T; at: number }[];
	more: boolean;
}

/** What a route answers: `next` is the `after` of the next page, null after the last row. */
export interface Paged<T> {
	data: T[];
	next: number | null;
}

/** Ids between these two, both excluded. */
export interface IdSpan {
	after: number;
	before: number;
}

/** Rows as JSON, separated by commas; `last` is the `after` of the page that follows them. */
export interface TextPart {
	text: string;
	count: number;
	last: number;
	more: boolean;
}

/** the most rows of a list that one answer has */
export const pageMax = 100_000;

/** A page in which every row that was read is shown. */
export const pagedWith = <T, V>({ rows, more }: RowPage<T>, view: (row: T, at: number) => V): Paged<V> => ({
	data: rows.map(({ row, at }) => view(row, at)),
	next: more ? (rows.at(-1)?.at ?? null) : null,
});

/** A page of a list that is in memory anyway. */
export function slicePage<T>(all: readonly T[], { after, limit }: PageRequest): Paged<T> {
	const to = after + limit;
	return { data: all.slice(after, to), next: to < all.length ? to : null };
}

/** rows that are read at once to find the few that are wanted */
const readAtOnce = 100;

/**
 * Reads on until the page is full. `pick` answers, for each of some rows, what is shown of it, or undefined if it is
 * not wanted.
 */
export async function pageWhere<T, V>(
	{ after, limit }: PageRequest,
	read: (page: PageRequest) => Promise<RowPage<T>>,
	pick: (rows: readonly T[]) => Promise<readonly (V | undefined)[]>,
): Promise<Paged<V>> {
	const found: { value: V; at: number }[] = [];
	for (let from = after; ; ) {
		// one more than the page has tells whether there is another page
		const missing = limit + 1 - found.length;
		const { rows, more } = await read({ after: from, limit: Math.max(missing, Math.min(readAtOnce, limit)) });
		const picked = await pick(rows.map(({ row }) => row));
		for (const [index, { at }] of rows.entries()) {
			const value = picked[index];
			if (value !== undefined) found.push({ value, at });
		}
		from = rows.at(-1)?.at ?? from;
		if (found.length > limit || !more) break;
	}
	const shown = found.slice(0, limit);
	return {
		data: shown.map(({ value }) => value),
		next: found.length > limit ? (shown.at(-1)?.at ?? null) : null,
	};
}
