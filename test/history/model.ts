// Histories the slow way: every agent has a whole copy of its context. The delta replay must never differ from it.
import fc from "fast-check";
import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item-kinds.ts";
import type { Engine } from "#engine/engine.ts";
import type { Outcome } from "#engine/ports/dispatch.ts";
import { say } from "#test/support/say.ts";

/**
 * A restart is rare, because it takes a while. Who is meant by a number: agents and items are counted, and the count is
 * taken modulo how many there are.
 */
export type Step =
	| { do: "say" | "clear" | "kill"; agent: number }
	| { do: "mark" | "rewind"; agent: number; name?: string }
	| { do: "fork"; agent: number; at?: number; fresh: boolean }
	| { do: "restart" };

const agent = fc.nat(30);
const name = fc.constantFrom("a", "b", undefined);
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
	{ weight: 160, arbitrary: fc.record({ do: fc.constant("say" as const), agent }) },
	{ weight: 40, arbitrary: fc.record({ do: fc.constant("clear" as const), agent }) },
	{ weight: 60, arbitrary: fc.record({ do: fc.constant("mark" as const), agent, name }).map(named) },
	{ weight: 60, arbitrary: fc.record({ do: fc.constant("rewind" as const), agent, name }).map(named) },
	{ weight: 80, arbitrary: fc.record({ do: fc.constant("fork" as const), agent, fresh: fc.constant(false) }) },
	{
		weight: 60,
		arbitrary: fc.record({ do: fc.constant("fork" as const), agent, at: fc.nat(50), fresh: fc.constant(false) }),
	},
	{ weight: 20, arbitrary: fc.record({ do: fc.constant("fork" as const), agent, fresh: fc.constant(true) }) },
	{ weight: 20, arbitrary: fc.record({ do: fc.constant("kill" as const), agent }) },
);

export const program = fc.array(step, { minLength: 4, maxLength: 24 });

function named<D extends string>({ name: given, ...rest }: { do: D; agent: number; name: string | undefined }) {
	return given === undefined ? rest : { ...rest, name: given };
}

interface Copied {
	id: number;
	kind: string;
	text: string | null;
}

/** The model: a list of copies per agent, in the order in which the agents were made. */
export class Copies {
	readonly contexts = new Map<AgentId, Copied[]>();
	readonly #dead = new Set<AgentId>();

	constructor(root: AgentId) {
		this.contexts.set(root, []);
	}

	get agents(): AgentId[] {
		return [...this.contexts.keys()];
	}

	pick(number: number): AgentId {
		const chosen = this.agents[number % this.contexts.size];
		if (chosen === undefined) throw new Error("a model without agents");
		return chosen;
	}

	/** Plays a step on the real engine and, with what it answered, on the copies. Says whether it was accepted. */
	async play(engine: Engine, taken: Exclude<Step, { do: "restart" }>): Promise<boolean> {
		const target = this.pick(taken.agent);
		const context = this.contexts.get(target) ?? [];
		switch (taken.do) {
			case "say":
				return this.#follow(
					await say(engine, { type: "item.append", agent: target, kind: "user", text: "words" }),
					!this.#dead.has(target),
				);
			case "clear":
				return this.#follow(await say(engine, { type: "context.clear", agent: target }), !this.#dead.has(target));
			case "mark":
				return this.#follow(
					await say(engine, { type: "context.mark", agent: target, ...nameOf(taken) }),
					!this.#dead.has(target),
				);
			case "rewind":
				return this.#rewind(
					await say(engine, { type: "context.rewind", agent: target, ...nameOf(taken) }),
					target,
					taken.name,
				);
			case "kill": {
				const accepted = this.#follow(
					await say(engine, { type: "agent.kill", agent: target }),
					!this.#dead.has(target),
				);
				this.#dead.add(target);
				return accepted;
			}
			case "fork": {
				const at = taken.at === undefined || context.length === 0 ? undefined : context[taken.at % context.length]?.id;
				const request = { context: taken.fresh ? "fresh" : "inherit", ...(at !== undefined && { at }) };
				return this.#fork(
					await say(engine, { type: "agent.spawn", parent: target, ...request }),
					target,
					taken.fresh ? 0 : at,
				);
			}
		}
	}

	/** Everything that the command wrote goes where it was written. */
	#follow(outcome: Outcome, expected: boolean): boolean {
		if ("done" in outcome !== expected)
			throw new Error(`expected ${expected ? "acceptance" : "a refusal"}, got ${JSON.stringify(outcome)}`);
		if ("refused" in outcome) return false;
		for (const { agent: owner, id, kind, text } of outcome.events.filter(isItem)) {
			const context = owner === null ? undefined : this.contexts.get(owner);
			if (kind === "clear") context?.splice(0);
			else context?.push({ id, kind, text });
		}
		return true;
	}

	#rewind(outcome: Outcome, target: AgentId, wanted: string | undefined): boolean {
		const context = this.contexts.get(target) ?? [];
		const mark = context.findLastIndex(
			({ kind, text }) => kind === "mark" && (wanted === undefined || text === wanted),
		);
		const expected = mark >= 0 && !this.#dead.has(target);
		if ("done" in outcome !== expected)
			throw new Error(`expected a rewind to be ${expected ? "accepted" : "refused"}: ${JSON.stringify(outcome)}`);
		if (expected) context.splice(mark + 1);
		return expected;
	}

	#fork(outcome: Outcome, parent: AgentId, upTo: number | undefined): boolean {
		if ("refused" in outcome || outcome.done.agent === undefined)
			throw new Error(`a fork was refused: ${JSON.stringify(outcome)}`);
		const copy = (this.contexts.get(parent) ?? []).filter((item) => upTo === undefined || item.id <= upTo);
		this.contexts.set(outcome.done.agent.id, [...copy]);
		return this.#follow(outcome, true);
	}
}

const nameOf = (taken: { name?: string }) => (taken.name === undefined ? {} : { name: taken.name });
