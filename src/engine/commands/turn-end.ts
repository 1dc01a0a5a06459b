// Commands that end a turn: its process ended or met a limit, never got the prompt, or is gone; or a person says so.
import type { ProjectSlug } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { TurnCrash, TurnDone, TurnFinish, TurnRelease, type TurnState } from "#contract/turn.ts";
import { decideLimitedEnd, type LimitSight } from "#domain/cooldown.ts";
import { headmost } from "#domain/prompt.ts";
import { decideCrash, decideDone, decideRelease, decideTurnEnd, withLastItems } from "#domain/turn-end.ts";
import type { Work } from "../work.ts";
import { steadyOf } from "./capacity.ts";
import { itemText } from "./context.ts";
import { slotsFor } from "./locks.ts";
import { looseThreads } from "./loose.ts";
import { onAgent } from "./on-agent.ts";
import { notOpen, wordsOf } from "./turn.ts";

export const turnEndCommands = {
	"turn.end": onAgent({
		schema: TurnFinish,
		speakers: "daemon",
		texts: ({ text, items }) => [text ?? "", ...items.map(itemText)],
		locks: async (reads, { agent, limit }) => ({
			agents: [agent],
			...(limit && { slots: await slotsFor(reads, await reads.agent(agent)) }),
		}),
		load: async (work, command, { agent, limits }) => {
			const turn = await work.turn(command.turn);
			return {
				turn,
				loose: await looseThreads(work, agent.id, command.turn, command.items),
				limited: turn && command.limit && (await limitSight(work, turn, agent.project, limits)),
			};
		},
		decide: (agent, command, { turn, loose, limited }, envelope) =>
			withLastItems(agent, command, (spent) => {
				if (limited === undefined) return decideTurnEnd(spent, command, loose, turn?.commit ?? null);
				// the program told a time of the clock on the wall
				const told = command.limit?.until ?? null;
				const limit = { until: told === null ? null : steadyOf(told, envelope) };
				return decideLimitedEnd(spent, { ...command, limit }, loose, limited);
			}),
	}),
	"turn.finish": onAgent({
		schema: TurnDone,
		speakers: "people",
		texts: ({ message }) => [message],
		load: (work, _, { agent }) => looseThreads(work, agent.id, agent.turn?.id ?? null),
		decide: decideDone,
	}),
	"turn.release": onAgent({
		schema: TurnRelease,
		speakers: "daemon",
		load: whatItLeaves,
		decide: (agent, command, { turn, loose, first }) => (turn === undefined ? notOpen(agent, command.turn) : decideRelease(agent, turn, command, loose, first)),
	}),
	"turn.crash": onAgent({
		schema: TurnCrash,
		speakers: "daemon",
		texts: ({ partials }) => partials.map(({ text }) => text),
		load: whatItLeaves,
		decide: (agent, { turn: id, partials }, { turn, loose, first }) =>
			turn === undefined ? notOpen(agent, id) : decideCrash(agent, turn, { ...loose, partials }, first),
	}),
};

/** Its prompt goes back to the head of the queue. */
async function whatItLeaves(work: Work, { agent, turn }: Pick<TurnRelease, "agent" | "turn">) {
	return {
		turn: await work.turn(turn),
		loose: await looseThreads(work, agent, turn),
		first: (await work.tx.queue(agent)).first,
	};
}

async function limitSight(work: Work, turn: TurnState, slug: ProjectSlug | null, { coolDownMs }: Limits): Promise<LimitSight> {
	return {
		turn,
		words: await wordsOf(work, turn),
		position: headmost((await work.tx.queue(turn.agent)).first),
		subscriptions: await work.tx.subscriptions(),
		project: slug === null ? undefined : await work.project(slug),
		coolDownMs,
		now: work.envelope.steady,
	};
}
