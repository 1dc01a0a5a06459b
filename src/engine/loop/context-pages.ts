// A context as JSON, one page at a time.
import type { IdSpan, PageRequest } from "#contract/page.ts";
import type { Range, Reads } from "../ports/store.ts";

/** JSON of a list; `next` is the `after` of the next page, null after the last row. */
export class PageText {
	readonly text: string;
	readonly next: number | null;

	constructor(text: string, next: number | null) {
		this.text = text;
		this.next = next;
	}
}

/** Ids grow along the ranges, so the last id of a page says where the next one begins. */
export async function itemTextsAlong(
	reads: Pick<Reads, "itemTexts">,
	ranges: readonly Range[],
	hidden: readonly IdSpan[],
	{ after, limit }: PageRequest,
): Promise<PageText> {
	const texts: string[] = [];
	let [count, last, more] = [0, after, false];
	for (const range of ranges) {
		if (more) break;
		if (range.upTo !== null && range.upTo <= after) continue;
		// with a limit of 0 it only says whether there are more
		const page = { after: Math.max(after, range.after), limit: limit - count };
		const part = await reads.itemTexts(range, hidden, page);
		if (part.count > 0) {
			texts.push(part.text);
			count += part.count;
			last = part.last;
		}
		more = part.more;
	}
	return new PageText(`[${texts.join(",")}]`, more ? last : null);
}
