// Carries out the turns that are open: hands the prompt over, writes down what the process says, and ends the turn.
//
// The hand-over is recorded before it is made, and only once the process is up. So a turn without that record has done
// nothing, and its prompt goes back to the queue; a turn with it may have done anything, and only a person runs it
// again.
//
// That record is also the claim on the turn: it is made once, on the row, and whoever does not make it gives no prompt
// to a process. What was read a moment ago may be over by now, and what runs here is only known to memory: neither
// decides. So whatever is done before the claim can be done in vain: commands name the turn, and are refused if it is
// over or was claimed; a process that another turn has is not touched.

import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import { promptForModel } from "#contract/quote.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Looked, Reactor } from "../loop/reactor.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Driver, OpenSession, Prepared, TurnResult } from "../ports/driver.ts";
import { caught } from "../ports/log.ts";
import { StoreFault } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { drift, keep, tellOfCommits } from "../workspaces/after-turn.ts";
import { catchUp, saidAfter } from "./catch-up.ts";
import { prepare } from "./prepare.ts";
import { untrustedFiles } from "./trust.ts";
import { failure, TurnCommands } from "./turn-commands.ts";
import { TurnRecorder, type TurnRecorderParts } from "./turn-recorder.ts";

interface Parts extends TurnRecorderParts {
	dispatch: Dispatch;
	driver: Driver;
	workspaces: Workspaces | null;
}

interface Running {
	stop: AbortController;
	over: Promise<void>;
	/** null for a person, who may be silent for as long as they like */
	recorder: TurnRecorder | null;
}

export class TurnRunner implements Reactor {
	readonly name = "run turns";
	readonly #parts: Parts;
	readonly #running = new Map<number, Running>();
	#draining = false;
	readonly #commands: TurnCommands;

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#commands = new TurnCommands(parts);
	}

	wakes(event: { kind: string; data: unknown }): boolean {
		return (
			["turn.started", "turn.stopping", "turn.ended"].includes(event.kind) ||
			(event.kind === "mail.sent" && event.data !== null)
		);
	}

	async look(signal: AbortSignal): Promise<Looked> {
		const { reads } = this.#parts;
		const [open, beginners, urgently] = await Promise.all([
			reads.openTurns(),
			reads.agentsAboutToBegin(),
			reads.agentsWithUrgentMail(),
		]);
		const ids = new Set(open.map((turn) => turn.id));
		const stopping = new Set(open.filter((turn) => turn.stoppingAt !== null).map((turn) => turn.id));
		// a turn that somebody stopped, or ended for us, must not go on in its process
		for (const [id, { stop }] of this.#running) if (!ids.has(id) || stopping.has(id)) stop.abort();
		if (signal.aborted) return "done";
		for (const turn of open) {
			if (this.#running.has(turn.id)) continue;
			// what was read in the same moment may be from before this turn
			const agent = beginners.find((each) => each.turn?.id === turn.id) ?? (await reads.agent(turn.agent));
			if (agent === undefined || this.#running.has(turn.id)) continue;
			if (turn.handedAt === null || goesOn(agent)) this.#begin(turn, agent);
			// handed over, open, and not run here: its end could not be written when it came; one that is over meanwhile is
			// not ended twice
			else if (agent.turn?.id === turn.id)
				await this.#commands.end(turn, { state: "failed", reason: "its end could not be recorded", text: null });
		}
		const urgent = new Set(urgently);
		for (const turn of open) if (urgent.has(turn.agent)) await this.#running.get(turn.id)?.recorder?.yield();
		return "done";
	}

	/** What the turns are doing that are run here. */
	phases(): ReadonlyMap<number, "model" | "tool" | "wait"> {
		return new Map([...this.#running].map(([id, { recorder }]) => [id, recorder?.phase ?? "wait"]));
	}

	/** Lets the running turns end by themselves for a while, then ends them as interrupted, without a hold. */
	async drain(grace: Promise<unknown>): Promise<void> {
		this.#draining = true;
		const running = [...this.#running.values()];
		const ending = running.filter(({ recorder }) => recorder !== null);
		await Promise.race([Promise.allSettled(ending.map(({ over }) => over)), grace]);
		for (const { stop } of this.#running.values()) stop.abort();
		await Promise.allSettled(running.map(({ over }) => over));
		// turns that were started while we stopped looking: nothing of them was done
		for (const turn of await this.#parts.reads.openTurns())
			if (turn.handedAt === null) await this.#commands.say(turn, { type: "turn.release", reason: "shutdown" });
	}

	#begin(turn: TurnState, agent: AgentState): void {
		const stop = new AbortController();
		const recorder = new TurnRecorder(turn, this.#parts, (command) => this.#commands.say(turn, command), stop.signal);
		const over = this.#carryOut(turn, agent, recorder, stop.signal).finally(() => {
			recorder[Symbol.dispose]();
			this.#running.delete(turn.id);
		});
		// where its end cannot be recorded either, the next look tries again, or the next daemon finds the turn open
		over.catch(this.#caught("The end of a turn could not be recorded", turn));
		if (goesOn(agent)) recorder[Symbol.dispose]();
		this.#running.set(turn.id, { stop, over, recorder: goesOn(agent) ? null : recorder });
	}

	async #carryOut(turn: TurnState, agent: AgentState, recorder: TurnRecorder, signal: AbortSignal): Promise<void> {
		// nothing is given to a person who is at it since before the daemon started
		const item =
			turn.handedAt !== null && goesOn(agent)
				? { text: null, data: null }
				: await this.#claim(turn, agent, recorder, signal);
		if (item === null) return;
		try {
			await this.#run(turn, agent, { text: item.text ?? "", recorder }, signal);
		} catch (error) {
			if (isBroken(error)) throw error;
			this.#caught("A turn failed inside the daemon", turn)(error);
			await this.#commands.end(turn, failure(error));
		}
	}

	/**
	 * Gets everything ready, then claims the turn. Null if there is nothing to run: it could not be made ready, or
	 * another has it.
	 */
	async #claim(
		turn: TurnState,
		agent: AgentState,
		recorder: TurnRecorder,
		signal: AbortSignal,
	): Promise<{ text: string | null } | null> {
		const { driver, reads } = this.#parts;
		const failed = await this.#unready(turn, agent, recorder);
		if (failed !== null) return await this.#commands.giveBack(turn, failed, signal);
		// asked for early: most often its program is up, and nothing else is waited for
		const since = driver.keepsSession(agent) ? saidAfter(reads, agent, agent.turnEndedIn ?? 0) : Promise.resolve([]);
		since.catch(expected("it is waited for further down"));
		const prepared = await prepare(this.#parts, turn, agent, signal).catch((error: unknown): Prepared => {
			this.#caught("The process of an agent could not be prepared", turn)(error);
			// whatever it is, it would be met again at once, for ever
			return { up: false, end: { ...failure(error), broken: !(error instanceof StoreFault) } };
		});
		if (!prepared.up) return await this.#commands.giveBack(turn, prepared.end, signal);
		let item: Pick<Event, "text" | "data"> | null = null;
		try {
			const told = prepared.session && (await this.#catchUp(turn, agent, prepared.session, since));
			item = await this.#commands.handOver(turn);
			return item && { text: told === null ? item.text : `${told}${promptForModel(item)}` };
		} catch (error) {
			if (isBroken(error)) throw error;
			this.#caught("A turn could not be begun", turn)(error);
			return await this.#commands.giveBack(turn, failure(error), signal);
		} finally {
			if (item === null) await this.#dismiss(turn);
		}
	}

	/** The process is not needed after all; that of an agent which ended meanwhile has to go. */
	async #dismiss(turn: TurnState): Promise<void> {
		const { driver, reads } = this.#parts;
		driver.dismiss(turn.agent, turn.id);
		const agent = await reads.agent(turn.agent);
		if (agent?.life === "ended")
			await driver.end(turn.agent).catch(this.#caught("The processes of an agent could not be ended", turn));
	}

	async #run(
		turn: TurnState,
		agent: AgentState,
		{ text, recorder }: { text: string; recorder: TurnRecorder },
		signal: AbortSignal,
	): Promise<void> {
		const end = await this.#parts.driver.run({ agent, turn: turn.id, text }, recorder, signal).catch(failure);
		// a person goes on with it when the daemon is back
		if (this.#draining && goesOn(agent)) return;
		const last = end.last ?? [];
		// keeping the files takes a while, in which everybody can see the last words
		if (agent.workspace !== null && last.length > 0) await recorder.items(last);
		await this.#settle(agent, turn);
		await this.#commands.end(
			turn,
			signal.aborted ? await this.#commands.stopped(turn) : end,
			agent.workspace === null ? await recorder.keepable(last) : [],
			recorder,
		);
	}

	/** What its program does not know yet, and the record of the session that it is told in. */
	async #catchUp(
		turn: TurnState,
		agent: AgentState,
		opened: OpenSession,
		since: ReturnType<typeof saidAfter>,
	): Promise<string> {
		const { text, how, note } = await catchUp(this.#parts.reads, agent, turn, opened, since);
		const { session, folder, powers, program } = opened;
		if (how !== null)
			await this.#commands.say(turn, {
				type: "session.open",
				opened: { session, type: agent.type, folder, powers: [...powers], program, how },
				note,
			});
		return text ?? "";
	}

	/** Why its turn cannot start. A person looks after their own workspace. */
	async #unready(turn: TurnState, agent: AgentState, recorder: TurnRecorder): Promise<TurnResult | null> {
		try {
			return (await this.#unfit(turn, agent)) ?? (await untrustedFiles(this.#parts, agent, recorder));
		} catch (error) {
			if (isBroken(error)) throw error;
			// it would be looked at again at once, for ever
			return { ...failure(error), broken: true, step: "trust" };
		}
	}

	async #unfit({ id: turn }: TurnState, agent: AgentState): Promise<TurnResult | null> {
		if (agent.workspace === null || goesOn(agent)) return null;
		try {
			const reason = await drift(this.#parts, agent, { turn });
			if (reason !== null) return { state: "failed", reason, text: null };
		} catch (error) {
			// a place that cannot even be looked at would be looked at again at once, for ever
			return { ...failure(error), broken: true, step: "checkout" };
		}
		await tellOfCommits(this.#parts, agent, { turn }).catch(
			this.#caught("Commits of others could not be looked up", { agent: agent.id }),
		);
		return null;
	}

	/**
	 * Its files are kept before anybody learns that the turn is over. What cannot be kept does not keep the turn open.
	 */
	async #settle(agent: AgentState, turn: TurnState): Promise<void> {
		if (agent.workspace === null || this.#parts.workspaces === null) return;
		const settling = await this.#commands.say(turn, { type: "turn.settle" });
		// somebody else ended it: then others may be at the workspace, and it is kept only if they are not
		if ("refused" in settling) return await this.#keepAfterwards(agent, turn);
		await keep(this.#parts, agent, turn.id).catch(async (error: unknown) => {
			const text = `The files of this turn could not be kept: ${failure(error).reason}`;
			await this.#commands.say(turn, { type: "turn.append", items: [{ kind: "system", text: text.slice(0, 10_000) }] });
		});
	}

	async #keepAfterwards({ id }: AgentState, turn: TurnState): Promise<void> {
		const leased = await this.#commands.once({ type: "workspace.lease", agent: id, step: "fork" });
		if ("refused" in leased) return;
		const now = await this.#parts.reads.agent(id);
		if (now !== undefined)
			await keep(this.#parts, now, turn.id).catch(this.#caught("The files of a turn could not be kept", turn));
		await this.#commands.untilKept({ type: "workspace.free", agent: id });
	}

	#caught(text: string, { id, agent }: { id?: number; agent: AgentId }): (error: unknown) => void {
		return caught(this.#parts.log, "turns", text, { agent, ...(id !== undefined && { turn: id }) });
	}
}

/** A person's turn has no process that could end, and goes on after a restart of the daemon. */
const goesOn = ({ type }: AgentState): boolean => type === "human";

const isBroken = (error: unknown): boolean => error instanceof StoreFault && error.kind === "broken";
