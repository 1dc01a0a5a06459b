// The items along an agent's ranges, one page at a time.
import type { Event } from "#contract/event.ts";
import type { PageRequest, RowPage } from "#contract/page.ts";
import type { Range, Reads } from "../ports/store.ts";

/** Ids grow along the ranges, so the last id of a page says where the next one begins. */
export async function itemsAlong(
	reads: Pick<Reads, "listItems">,
	ranges: readonly Range[],
	{ after, limit }: PageRequest,
): Promise<RowPage<Event>> {
	const rows: RowPage<Event>["rows"] = [];
	for (const range of ranges) {
		if (rows.length > limit) break;
		if (range.upTo !== null && range.upTo <= after) continue;
		const page = { after: Math.max(after, range.after), limit: limit + 1 - rows.length };
		rows.push(...(await reads.listItems(range, page)).rows);
	}
	return { rows: rows.slice(0, limit), more: rows.length > limit };
}
