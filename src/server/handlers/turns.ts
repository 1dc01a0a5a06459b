// The routes of turns.

import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item-kinds.ts";
import { isOwn } from "#contract/node.ts";
import { pagedWith } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Turn } from "#contract/wire.ts";
import { eventsWhere } from "#engine/loop/event-pages.ts";
import { eventView, turnView } from "#views/wire.ts";
import { type Handlers, numberIn, type RequestContext, type ScopedRequest } from "../request-context.ts";
import { asQueued } from "./queue.ts";

export function turnHandlers(context: RequestContext) {
	const { reads } = context;
	return {
		turns: (request) =>
			context.withAgent(request, async (id) => pagedWith(await reads.listTurns(id, request.page), turnView)),
		turn: (request) =>
			context.withAgent(request, async (agent) => {
				const turn = await turnNamed(context, agent, request);
				if (isRefusal(turn)) return turn;
				// the items up to the final one, however long the thread has become since
				const range = { after: turn.id, agent, ...(turn.finalItem !== null && { upTo: turn.finalItem }) };
				return {
					turn,
					items: (await eventsWhere(reads, range, (event) => event.turn === turn.id && isItem(event))).map(eventView),
				};
			}),
		turnRetry: (request) =>
			context.withAgent(request, async (agent) => {
				const turn = await turnNamed(context, agent, request);
				if (isRefusal(turn)) return turn;
				const queued = await context.dispatch(request, { type: "turn.retry", agent, turn: turn.id });
				return isRefusal(queued) ? queued : await asQueued(context, agent, queued.event);
			}),
		interruptedTurns: async () => {
			const { engine } = context;
			const before = await reads.turnsBefore(engine.startedAfter, { sinceMax: turnsSince });
			const cut = before.filter((turn) => canBeRetried(turn) && wasCutByLastEnd(turn, engine));
			const turns = new Map(cut.map((turn) => [turn.agent, turn]));
			const agents = await reads.agentsWith([...turns.keys()]);
			const interrupted = agents.flatMap(({ id, handle, project, life }) => {
				const turn = turns.get(id);
				if (turn === undefined || life !== "live") return [];
				return { turn: turn.id, agent: id, handle, project, reason: turn.reason ?? "" };
			});
			return { interrupted: interrupted.toSorted((a, b) => a.turn - b.turn) };
		},
		turnFinish: (request) =>
			context.withAgent(request, async (agent) => {
				const done = await context.dispatch(request, { type: "turn.finish", agent, ...request.body });
				if (isRefusal(done)) return done;
				const id = done.events.find((event) => event.turn !== null)?.turn;
				const finished = id == null ? (await reads.latestTurns(agent, 1))[0] : await reads.turn(id);
				return finished === undefined ? refuse("NOT_FOUND", "There is no turn.") : turnView(finished);
			}),
	} satisfies Partial<Handlers>;
}

/** how many turns an agent may have run since the start; after more the interrupted one counts as forgotten */
const turnsSince = 49;

/** A prompt that was not handed over is in the queue again. */
const canBeRetried = ({ state, reason, handedAt, retriedAs }: TurnState): boolean =>
	state === "interrupted" && (reason === "shutdown" || reason === "crash") && handedAt !== null && retriedAs === null;

/**
 * The last daemon ran it, or this one found it open: a daemon that dies while it starts leaves the turns of an earlier
 * one open.
 */
const wasCutByLastEnd = (
	{ node, epoch, finalItem }: TurnState,
	engine: Pick<RequestContext["engine"], "node" | "lastEpoch" | "recoveredAfter">,
): boolean => isOwn(engine.node, { node }) && (epoch === engine.lastEpoch || (finalItem ?? 0) > engine.recoveredAfter);

/** The turn that the path names; `last` is the latest. */
async function turnNamed({ reads }: RequestContext, agent: AgentId, request: ScopedRequest): Promise<Turn | Refusal> {
	const [latest] = await reads.latestTurns(agent, 1);
	const { turn, agent: name } = request.params;
	const wanted = turn === "last" ? latest : await reads.turn(numberIn(request, "turn"));
	if (wanted?.agent === agent) return turnView(wanted);
	if (latest === undefined)
		return refuse("NOT_FOUND", `${name} has had no turn yet.`, { suggestions: [`brood queue list ${name}`] });
	return refuse("NOT_FOUND", `${name} has no turn ${turn}.`, { suggestions: [`brood turn list ${name}`] });
}
