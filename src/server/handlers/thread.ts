// The routes of conversations and of the journal.
import type { Event } from "#contract/event.ts";
import { agentOf } from "#contract/ids.ts";
import { pagedWith, slicePage } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { termsOf } from "#contract/search-words.ts";
import type { Found } from "#contract/wire.ts";
import type { EventRange } from "#engine/ports/store.ts";
import { eventView, foundView } from "#views/wire.ts";
import { type Handlers, numberIn, type RequestContext, type RouteRequest } from "../request-context.ts";
import { windowIds } from "../stream-filter.ts";

export function threadHandlers(context: RequestContext) {
	const { engine, reads } = context;
	return {
		items: (request) =>
			context.withAgent(request, async (agent) => {
				const { last, before } = request.query;
				const beyond = last === undefined ? await context.cursorRefusal(request.page.after) : null;
				if (beyond !== null) return beyond;
				if (last === undefined) return pagedWith(await reads.listItems({ agent, upTo: null }, request.page), eventView);
				return slicePage((await reads.itemsBefore(agent, before ?? null, last)).map(eventView), request.page);
			}),
		item: async ({ params }) => {
			const event = await reads.event(numberIn({ params }, "item"));
			if (event === undefined) return refuse("NOT_FOUND", `There is no item ${JSON.stringify(params["item"])}.`);
			const whole = await engine.queries.wholeText(event);
			return isRefusal(whole) ? whole : { ...eventView(event), ...whole };
		},
		context: (request) =>
			context.withAgent(request, async (id) => {
				const caller = agentOf(request.actor);
				if (caller !== null && caller !== id)
					return refuse("FORBIDDEN", "An agent can see only its own context.", { details: { agent: id } });
				return await engine.queries.contextPage(id, request.page);
			}),
		clear: (request) => context.itemCommand(request, { type: "context.clear" }),
		mark: (request) => context.itemCommand(request, { type: "context.mark", ...request.body }),
		rewind: (request) => context.itemCommand(request, { type: "context.rewind", ...request.body }),
		journal: async ({ query }) => {
			const { agent: reference, project, kind, since, after, limit } = query;
			const found = reference === undefined ? null : await engine.queries.resolve(reference, project ?? null);
			if (found !== null && isRefusal(found)) return found;
			const beyond = await context.cursorRefusal(after);
			if (beyond !== null) return beyond;
			return await pageOf(context, {
				...{ after, limit, ...(since && { since: Date.parse(since) }) },
				...(found !== null ? { agent: found.id } : project !== undefined && { project }),
				...(kind !== undefined && { kinds: kind.split(",") }),
			});
		},
		search: (request) => search(context, request),
	} satisfies Partial<Handlers>;
}

/** A page of the journal: reads windows of ids until the page is full or the journal ends. */
async function pageOf({ reads }: RequestContext, { after, limit, ...wanted }: EventRange) {
	const byIndex = wanted.agent !== undefined || (wanted.project === undefined && wanted.kinds === undefined);
	const last = await reads.lastEvent();
	const events: Event[] = [];
	let upTo = after;
	while (upTo < last && events.length < limit) {
		const left = limit - events.length;
		const end = byIndex ? last : Math.min(last, upTo + windowIds);
		const found = await reads.events({ ...wanted, after: upTo, limit: left, ...(!byIndex && { upTo: end }) });
		events.push(...found);
		upTo = found.length < left ? end : (found.at(-1)?.id ?? last);
	}
	return { events: events.map(eventView), next: upTo < last ? upTo : null };
}

/** People search everywhere, an agent only in its project. */
async function search(
	{ engine, reads }: RequestContext,
	{ query, actor }: RouteRequest<"search">,
): Promise<{ found: Found[]; complete: boolean } | Refusal> {
	const caller = agentOf(actor);
	const project = caller === null ? query.project : ((await reads.agent(caller))?.project ?? null);
	if (query.project !== undefined && query.project !== project)
		return refuse("FORBIDDEN", "An agent can search only in its own project.");
	const agent = query.agent === undefined ? null : await engine.queries.resolve(query.agent, project ?? null);
	if (agent !== null && isRefusal(agent)) return agent;
	const terms = termsOf(query.text);
	if (terms.length === 0) return refuse("VALIDATION_ERROR", "Name at least one word to search for.");
	const { hits, complete } = await engine.queries.search({
		terms,
		limit: query.limit,
		...(agent && { agent: agent.id }),
		// with an agent, a person's project only says where its name is looked up
		...(project !== undefined && (agent === null || caller !== null) && { project }),
	});
	const ids = [...new Set(hits.map((hit) => hit.agent))];
	const agents = new Map((await Promise.all(ids.map((id) => reads.agent(id)))).map((each) => [each?.id, each]));
	const found = hits.flatMap((hit) => {
		const owner = agents.get(hit.agent);
		return owner === undefined ? [] : [foundView(hit, owner)];
	});
	return { found, complete };
}
