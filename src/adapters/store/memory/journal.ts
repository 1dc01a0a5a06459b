// The journal in memory, looked through from its beginning.
import type { Event } from "#contract/event.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { isItem, isPlainItem, rowChangingItems } from "#contract/item-kinds.ts";
import { looseData } from "#contract/loose-data.ts";
import type { EventRange } from "#engine/ports/store.ts";
import type { Rows } from "./rows.ts";

export function eventsIn(
	{ events, agents, issues }: Rows,
	{ after, limit, upTo, agent, project, kinds, itemsOf, plainItems, since = 0 }: EventRange,
): Event[] {
	const isOf = (project: ProjectSlug, { agent, data }: Event): boolean => {
		if (agent !== null) return agents.get(agent)?.project === project;
		const { slug, project: named, issueId } = looseData(data);
		return slug === project || named === project || issues.get(Number(issueId))?.project === project;
	};
	const wanted = (event: Event): boolean =>
		(agent === undefined || event.agent === agent) &&
		(project === undefined || isOf(project, event)) &&
		(kinds === undefined || kinds.includes(event.kind) || kinds.includes(event.kind.split(".")[0] ?? "")) &&
		(itemsOf === undefined ||
			!isItem(event) ||
			rowChanging.includes(event.kind) ||
			(event.agent !== null && itemsOf.includes(event.agent))) &&
		(plainItems === undefined || !isPlainItem(event)) &&
		event.at >= since;
	return events.slice(after, upTo).filter(wanted).slice(0, limit);
}

export const itemsIn = ({ events }: Rows, agent: AgentId, before = events.length + 1): Event[] =>
	events.slice(0, before - 1).filter((event) => event.agent === agent && isItem(event));

const rowChanging: readonly string[] = rowChangingItems;
