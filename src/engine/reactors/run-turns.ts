// Carries out the turns that are open: hands the prompt over, writes down what the process says, and ends the turn.
//
// The hand-over is recorded before it is made, and only once the process is up. So a turn without that record has done
// nothing, and its prompt goes back to the queue; a turn with it may have done anything, and only a person runs it again.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { type AgentId, system } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { TurnItem, TurnState } from "#contract/turn.ts";
import { settingsOf } from "../commands/agent.ts";
import { type Driver, nothingToGoOnWith, type OpenSession, type Prepared, type TurnEnd } from "../driver.ts";
import { caught } from "../log.ts";
import { mayPass, patiently } from "../patience.ts";
import { type Dispatch, type Outcome, StoreFault } from "../ports.ts";
import type { Looked, Reactor } from "../reactor.ts";
import type { Workspaces } from "../workspaces.ts";
import { Listener, type ListenParts } from "./listen.ts";
import { eventsAfter, instructionsOf, openingOf, recall, spoken } from "./recall.ts";
import { drift, keep, tellOfCommits } from "./tree.ts";
import { distrusted } from "./trust.ts";

interface Parts extends ListenParts {
	dispatch: Dispatch;
	driver: Driver;
	workspaces: Workspaces | null;
}

interface Running {
	stop: AbortController;
	over: Promise<void>;
	/** null for a person, who may be silent for as long as they like */
	listener: Listener | null;
}

export class TurnRunner implements Reactor {
	readonly name = "run turns";
	readonly #parts: Parts;
	readonly #running = new Map<number, Running>();
	/** what is said about a turn is said until it is heard; only a broken store ends that */
	#draining = false;
	readonly #forEver = new AbortController().signal;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	wakes(event: { kind: string; data: unknown }): boolean {
		return ["turn.started", "turn.stopping", "turn.ended"].includes(event.kind) || (event.kind === "mail.sent" && event.data !== null);
	}

	async look(signal: AbortSignal): Promise<Looked> {
		const { reads } = this.#parts;
		const [open, beginners, urgently] = await Promise.all([reads.openTurns(), reads.agentsAboutToBegin(), reads.agentsWithUrgentMail()]);
		const ids = new Set(open.map((turn) => turn.id));
		const stopping = new Set(open.filter((turn) => turn.stoppingAt !== null).map((turn) => turn.id));
		// a turn that somebody stopped, or ended for us, must not go on in its process
		for (const [id, { stop }] of this.#running) if (!ids.has(id) || stopping.has(id)) stop.abort();
		if (signal.aborted) return "done";
		for (const turn of open) {
			if (this.#running.has(turn.id)) continue;
			// what was read in the same moment may be from before this turn
			const agent = beginners.find((each) => each.turn?.id === turn.id) ?? (await reads.agent(turn.agent));
			if (agent !== undefined) this.#begin(turn, agent);
		}
		const urgent = new Set(urgently);
		for (const turn of open) if (urgent.has(turn.agent)) await this.#running.get(turn.id)?.listener?.yield();
		return "done";
	}

	/** What the turns are doing that are run here. */
	phases(): ReadonlyMap<number, "model" | "tool" | "wait"> {
		return new Map([...this.#running].map(([id, { listener }]) => [id, listener?.phase ?? "wait"]));
	}

	/** Lets the running turns end by themselves for a while, then ends them as interrupted, without a hold. */
	async drain(patience: Promise<unknown>): Promise<void> {
		this.#draining = true;
		const running = [...this.#running.values()];
		const ending = running.filter(({ listener }) => listener !== null);
		await Promise.race([Promise.allSettled(ending.map(({ over }) => over)), patience]);
		for (const { stop } of this.#running.values()) stop.abort();
		await Promise.allSettled(running.map(({ over }) => over));
		// turns that were started while we stopped looking: nothing of them was done
		for (const turn of await this.#parts.reads.openTurns()) if (turn.handedAt === null) await this.#say(turn, { type: "turn.release", reason: "shutdown" });
	}

	#begin(turn: TurnState, agent: AgentState): void {
		const stop = new AbortController();
		const listener = new Listener(turn, this.#parts, (command) => this.#say(turn, command), stop.signal);
		const over = this.#carryOut(turn, agent, listener, stop.signal).finally(() => {
			listener[Symbol.dispose]();
			this.#running.delete(turn.id);
		});
		// a broken store ends the engine, and the next one finds the turn open; anything else ends the turn
		over.catch(async (error: unknown) => {
			this.#caught("A turn failed inside the daemon", turn)(error);
			if (!(error instanceof StoreFault)) await this.#end(turn, failure(error)).catch(this.#caught("The end of a turn could not be recorded", turn));
		});
		if (agent.type === "human") listener[Symbol.dispose]();
		this.#running.set(turn.id, { stop, over, listener: agent.type === "human" ? null : listener });
	}

	async #carryOut(turn: TurnState, agent: AgentState, listener: Listener, signal: AbortSignal): Promise<void> {
		const { driver, reads } = this.#parts;
		const failed = (await this.#unfit(agent)) ?? (await distrusted(this.#parts, agent, listener));
		if (failed !== null) return await this.#giveBack(turn, failed, signal);
		// asked for early: most often its program is up, and nothing else is waited for
		const since = driver.remembers(agent) ? eventsAfter(reads, agent, agent.turnEndedIn ?? 0) : Promise.resolve([]);
		since.catch(expected("it is waited for further down"));
		const prepared = await this.#prepare(turn, agent, signal);
		if (!prepared.up) return await this.#giveBack(turn, prepared.end, signal);
		const told = prepared.session && (await this.#recall(turn, agent, prepared.session, since));
		const item = await this.#handOver(turn);
		// refused because it is over, or over because there was nothing left to say
		if (item === null) return;
		const text = told === null ? (item.text ?? "") : `${told}${spoken(item)}`;
		const end = await driver.run({ agent, turn: turn.id, text }, listener, signal).catch(failure);
		// a person goes on with it when the daemon is back
		if (this.#draining && agent.type === "human") return;
		const last = end.last ?? [];
		// keeping the files takes a while, in which everybody can see the last words
		if (agent.workspace !== null && last.length > 0) await listener.items(last);
		await this.#settle(agent, turn);
		await this.#end(turn, signal.aborted ? await this.#stopped(turn) : end, agent.workspace === null ? await listener.keepable(last) : []);
	}

	async #prepare(turn: TurnState, agent: AgentState, signal: AbortSignal): Promise<Prepared> {
		const { driver, reads } = this.#parts;
		try {
			if (!driver.remembers(agent)) return await driver.prepare(agent, signal, { subscription: await this.#paidFrom(turn), ...nothingToGoOnWith });
			const [subscription, settings, opening] = await Promise.all([this.#paidFrom(turn), settingsOf(reads, agent.settings), openingOf(reads, agent, turn)]);
			const told = { systemPrompt: instructionsOf(settings), options: settings.options };
			return await driver.prepare(agent, signal, { subscription, ...told, ...opening });
		} catch (error) {
			return { up: false, end: failure(error) };
		}
	}

	/** What its program does not know yet, and the record of the session that it is told in. */
	async #recall(turn: TurnState, agent: AgentState, opened: OpenSession, since: ReturnType<typeof eventsAfter>): Promise<string> {
		const { text, how, note } = await recall(this.#parts.reads, agent, turn, opened, since);
		const { session, folder, powers, program } = opened;
		if (how !== null) await this.#say(turn, { type: "session.open", opened: { session, type: agent.type, folder, powers, program, how }, note });
		return text ?? "";
	}

	async #paidFrom({ subscription }: TurnState): Promise<SubscriptionState | null> {
		return subscription === null ? null : ((await this.#parts.reads.subscriptions()).find(({ name }) => name === subscription) ?? null);
	}

	/** Why its workspace is no place to start a turn in. A person looks after their own. */
	async #unfit(agent: AgentState): Promise<TurnEnd | null> {
		if (agent.workspace === null || agent.type === "human") return null;
		try {
			const reason = await drift(this.#parts, agent);
			if (reason !== null) return { state: "failed", reason, text: null };
		} catch (error) {
			// a place that cannot even be looked at would be looked at again at once, for ever
			return { ...failure(error), broken: true, step: "checkout" };
		}
		await tellOfCommits(this.#parts, agent).catch(this.#caught("Commits of others could not be looked up", { agent: agent.id }));
		return null;
	}

	/** Its files are kept before anybody learns that the turn is over. What cannot be kept does not keep the turn open. */
	async #settle(agent: AgentState, turn: TurnState): Promise<void> {
		if (agent.workspace === null || this.#parts.workspaces === null) return;
		const settling = await this.#say(turn, { type: "turn.settle" });
		// somebody else ended it: then others may be at the workspace, and it is kept only if they are not
		if ("refused" in settling) return await this.#keepAfterwards(agent, turn);
		await keep(this.#parts, agent, turn.id).catch(async (error: unknown) => {
			const text = `The files of this turn could not be kept: ${failure(error).reason}`;
			await this.#say(turn, { type: "turn.append", items: [{ kind: "system", text: text.slice(0, 10_000) }] });
		});
	}

	async #keepAfterwards({ id }: AgentState, turn: TurnState): Promise<void> {
		const leased = await this.#dispatchOnce({ type: "workspace.lease", agent: id, step: "fork" });
		if ("refused" in leased) return;
		const now = await this.#parts.reads.agent(id);
		if (now !== undefined) await keep(this.#parts, now, turn.id).catch(this.#caught("The files of a turn could not be kept", turn));
		await this.#dispatch({ type: "workspace.free", agent: id });
	}

	/** A turn that was handed over before is a person's, who is still at it. */
	async #handOver(turn: TurnState): Promise<Pick<Event, "text" | "data"> | null> {
		if (turn.handedAt !== null) return { text: "", data: null };
		const handed = await this.#say(turn, { type: "turn.hand" });
		return ("done" in handed ? handed.events.find((event) => event.kind === "user") : null) ?? null;
	}

	/** The process never got the prompt: it returns to the head of the queue, and a process that will not start holds the agent. */
	async #giveBack(turn: TurnState, failed: TurnEnd, signal: AbortSignal): Promise<void> {
		if (signal.aborted && (await this.#parts.reads.turn(turn.id))?.stoppingAt !== null) return await this.#end(turn, await this.#stopped(turn));
		if (failed.broken === true) {
			const failure = {
				type: "agent.fail",
				agent: turn.agent,
				code: "INTERNAL_ERROR",
				step: failed.step ?? "process",
				reason: failed.reason?.slice(0, 1000) ?? "",
			};
			await this.#dispatch(failure);
		}
		await this.#say(turn, { type: "turn.release", reason: signal.aborted ? "shutdown" : (failed.reason?.slice(0, 1000) ?? "its process did not start") });
	}

	async #stopped(turn: TurnState): Promise<TurnEnd> {
		const now = await this.#parts.reads.turn(turn.id);
		const why = now?.stoppingFor === "interrupt" ? "interrupted" : (now?.stoppingFor ?? "shutdown");
		return { state: "interrupted", reason: why, text: null };
	}

	async #end(turn: TurnState, { state, reason, text, limit }: TurnEnd, items: readonly TurnItem[] = []): Promise<void> {
		const bare = { type: "turn.end", state, reason: reason?.slice(0, 2000) ?? null };
		// a program may name a time that is none
		const until = limit !== undefined && Number.isSafeInteger(limit.until) ? limit.until : null;
		const end = { ...bare, text: text && brief(text), ...(limit && { limit: { until } }) };
		if (!unkept(await this.#say(turn, { ...end, items }))) return;
		// one of the items cannot be kept: each is tried by itself; and a turn ends, whatever cannot be kept of its end
		if (items.length > 0) await this.#running.get(turn.id)?.listener?.items(items);
		if (unkept(await this.#say(turn, end))) await this.#say(turn, bare);
	}

	#caught(text: string, { id, agent }: { id?: number; agent: AgentId }): (error: unknown) => void {
		return caught(this.#parts.log, "turns", text, { agent, ...(id !== undefined && { turn: id }) });
	}

	async #say(turn: { id: number; agent: AgentId }, command: object): Promise<Outcome> {
		return await this.#dispatch({ ...command, agent: turn.agent, turn: turn.id });
	}

	async #dispatchOnce(command: object): Promise<Outcome> {
		return await this.#parts.dispatch({ actor: system, key: null, command });
	}

	async #dispatch(command: object): Promise<Outcome> {
		const outcome = await patiently(() => this.#parts.dispatch({ actor: system, key: null, command }), mayPass, this.#forEver);
		if (outcome === null) throw new Error("patience without end ended");
		return outcome;
	}
}

/** The final item repeats the last words; if these are long, their beginning is enough. */
const brief = (text: string): string => (text.length <= finalLengthMax ? text : `${text.slice(0, finalLengthMax).toWellFormed()}\n[cut]`);
const finalLengthMax = 64 * 1024;

const unkept = (outcome: Outcome): boolean => "refused" in outcome && outcome.refused.code !== "TURN_NOT_OPEN";

const failure = (error: unknown): TurnEnd => ({ state: "failed", reason: error instanceof Error ? error.message : String(error), text: null });
