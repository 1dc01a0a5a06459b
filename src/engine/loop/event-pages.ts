// The journal is read in pages, so that no single read is as long as the journal.
import type { Event } from "#contract/event.ts";
import type { EventRange, Reads } from "../ports/store.ts";

const pageEvents = 500;

export async function* eventPages(
	reads: Pick<Reads, "events">,
	range: Omit<EventRange, "limit">,
): AsyncGenerator<Event[]> {
	for (let { after } = range; ; ) {
		const page = await reads.events({ ...range, after, limit: pageEvents });
		if (page.length > 0) yield page;
		after = page.at(-1)?.id ?? after;
		if (page.length < pageEvents) return;
	}
}

/** The wanted events of a range, oldest first; the others are not kept in memory. */
export async function eventsWhere(
	reads: Pick<Reads, "events">,
	range: Omit<EventRange, "limit">,
	wanted: (event: Event) => boolean,
): Promise<Event[]> {
	const found: Event[] = [];
	for await (const page of eventPages(reads, range)) found.push(...page.filter(wanted));
	return found;
}
