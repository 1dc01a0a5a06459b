// Carries out the turns that are open: hands the prompt over, writes down what the process says, and ends the turn.
//
// The hand-over is recorded before it is made. So after a crash a turn without that record has done nothing and its
// prompt goes back to the queue; a turn with it may have done anything, and only a person runs it again.
import type { AgentId } from "#contract/ids.ts";
import { system } from "#contract/ids.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Dispatch, Driver, Outcome, Reads, TurnEnd } from "../ports.ts";
import type { Publisher } from "../publish.ts";
import type { Looked, Reactor } from "../reactor.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	driver: Driver;
	publisher: Publisher;
}

export class TurnRunner implements Reactor {
	readonly name = "run turns";
	readonly #parts: Parts;
	readonly #running = new Map<number, { stop: AbortController; over: Promise<void> }>();

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
	}

	#begin(turn: TurnState): void {
		const stop = new AbortController();
		const over = this.#carryOut(turn, stop.signal).finally(() => this.#running.delete(turn.id));
		// whatever goes wrong in one turn is that turn's matter; it was ended as failed or will be at the next boot
		over.catch(() => {});
		this.#running.set(turn.id, { stop, over });
	}

	async #carryOut(turn: TurnState, signal: AbortSignal): Promise<void> {
		const { reads, driver } = this.#parts;
		const agent = await reads.agent(turn.agent);
		if (agent === undefined) throw new Error(`turn ${turn.id} has no agent`);
		const handed = await this.#say(turn, { type: "turn.hand" });
		if ("refused" in handed) return;
		const text = handed.events.find((event) => event.kind === "user")?.text ?? "";
		const end = await driver.run({ agent, turn: turn.id, text }, this.#watch(turn), signal);
		if (!signal.aborted) return await this.#end(turn, end);
		const stopped = (await reads.turn(turn.id))?.stoppingAt !== null;
		return await this.#end(turn, { state: "interrupted", reason: stopped ? "interrupted" : "shutdown", text: null });
	}

	#watch(turn: TurnState) {
		return {
			// a refusal means that the turn is over: what its process still says is not part of it
			items: async (items: readonly object[]): Promise<void> => void (await this.#say(turn, { type: "turn.append", items })),
			delta: (delta: { message: string; kind: string; text: string }) => this.#parts.publisher.live({ agent: turn.agent, turn: turn.id, ...delta }),
		};
	}

	async #end(turn: TurnState, { state, reason, text, broken }: TurnEnd): Promise<void> {
		await this.#say(turn, { type: "turn.end", state, reason: reason?.slice(0, 2000) ?? null, text });
		if (broken === true) {
			const failure = { type: "agent.fail", agent: turn.agent, code: "INTERNAL_ERROR", step: "process", reason: reason?.slice(0, 1000) ?? "" };
			await this.#parts.dispatch({ actor: system, key: null, command: failure });
		}
	}

	async #say(turn: { id: number; agent: AgentId }, command: object): Promise<Outcome> {
		return await this.#parts.dispatch({ actor: system, key: null, command: { ...command, agent: turn.agent, turn: turn.id } });
	}
}
