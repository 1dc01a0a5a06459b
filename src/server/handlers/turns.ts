// The turns that prompts become.
import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Turn } from "#contract/wire.ts";
import { eventsWhere } from "#engine/loop/event-pages.ts";
import { itemView, turnView } from "#views/wire.ts";
import { type Handlers, numberIn, type RequestContext, type RouteRequest } from "../request-context.ts";
import { asQueued, outcomeOf } from "./queue.ts";

type Names = "turns" | "turn" | "turnRetry" | "turnFinish";

export function turnHandlers(context: RequestContext): Handlers<Names> {
	const { reads } = context;
	return {
		turns: (asked) => context.about(asked, async (id) => (await reads.turns(id)).map(turnView)),
		turn: (asked) =>
			context.about(asked, async (agent) => {
				const turn = await meant(context, agent, asked);
				if (isRefusal(turn)) return turn;
				// its final item is its last one, however much the agent said since
				const range = { after: turn.id, agent, ...(turn.finalItem !== null && { upTo: turn.finalItem }) };
				return {
					turn,
					items: (await eventsWhere(reads, range, (event) => event.turn === turn.id && isItem(event))).map(itemView),
				};
			}),
		turnRetry: (asked) =>
			context.about(asked, async (agent) => {
				const turn = await meant(context, agent, asked);
				if (isRefusal(turn)) return turn;
				const queued = await outcomeOf(context, asked, { type: "turn.retry", agent, turn: turn.id });
				return isRefusal(queued) ? queued : await asQueued(context, agent, queued.event);
			}),
		turnFinish: (asked) =>
			context.about(asked, async (agent) => {
				const said = await outcomeOf(context, asked, { type: "turn.finish", agent, ...asked.body });
				if (isRefusal(said)) return said;
				const id = said.events.find((event) => event.turn !== null)?.turn;
				const finished = id == null ? (await reads.latestTurns(agent, 1))[0] : await reads.turn(id);
				return finished === undefined ? refuse("NOT_FOUND", "There is no turn.") : turnView(finished);
			}),
	};
}

/** The turn that the path names; `last` is the latest. */
async function meant({ reads }: RequestContext, agent: AgentId, asked: RouteRequest<Names>): Promise<Turn | Refusal> {
	const [latest] = await reads.latestTurns(agent, 1);
	const { turn, agent: name } = asked.params;
	const wanted = turn === "last" ? latest : await reads.turn(numberIn(asked, "turn"));
	if (wanted?.agent === agent) return turnView(wanted);
	if (latest === undefined)
		return refuse("NOT_FOUND", `${name} has had no turn yet.`, { suggestions: [`brood queue list ${name}`] });
	return refuse("NOT_FOUND", `${name} has no turn ${turn}.`, { suggestions: [`brood turn list ${name}`] });
}
