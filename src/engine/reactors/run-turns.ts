// Carries out the turns that are open: hands the prompt over, writes down what the process says, and ends the turn.
//
// The hand-over is recorded before it is made, and only once the process is up. So a turn without that record has done
// nothing, and its prompt goes back to the queue; a turn with it may have done anything, and only a person runs it again.
import { type AgentId, system } from "#contract/ids.ts";
import type { TurnState } from "#contract/turn.ts";
import { mayPass, patiently } from "../patience.ts";
import type { Dispatch, Driver, Outcome, Reads, TurnEnd } from "../ports.ts";
import type { Publisher } from "../publish.ts";
import type { Looked, Reactor } from "../reactor.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	driver: Driver;
	publisher: Publisher;
}

interface Running {
	stop: AbortController;
	over: Promise<void>;
}

export class TurnRunner implements Reactor {
	readonly name = "run turns";
	readonly #parts: Parts;
	readonly #running = new Map<number, Running>();
	/** what is said about a turn is said until it is heard; only a broken store ends that */
	readonly #forEver = new AbortController().signal;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	wakes(event: { kind: string }): boolean {
		return ["turn.started", "turn.stopping", "turn.ended"].includes(event.kind);
	}

	async look(signal: AbortSignal): Promise<Looked> {
		const open = await this.#parts.reads.openTurns();
		const ids = new Set(open.map((turn) => turn.id));
		const stopping = new Set(open.filter((turn) => turn.stoppingAt !== null).map((turn) => turn.id));
		// a turn that somebody stopped, or ended for us, must not go on in its process
		for (const [id, { stop }] of this.#running) if (!ids.has(id) || stopping.has(id)) stop.abort();
		if (signal.aborted) return "done";
		for (const turn of open) if (!this.#running.has(turn.id)) this.#begin(turn);
		return "done";
	}

	/** Lets the running turns end by themselves for a while, then ends them as interrupted, without a hold. */
	async drain(patience: Promise<unknown>): Promise<void> {
		const all = (): Promise<unknown> => Promise.allSettled([...this.#running.values()].map(({ over }) => over));
		await Promise.race([all(), patience]);
		for (const { stop } of this.#running.values()) stop.abort();
		await all();
		// turns that were started while we stopped looking: nothing of them was done
		for (const turn of await this.#parts.reads.openTurns()) await this.#say(turn, { type: "turn.release", reason: "shutdown" });
	}

	#begin(turn: TurnState): void {
		const stop = new AbortController();
		const over = this.#carryOut(turn, stop.signal).finally(() => this.#running.delete(turn.id));
		// what reaches this point is a broken store: the engine ends, and the next one finds the turn open
		over.catch(() => {});
		this.#running.set(turn.id, { stop, over });
	}

	async #carryOut(turn: TurnState, signal: AbortSignal): Promise<void> {
		const { reads, driver } = this.#parts;
		const agent = await patiently(
			() => reads.agent(turn.agent),
			() => false,
			this.#forEver,
		);
		if (!agent) return;
		const failed = await driver.prepare(agent, signal).catch(failure);
		if (failed !== null) return await this.#giveBack(turn, failed, signal);
		const handed = await this.#say(turn, { type: "turn.hand" });
		const words = "done" in handed ? handed.events.find((event) => event.kind === "user")?.text : undefined;
		// refused because it is over, or over because there was nothing left to say
		if (words === undefined || words === null) return;
		const end = await driver.run({ agent, turn: turn.id, text: words }, this.#watch(turn), signal).catch(failure);
		await this.#end(turn, signal.aborted ? await this.#stopped(turn) : end);
	}

	/** The process never got the prompt: it returns to the head of the queue, and a process that will not start holds the agent. */
	async #giveBack(turn: TurnState, failed: TurnEnd, signal: AbortSignal): Promise<void> {
		if (signal.aborted && (await this.#parts.reads.turn(turn.id))?.stoppingAt !== null) return await this.#end(turn, await this.#stopped(turn));
		if (failed.broken === true) {
			const failure = { type: "agent.fail", agent: turn.agent, code: "INTERNAL_ERROR", step: "process", reason: failed.reason?.slice(0, 1000) ?? "" };
			await this.#dispatch(failure);
		}
		await this.#say(turn, { type: "turn.release", reason: signal.aborted ? "shutdown" : (failed.reason?.slice(0, 1000) ?? "its process did not start") });
	}

	async #stopped(turn: TurnState): Promise<TurnEnd> {
		const asked = (await this.#parts.reads.turn(turn.id))?.stoppingAt !== null;
		return { state: "interrupted", reason: asked ? "interrupted" : "shutdown", text: null };
	}

	#watch(turn: TurnState) {
		return {
			items: async (items: readonly object[]): Promise<void> => {
				const outcome = await this.#say(turn, { type: "turn.append", items });
				// a turn that is over takes nothing more; anything else is the matter of one item, not of its neighbours
				if (!("refused" in outcome) || outcome.refused.code === "TURN_NOT_OPEN") return;
				for (const item of items) {
					const alone = await this.#say(turn, { type: "turn.append", items: [item] });
					if ("refused" in alone)
						await this.#say(turn, { type: "turn.append", items: [{ kind: "system", text: `An item could not be kept: ${alone.refused.message}` }] });
				}
			},
			delta: (delta: { message: string; kind: string; text: string }) => this.#parts.publisher.live({ agent: turn.agent, turn: turn.id, ...delta }),
		};
	}

	async #end(turn: TurnState, { state, reason, text }: TurnEnd): Promise<void> {
		await this.#say(turn, { type: "turn.end", state, reason: reason?.slice(0, 2000) ?? null, text });
	}

	async #say(turn: { id: number; agent: AgentId }, command: object): Promise<Outcome> {
		return await this.#dispatch({ ...command, agent: turn.agent, turn: turn.id });
	}

	async #dispatch(command: object): Promise<Outcome> {
		const outcome = await patiently(() => this.#parts.dispatch({ actor: system, key: null, command }), mayPass, this.#forEver);
		if (outcome === null) throw new Error("patience without end ended");
		return outcome;
	}
}

const failure = (error: unknown): TurnEnd => ({ state: "failed", reason: error instanceof Error ? error.message : String(error), text: null });
