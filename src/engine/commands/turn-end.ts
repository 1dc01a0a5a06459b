// Commands that end a turn: its process ended or reached a limit, never got the prompt, or is gone; or a person says
// so.
import type { ProjectSlug } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { PromptReturn, TurnCrash, TurnEnd, TurnFinish, type TurnState } from "#contract/turn.ts";
import { decideLimitedEnd, type LimitFacts } from "#domain/cool-down.ts";
import { positionBeforeAll } from "#domain/prompt.ts";
import { decideCrash, decideFinishTurn, decideReturnPrompt, decideTurnEnd, withLastItems } from "#domain/turn-end.ts";
import { toMonotonic } from "./capacity.ts";
import { itemText } from "./context.ts";
import { onAgent } from "./on-agent.ts";
import { openWorkOf } from "./open-work.ts";
import { notOpen, promptTextOf } from "./turn.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export const turnEndDefinitions = {
	"turn.end": onAgent({
		schema: TurnEnd,
		allowedActors: "daemon",
		startsWork: false,
		texts: ({ text, items }) => [text ?? "", ...items.map(itemText)],
		load: async (work, command, { agent, limits }) => {
			const turn = await work.turn(command.turn);
			return {
				turn,
				openWork: await openWorkOf(work, agent.id, command.turn, command.items),
				limited: turn && command.limit && (await limitFacts(work, turn, agent.project, limits)),
			};
		},
		decide: (agent, command, { turn, openWork, limited }, envelope) =>
			withLastItems(agent, command, (spent) => {
				if (limited === undefined) return decideTurnEnd(spent, command, openWork, turn?.commit ?? null);
				// the program reported a wall-clock time
				const until = command.limit?.until ?? null;
				const limit = { until: until === null ? null : toMonotonic(until, envelope) };
				return decideLimitedEnd(spent, { ...command, limit }, openWork, limited);
			}),
	}),
	"turn.finish": onAgent({
		schema: TurnFinish,
		allowedActors: "people",
		startsWork: false,
		texts: ({ message }) => [message],
		load: (work, _, { agent }) => openWorkOf(work, agent.id, agent.turn?.id ?? null),
		decide: decideFinishTurn,
	}),
	"prompt.return": onAgent({
		schema: PromptReturn,
		allowedActors: "daemon",
		startsWork: false,
		load: leftWork,
		decide: (agent, command, { turn, openWork, first }) =>
			turn === undefined ? notOpen(agent, command.turn) : decideReturnPrompt(agent, turn, command, openWork, first),
	}),
	"turn.crash": onAgent({
		schema: TurnCrash,
		allowedActors: "daemon",
		startsWork: false,
		texts: ({ partials }) => partials.map(({ text }) => text),
		load: leftWork,
		decide: (agent, { turn: id, partials }, { turn, openWork, first }) =>
			turn === undefined ? notOpen(agent, id) : decideCrash(agent, turn, { ...openWork, partials }, first),
	}),
};

/** The open work of the turn, and the head of the queue, where its prompt goes back to. */
async function leftWork(work: UnitOfWork, { agent, turn }: Pick<PromptReturn, "agent" | "turn">) {
	return {
		turn: await work.turn(turn),
		openWork: await openWorkOf(work, agent, turn),
		first: (await work.tx.queueEnds(agent)).first,
	};
}

async function limitFacts(
	work: UnitOfWork,
	turn: TurnState,
	slug: ProjectSlug | null,
	{ coolDownMs }: Limits,
): Promise<LimitFacts> {
	return {
		turn,
		promptText: await promptTextOf(work, turn),
		position: positionBeforeAll((await work.tx.queueEnds(turn.agent)).first),
		subscriptions: await work.tx.subscriptions(),
		project: slug === null ? undefined : await work.project(slug),
		coolDownMs,
		now: work.envelope.monotonic,
	};
}
