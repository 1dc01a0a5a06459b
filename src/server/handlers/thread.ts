// Conversations, and the journal that they are part of.
import { isItem } from "#contract/item.ts";
import { isRefusal, refuse } from "#contract/refusal.ts";
import { itemView } from "#views/wire.ts";
import { type Desk, type Handlers, numberIn } from "../desk.ts";

export function threadHandlers(desk: Desk): Handlers<"items" | "item" | "context" | "clear" | "mark" | "rewind" | "journal"> {
	const { engine, reads } = desk;
	return {
		items: (asked) =>
			desk.about(asked, async (agent) => (await reads.events({ after: 0, limit: Number.MAX_SAFE_INTEGER, agent })).filter(isItem).map(itemView)),
		item: async ({ params }) => {
			const event = await reads.event(numberIn({ params }, "item"));
			if (event === undefined) return refuse("NOT_FOUND", `There is no item ${JSON.stringify(params["item"])}.`);
			return { ...itemView(event), text: await engine.wholeText(event) };
		},
		context: (asked) =>
			desk.about(asked, async (id) => {
				const context = await engine.context(id);
				return isRefusal(context) ? context : context.items.map(itemView);
			}),
		clear: (asked) => desk.write(asked, { type: "context.clear" }),
		mark: (asked) => desk.write(asked, { type: "context.mark", ...asked.body }),
		rewind: (asked) => desk.write(asked, { type: "context.rewind", ...asked.body }),
		journal: async ({ query }) => {
			const { agent: reference, project, kind, since, after, limit } = query;
			const meant = reference === undefined ? null : await engine.resolve(reference, project ?? null);
			if (meant !== null && isRefusal(meant)) return meant;
			const range = { after, limit, ...(meant && { agent: meant.id }), ...(kind && { kind }), ...(since && { since: Date.parse(since) }) };
			const events = (await reads.events(range)).map(itemView);
			return { events, next: events.length < limit ? null : (events.at(-1)?.id ?? null) };
		},
	};
}
