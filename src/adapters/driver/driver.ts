// One process per agent: started when it has something to do, kept warm between turns, parked when idle, and always
// ended with everything that it started.
import { setTimeout as pause } from "node:timers/promises";
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import type { Driver, LeftProcess, Prepared, TurnEnd, TurnWatch, Wish } from "#engine/driver.ts";
import { caught } from "#engine/log.ts";
import { commandOf, endAll, family, innerPid, type Known, type Ladder, type Manners, markName, memoryBelow, patiently, quickly } from "../system/processes.ts";
import { NotToBeHad } from "./acp/open.ts";
import { credentialVariables, paidBy } from "./credential.ts";
import { seenBy } from "./environment.ts";
import { Freezer } from "./freeze.ts";
import { hearTurn } from "./hear.ts";
import { Idle } from "./idle.ts";
import { areInside } from "./inside.ts";
import { folderOf, launchAgent } from "./launching.ts";
import type { DriverOptions } from "./options.ts";
import type { AgentProgram } from "./programs.ts";
import { Seats } from "./seats.ts";
import { Starts, startsMax } from "./starts.ts";
import { type Brought, broughtBy } from "./trust.ts";
import { fits, nameOf, type RoomWish, toldOf, type Warm } from "./warm.ts";

const cancelMs = 2000;

interface Ending {
	ladder: Ladder;
	find(): Known[];
	/** no more time for manners */
	hurry(): void;
	done: Promise<void>;
}

export class ProcessDriver implements Driver {
	readonly #options: DriverOptions;
	readonly #warm = new Map<AgentId, Warm>();
	readonly #starts: Starts;
	/** starts in flight, and how to call them off */
	readonly #starting = new Map<AgentId, AbortController>();
	/** ends in flight: nothing of the same agent is started before they are through */
	readonly #ending = new Map<AgentId, Ending>();
	readonly #idle: Idle;
	readonly #seats = new Seats();
	readonly #freezer = new Freezer();

	constructor(options: DriverOptions) {
		this.#options = options;
		this.#starts = new Starts(options.clock);
		this.#idle = new Idle(options.idle, (agent) => void this.#park(agent).catch(this.#caught(agent)));
	}

	remembers(agent: AgentState): boolean {
		const program = this.#programOf(agent);
		return typeof program !== "string" && program.remembers === true;
	}

	/** Our own programs read no configuration of the repository. */
	async brings(agent: AgentState): Promise<Brought | null> {
		if (agent.workspace === null || !this.remembers(agent)) return null;
		const inside = await this.#options.broughtInside(agent);
		return inside === "not in a sandbox" ? await broughtBy(agent.workspace.path, agent.type) : inside;
	}

	async prepare(agent: AgentState, turn: number, signal: AbortSignal, asked: Wish): Promise<Prepared> {
		if (!(await this.#seats.take(agent.id, turn, signal))) return calledOff;
		this.#idle.take(agent.id);
		let up = false;
		try {
			const prepared = await this.#prepare(agent, signal, asked);
			({ up } = prepared);
			return prepared;
		} finally {
			if (!up) this.dismiss(agent.id, turn);
		}
	}

	dismiss(agent: AgentId, turn: number): void {
		if (!this.#seats.has(agent, turn)) return;
		const warm = this.#warm.get(agent);
		if (warm !== undefined) this.#waits(agent, warm);
		this.#seats.leave(agent, turn);
	}

	async #prepare(agent: AgentState, signal: AbortSignal, asked: Wish): Promise<Prepared> {
		const program = this.#programOf(agent);
		if (typeof program === "string") return broken(program);
		const variables = (): Record<string, string> => credentialVariables(asked.subscription?.credential ?? null, agent.type);
		const room = await this.#options.roomFor(agent, folderOf(this.#options, agent), variables).catch(reasonOf);
		if (typeof room === "string") return broken(room);
		const wish = { ...asked, room };
		await this.#ending.get(agent.id)?.done;
		const warm = this.#warm.get(agent.id);
		if (warm !== undefined && !fits(warm, { agent, program, wish })) {
			// it stayed up, and it is we who end it
			this.#starts.forget(agent.id);
			await this.end(agent.id);
		} else if (warm !== undefined) {
			return { up: true, session: program.remembers === true && warm.launched.session ? { ...warm.launched.session, how: "kept" } : null };
		}
		const called = new AbortController();
		this.#starting.set(agent.id, called);
		try {
			return await this.#start(agent, program, wish, AbortSignal.any([signal, called.signal]));
		} finally {
			if (this.#starting.get(agent.id) === called) this.#starting.delete(agent.id);
		}
	}

	async run({ agent, turn, text }: { agent: AgentState; turn: number; text: string }, watch: TurnWatch, signal: AbortSignal): Promise<TurnEnd> {
		if (!this.#seats.has(agent.id, turn)) throw new Error(`no process was prepared for turn ${turn}`);
		try {
			return await this.#run(agent, text, watch, signal);
		} finally {
			this.#seats.leave(agent.id, turn);
		}
	}

	async #run(agent: AgentState, text: string, watch: TurnWatch, signal: AbortSignal): Promise<TurnEnd> {
		const warm = this.#warm.get(agent.id);
		if (warm === undefined) return { state: "failed", reason: "Its process ended before it got the prompt.", text: null };
		const isOurs = warm.program.remembers !== true;
		if (!isOurs) warm.own ??= new Set(this.#family(agent.id, warm).map(({ pid }) => pid));
		let turnOpen = true;
		const stop = (): void => {
			warm.launched.cancel();
			void pause(cancelMs, undefined, { ref: false })
				.then(() => (turnOpen ? this.#endOnce(agent.id, patiently) : undefined))
				.catch(this.#caught(agent.id));
		};
		if (signal.aborted) stop();
		else signal.addEventListener("abort", stop, { once: true });
		try {
			const failed = caught(this.#options.log, "turns", "What an agent said could not be written", { agent: agent.id });
			const own = async (places: readonly string[]): Promise<boolean> => await this.#areInside(agent, places);
			return await hearTurn(warm.launched, text, { watch, areInside: own, clock: this.#options.clock, isOurs, caught: failed }, signal);
		} finally {
			turnOpen = false;
			signal.removeEventListener("abort", stop);
			await this.#afterTurn(agent, warm);
		}
	}

	async #areInside(agent: AgentState, places: readonly string[]): Promise<boolean> {
		try {
			const inside = await this.#options.ownInside(agent, places);
			return inside === "not in a sandbox" ? await areInside(folderOf(this.#options, agent), places) : inside;
		} catch (error) {
			// what cannot be looked at is asked about
			this.#caught(agent.id)(error);
			return false;
		}
	}

	leftovers(agent: AgentId): LeftProcess[] {
		const warm = this.#warm.get(agent);
		if (warm === undefined || warm.own === null) return [];
		const { own } = warm;
		return this.#family(agent, warm).flatMap(({ pid }) => (own.has(pid) ? [] : { pid, command: commandOf(pid) }));
	}

	async end(agent: AgentId): Promise<void> {
		const running = this.#ending.get(agent);
		running?.hurry();
		// whoever began may have had more time than we have
		if (running?.ladder === patiently) await endAll(running.find, this.#manners(quickly));
		await this.#endOnce(agent, quickly);
	}

	async frozen<T>(agent: AgentId, work: (lasted: () => boolean) => Promise<T>): Promise<T> {
		return await this.#freezer.frozen(agent, () => (this.#warm.has(agent) ? this.#family(agent) : []), work);
	}

	async sweep(): Promise<number> {
		return await endAll(() => family({ [markName]: this.#options.mark }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#warm.keys(), ...this.#starting.keys()].map((agent) => this.#park(agent)));
		await this.sweep();
	}

	/** The same, but its program may put the session away first. */
	async #park(agent: AgentId): Promise<void> {
		await this.#endOnce(agent, quickly, { atLeisure: true });
	}

	async #endOnce(agent: AgentId, ladder: Ladder, { atLeisure = false } = {}): Promise<void> {
		const running = this.#ending.get(agent);
		if (running !== undefined) return await running.done;
		const warm = this.#warm.get(agent);
		const find = (): Known[] => this.#family(agent, warm);
		const hurry = Promise.withResolvers<void>();
		if (!atLeisure) hurry.resolve();
		const done = this.#end(agent, find, ladder, hurry.promise).finally(() => this.#ending.delete(agent));
		this.#ending.set(agent, { ladder, find, hurry: hurry.resolve, done });
		await done;
	}

	async #end(agent: AgentId, find: () => Known[], ladder: Ladder, hurry: Promise<void>): Promise<void> {
		this.#starting.get(agent)?.abort();
		const warm = this.#warm.get(agent);
		this.#warm.delete(agent);
		if (warm !== undefined) {
			this.#idle.take(agent);
			this.#options.revokeToken(warm.token);
			// a kill tells it as well, but does not wait for it
			await Promise.race([warm.launched.close(), hurry]);
		}
		await endAll(find, this.#manners(ladder));
	}

	/** Our own programs leave nothing behind; a process that no longer listens is of no use for the next turn. */
	async #afterTurn(agent: AgentState, warm: Warm): Promise<void> {
		if (!warm.launched.listens()) return await this.#endOnce(agent.id, quickly);
		if (warm.program.leavesNothing) await endAll(() => this.#family(agent.id).filter((each) => !this.#isProgram(each, warm)));
		if (this.#warm.get(agent.id) === warm) this.#waits(agent.id, warm);
	}

	#waits(agent: AgentId, { launched }: Warm): void {
		this.#idle.put(agent, memoryBelow(launched.pid));
	}

	/** The one that is up, without a look at the disk. */
	#programOf(agent: AgentState): AgentProgram | string {
		return this.#warm.get(agent.id)?.program ?? this.#options.find(agent);
	}

	#family(agent: AgentId, warm = this.#warm.get(agent)): Known[] {
		return family({ [markName]: this.#options.mark, BROOD_AGENT: agent }, warm === undefined ? [] : [warm.launched.pid]);
	}

	/** The process that we started: the agent's program itself, or the wall around it with the reaper and the program inside. */
	#isProgram({ pid }: Known, { launched }: Warm): boolean {
		return pid === launched.pid || (this.#options.containment !== "groups" && [1, 2].includes(innerPid(pid) ?? 0));
	}

	/** The wall gets no polite signal: it would go at once, with everybody who is still tidying up. */
	#manners(ladder: Ladder): Manners {
		const walled = this.#options.containment !== "groups";
		return { ladder, spare: ({ pid, parent }) => walled && (parent === process.pid || innerPid(pid) === 1) };
	}

	/** A program that will not stay up is tried again, more slowly, and then given up. */
	async #start(agent: AgentState, program: AgentProgram, wish: RoomWish, signal: AbortSignal): Promise<Prepared> {
		const { subscription } = wish;
		const own = paidBy(subscription, agent.type);
		// trying again does not mend a file
		if (typeof own === "string") return broken(own);
		for (const value of Object.values(own)) this.#options.log.hide(value);
		for (let attempt = 0; !signal.aborted; attempt++) {
			if (!this.#starts.take(agent.id)) {
				return broken(`Its process was started ${startsMax} times within a minute and did not stay up.`);
			}
			const token = this.#options.issueToken(agent.id);
			try {
				const paid = { ...seenBy(program.sees, this.#options.environment), ...own };
				const launched = await launchAgent(this.#options, { agent, program, wish, token, paid }, signal);
				this.#keep(agent.id, {
					program,
					launched,
					token,
					subscription: nameOf(subscription),
					told: toldOf(agent, program, wish),
					room: wish.room,
					own: null,
				});
				return { up: true, session: program.remembers === true ? launched.session : null };
			} catch (error) {
				this.#options.revokeToken(token);
				await endAll(() => this.#family(agent.id));
				if (attempt + 1 >= startsMax || error instanceof NotToBeHad) return broken(`Its process does not start: ${reasonOf(error)}.`);
				await pause(100 * 2 ** attempt, undefined, { signal }).catch(expected("it was called off"));
			}
		}
		return calledOff;
	}

	#keep(agent: AgentId, warm: Warm): void {
		this.#warm.set(agent, warm);
		// a process that ends by itself takes everything along that it started
		void warm.launched.ended.then(async () => {
			if (this.#warm.get(agent) === warm) await this.end(agent).catch(this.#caught(agent));
		});
	}

	#caught(agent: AgentId): (error: unknown) => void {
		return caught(this.#options.log, "processes", "The processes of an agent could not be ended", { agent });
	}
}

const down = (end: TurnEnd): Prepared => ({ up: false, end });
const calledOff = down({ state: "interrupted", reason: "stopped before its process was up", text: null });
const broken = (reason: string): Prepared => down({ state: "failed", reason, text: null, broken: true });

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
