// The numbers of `brood status`. While the database does not answer they are the last ones that were read: a daemon that
// is asked how it is must answer.
import { isActive } from "#contract/node.ts";
import type { Problem, Status } from "#contract/wire.ts";
import type { Engine } from "#engine/engine.ts";
import type { RequestContext } from "./request-context.ts";

type Numbers = Pick<Status, "agents" | "turns" | "lastEvent" | "node" | "nodes">;

export class Counts {
	readonly #context: Pick<RequestContext, "engine" | "reads">;
	#last: Numbers = { agents: 0, turns: 0, lastEvent: 0, node: null, nodes: 1 };

	constructor(context: Pick<RequestContext, "engine" | "reads">) {
		this.#context = context;
	}

	async read(): Promise<Numbers> {
		const { engine, reads } = this.#context;
		if (engine.nodes.isSilent) return this.#last;
		const [agents, turns, lastEvent, nodes] = await Promise.all([
			reads.livingAgents(),
			reads.openTurns(),
			reads.lastEvent(),
			reads.nodes(),
		]);
		const own = nodes.find(({ id }) => id === engine.nodes.self);
		const active = nodes.filter(isActive).length;
		this.#last = { agents, turns: turns.length, lastEvent, node: own?.name ?? null, nodes: active };
		return this.#last;
	}
}

export function databaseProblems({ database, holdingSince }: Engine["nodes"]): Problem[] {
	const silentMs = database?.silentMs ?? null;
	if (silentMs === null) return [];
	const held = holdingSince === null ? "" : "; the processes of all agents are held until it does";
	return [
		{
			what: "database",
			text: `the database does not answer for ${Math.round(silentMs / 1000)} s${held}`,
			fix: "brood doctor",
		},
	];
}
