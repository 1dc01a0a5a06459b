// The messages that agents are writing and that are not items yet.
import type { AgentId } from "#contract/ids.ts";
import type { Delta } from "#contract/stream.ts";

export class RunningMessages {
	readonly #of = new Map<AgentId, Map<string, Delta>>();

	of(agent: AgentId): readonly Delta[] {
		return [...(this.#of.get(agent)?.values() ?? [])];
	}

	add(delta: Delta): void {
		const before = this.#of.get(delta.agent)?.get(delta.message);
		this.set({ ...delta, text: (before?.text ?? "") + delta.text });
	}

	set(message: Delta): void {
		const running = this.#of.get(message.agent) ?? new Map<string, Delta>();
		running.set(message.message, message);
		this.#of.set(message.agent, running);
	}

	/** An item of this kind is what they have become. */
	end(agent: AgentId, kind: string): void {
		const running = this.#of.get(agent);
		for (const [message, delta] of running ?? []) if (delta.kind === kind) running?.delete(message);
	}

	forget(agent: AgentId): void {
		this.#of.delete(agent);
	}

	clear(): void {
		this.#of.clear();
	}
}
