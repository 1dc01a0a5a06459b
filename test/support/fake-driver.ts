// A driver without processes: turns wait until the test ends them, and every start is written down.
import type { AgentId } from "#contract/ids.ts";
import type { Driver, StartedProcess, TurnResult, TurnWatch } from "#engine/ports/driver.ts";

interface Open {
	agent: AgentId;
	text: string;
	watch: TurnWatch;
	end(end: TurnResult): void;
}

export class FakeDriver implements Driver {
	/** the words of every prompt that was handed over, in order */
	readonly started: { agent: AgentId; text: string }[] = [];
	readonly ended: AgentId[] = [];
	readonly #open = new Map<AgentId, Open>();

	async run(
		{ agent, text }: { agent: { id: AgentId }; text: string },
		watch: TurnWatch,
		signal: AbortSignal,
	): Promise<TurnResult> {
		this.started.push({ agent: agent.id, text });
		const { promise, resolve } = Promise.withResolvers<TurnResult>();
		this.#open.set(agent.id, { agent: agent.id, text, watch, end: resolve });
		const stop = (): void => resolve({ state: "interrupted", reason: "stopped", text: null });
		if (signal.aborted) stop();
		else signal.addEventListener("abort", stop);
		const end = await promise;
		this.#open.delete(agent.id);
		return end;
	}

	/** While this is set processes take for ever to start. */
	slow = false;

	async autorunFiles(): Promise<null> {
		return null;
	}

	keepsSession(): boolean {
		return false;
	}

	dismiss(): void {}

	freezeAll(): void {}
	thawAll(): void {}
	async killAll(): Promise<void> {}

	async startProcess(_: { id: AgentId }, __: number, signal: AbortSignal): Promise<StartedProcess> {
		if (!this.slow) return { up: true, session: null };
		const { promise, resolve } = Promise.withResolvers<StartedProcess>();
		const stop = (): void => resolve({ up: false, end: { state: "interrupted", reason: "stopped", text: null } });
		if (signal.aborted) stop();
		else signal.addEventListener("abort", stop);
		return await promise;
	}

	get running(): AgentId[] {
		return [...this.#open.keys()];
	}

	open(agent: AgentId): Open | undefined {
		return this.#open.get(agent);
	}

	async end(agent: AgentId): Promise<void> {
		this.ended.push(agent);
		this.#open.get(agent)?.end({ state: "interrupted", reason: "ended", text: null });
	}

	processesLeft(): [] {
		return [];
	}

	async frozen<T>(_: AgentId, work: (lasted: () => boolean) => Promise<T>): Promise<T> {
		return await work(() => true);
	}

	async sweep(): Promise<number> {
		return 0;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const agent of this.running) await this.end(agent);
	}
}
