// The messages that agents are writing, and the output of the calls that run: what is not an item yet.
import type { AgentId } from "#contract/ids.ts";
import type { Delta } from "#contract/stream.ts";
import { extended, isFinishedBy, keyOf } from "#contract/unfinished.ts";

export class RunningMessages {
	readonly #of = new Map<AgentId, Map<string, Delta>>();

	of(agent: AgentId): readonly Delta[] {
		return [...(this.#of.get(agent)?.values() ?? [])];
	}

	add(delta: Delta): void {
		this.set(extended(this.#of.get(delta.agent)?.get(keyOf(delta)), delta));
	}

	set(message: Delta): void {
		const running = this.#of.get(message.agent) ?? new Map<string, Delta>();
		running.set(keyOf(message), message);
		this.#of.set(message.agent, running);
	}

	/** This item is what they have become. */
	end(agent: AgentId, item: { kind: string; data: unknown }): void {
		const running = this.#of.get(agent);
		for (const [key, delta] of running ?? []) if (isFinishedBy(delta, item)) running?.delete(key);
	}

	forget(agent: AgentId): void {
		this.#of.delete(agent);
	}

	clear(): void {
		this.#of.clear();
	}
}
