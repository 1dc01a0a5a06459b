// The engine as one thing: store, dispatch, publisher and reactors, started in order and stopped in reverse.
import type { AgentState, Settings } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { type AgentId, type ProjectSlug, system } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { resolve } from "#domain/agent/reference.ts";
import { contextOf } from "#domain/history.ts";
import type { Request } from "./admit.ts";
import { settingsOf } from "./commands/agent.ts";
import { Dispatcher } from "./dispatch.ts";
import type { Clock, Ids, Outcome, Reads, Store } from "./ports.ts";
import { Publisher } from "./publish.ts";
import { startReactor } from "./reactor.ts";
import { provisionReactor } from "./reactors/provision.ts";
import { Supervisor } from "./supervisor.ts";

export interface EngineParts {
	store: Store;
	limits: Limits;
	clock: Clock;
	ids: Ids;
}

const restarts = { restartsMax: 5, periodMs: 60_000 };

export class Engine implements AsyncDisposable {
	readonly publisher: Publisher;
	/** settles when the engine cannot go on; the process has to exit, the next one recovers from disk */
	readonly failed: Promise<Error>;
	readonly #parts: EngineParts;
	readonly #dispatcher: Dispatcher;
	readonly #supervisor: Supervisor;
	readonly agentZero: AgentState;

	static async start(parts: EngineParts): Promise<Engine> {
		const publisher = new Publisher(parts.limits);
		const dispatcher = new Dispatcher({ ...parts, publisher });
		try {
			const agentZero = await foundAgentZero(dispatcher);
			const reactors = [provisionReactor({ reads: parts.store.reads, dispatch: (request) => dispatcher.dispatch(request) })];
			await parts.store.dropReceipts(parts.clock.now() - parts.limits.receiptsKeptMs);
			const supervisor = await Supervisor.start(
				reactors.map((reactor) => ({ name: reactor.name, start: () => startReactor(reactor, publisher) })),
				{ ...restarts, clock: parts.clock },
			);
			return new Engine(parts, { publisher, dispatcher, supervisor, agentZero });
		} catch (error) {
			await parts.store[Symbol.asyncDispose]();
			throw error;
		}
	}

	private constructor(parts: EngineParts, made: { publisher: Publisher; dispatcher: Dispatcher; supervisor: Supervisor; agentZero: AgentState }) {
		this.#parts = parts;
		this.publisher = made.publisher;
		this.#dispatcher = made.dispatcher;
		this.#supervisor = made.supervisor;
		this.agentZero = made.agentZero;
		this.failed = Promise.race([made.supervisor.failed, parts.store.broken]);
	}

	get reads(): Reads {
		return this.#parts.store.reads;
	}

	async dispatch(request: Request): Promise<Outcome> {
		return await this.#dispatcher.dispatch(request);
	}

	/** Finds the agent that a person means. */
	async resolve(reference: string, project: ProjectSlug | null = null): Promise<{ id: AgentId } | Refusal> {
		return resolve(reference, project, await this.reads.agentsNamed(reference));
	}

	/** What the agent's model sees, the oldest item first. */
	async context(id: AgentId): Promise<{ items: Event[] } | Refusal> {
		const { items, whole } = await this.reads.history(id);
		if (whole) return { items: contextOf(items) };
		if ((await this.reads.agent(id)) === undefined) return refuse("AGENT_NOT_FOUND", `There is no agent ${id}.`, { suggestions: ["brood agent list"] });
		return refuse("HISTORY_BROKEN", `An ancestor of ${id} is missing from the store or is its own ancestor: its context cannot be told.`, {
			details: { agent: id },
			suggestions: ["brood doctor"],
		});
	}

	async settings(agent: AgentState): Promise<Settings> {
		return await settingsOf(this.reads, agent.settings);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#supervisor[Symbol.asyncDispose]();
		await this.#dispatcher.drain();
		await this.#parts.store[Symbol.asyncDispose]();
	}
}

async function foundAgentZero(dispatcher: Dispatcher): Promise<AgentState> {
	const outcome = await dispatcher.dispatch({ actor: system, key: null, command: { type: "agent.init" } });
	if ("refused" in outcome || outcome.done.agent === undefined) throw new Error("agent 0 could not be made");
	return outcome.done.agent;
}
