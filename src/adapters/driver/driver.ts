// One process per agent: started when it has something to do, kept warm between turns, parked when idle, and always
// ended with everything that it started.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import type { AgentId } from "#contract/ids.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { Clock, Driver, TurnEnd, TurnWatch } from "#engine/ports.ts";
import { endAll, family, innerPid, type Known, type Ladder, type Manners, markName, patiently, quickly, signal } from "../system/processes.ts";
import { type Launched, launch } from "./acp/launch.ts";
import { credentialVariables } from "./credential.ts";
import { environmentFor } from "./environment.ts";
import { hearTurn } from "./hear.ts";

/** How to start the agents of one type. */
export interface AgentProgram {
	command: string;
	args: readonly string[];
	/** our own programs leave nothing behind at the end of a turn; a vendor's tools may */
	leavesNothing: boolean;
}

export interface DriverOptions {
	/** the home's random id: only processes that carry it are ever signalled */
	mark: string;
	/** what an agent sees besides: its name on commits */
	environmentOf(agent: AgentState): Readonly<Record<string, string>>;
	/** agents without a workspace work below this folder */
	scratch: string;
	programs: Readonly<Record<string, AgentProgram>>;
	/** a secret for one process, and how to make it worthless */
	issueToken(agent: AgentId): string;
	revokeToken(token: string): void;
	url(): string;
	/** the daemon's own environment, of which agents see a part */
	environment: NodeJS.ProcessEnv;
	containment: ContainmentLevel;
	clock: Clock;
	parkMs: number;
}

const startsMax = 5;
const startsPeriodMs = 60_000;
const cancelMs = 2000;
const frozenMsMax = 2000;

interface Warm {
	launched: Launched;
	token: string;
	/** whose slot it was started on */
	subscription: string | null;
	parking: NodeJS.Timeout | null;
}

interface Ending {
	ladder: Ladder;
	find(): Known[];
	done: Promise<void>;
}

export class ProcessDriver implements Driver {
	readonly #options: DriverOptions;
	readonly #warm = new Map<AgentId, Warm>();
	readonly #starts = new Map<AgentId, number[]>();
	/** starts in flight, and how to call them off */
	readonly #starting = new Map<AgentId, AbortController>();
	/** ends in flight: nothing of the same agent is started before they are through */
	readonly #ending = new Map<AgentId, Ending>();

	constructor(options: DriverOptions) {
		this.#options = options;
	}

	async prepare(agent: AgentState, signal: AbortSignal, subscription: SubscriptionState | null): Promise<TurnEnd | null> {
		const program = this.#options.programs[agent.type];
		if (program === undefined) return { state: "failed", reason: `There is no agent type ${agent.type}.`, text: null, broken: true };
		await this.#ending.get(agent.id)?.done;
		const warm = this.#warm.get(agent.id);
		// a process that was let in by another subscription would go on at the expense of that one
		if (warm !== undefined && warm.subscription !== nameOf(subscription)) await this.end(agent.id);
		else if (warm !== undefined) {
			if (warm.parking !== null) clearTimeout(warm.parking);
			return null;
		}
		const called = new AbortController();
		this.#starting.set(agent.id, called);
		try {
			return await this.#start(agent, program, subscription, AbortSignal.any([signal, called.signal]));
		} finally {
			if (this.#starting.get(agent.id) === called) this.#starting.delete(agent.id);
		}
	}

	async run({ agent, text }: { agent: AgentState; turn: number; text: string }, watch: TurnWatch, signal: AbortSignal): Promise<TurnEnd> {
		const warm = this.#warm.get(agent.id);
		if (warm === undefined) return { state: "failed", reason: "Its process ended before it got the prompt.", text: null };
		let turnOpen = true;
		const stop = (): void => {
			warm.launched.cancel();
			void pause(cancelMs, undefined, { ref: false }).then(() => (turnOpen ? this.#endOnce(agent.id, patiently) : undefined));
		};
		if (signal.aborted) stop();
		else signal.addEventListener("abort", stop, { once: true });
		try {
			return await hearTurn(warm.launched, text, watch, signal);
		} finally {
			turnOpen = false;
			signal.removeEventListener("abort", stop);
			await this.#afterTurn(agent, warm);
		}
	}

	async end(agent: AgentId): Promise<void> {
		const running = this.#ending.get(agent);
		// whoever began may have had more time than we have
		if (running?.ladder === patiently) await endAll(running.find, this.#manners(quickly));
		await this.#endOnce(agent, quickly);
	}

	async frozen<T>(agent: AgentId, work: () => Promise<T>): Promise<T> {
		const stopped = this.#warm.has(agent) ? this.#family(agent) : [];
		const goOn = (): void => {
			for (const each of stopped.splice(0)) signal(each, "SIGCONT");
		};
		for (const each of stopped) signal(each, "SIGSTOP");
		const timer = setTimeout(goOn, frozenMsMax);
		try {
			return await work();
		} finally {
			clearTimeout(timer);
			goOn();
		}
	}

	async sweep(): Promise<number> {
		return await endAll(() => family({ [markName]: this.#options.mark }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#warm.keys(), ...this.#starting.keys()].map((agent) => this.end(agent)));
		await this.sweep();
	}

	async #endOnce(agent: AgentId, ladder: Ladder): Promise<void> {
		const running = this.#ending.get(agent);
		if (running !== undefined) return await running.done;
		const warm = this.#warm.get(agent);
		const find = (): Known[] => this.#family(agent, warm);
		const done = this.#end(agent, find, ladder).finally(() => this.#ending.delete(agent));
		this.#ending.set(agent, { ladder, find, done });
		await done;
	}

	async #end(agent: AgentId, find: () => Known[], ladder: Ladder): Promise<void> {
		this.#starting.get(agent)?.abort();
		const warm = this.#warm.get(agent);
		this.#warm.delete(agent);
		if (warm !== undefined) {
			if (warm.parking !== null) clearTimeout(warm.parking);
			this.#options.revokeToken(warm.token);
		}
		await endAll(find, this.#manners(ladder));
	}

	/** Our own programs leave nothing behind; a process that no longer listens is of no use for the next turn. */
	async #afterTurn(agent: AgentState, warm: Warm): Promise<void> {
		if (!warm.launched.listens()) return await this.#endOnce(agent.id, quickly);
		if (this.#options.programs[agent.type]?.leavesNothing === true) await endAll(() => this.#family(agent.id).filter((each) => !this.#isProgram(each, warm)));
		if (this.#warm.get(agent.id) !== warm) return;
		warm.parking = setTimeout(() => void this.end(agent.id).catch(() => {}), this.#options.parkMs).unref();
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

	/** A program that will not stay up is tried again, more slowly, and then given up. Null once it is up. */
	async #start(agent: AgentState, program: AgentProgram, subscription: SubscriptionState | null, signal: AbortSignal): Promise<TurnEnd | null> {
		for (let attempt = 0; !signal.aborted; attempt++) {
			if (!this.#mayStart(agent.id)) {
				return { state: "failed", reason: `Its process was started ${startsMax} times within a minute and did not stay up.`, text: null, broken: true };
			}
			const token = this.#options.issueToken(agent.id);
			try {
				const paid = credentialVariables(subscription?.credential ?? null, agent.type);
				const launched = await launch({
					...program,
					containment: this.#options.containment,
					folder: this.#folder(agent),
					environment: this.#environment(agent, token, paid),
					signal,
				});
				this.#keep(agent.id, { launched, token, subscription: nameOf(subscription), parking: null });
				return null;
			} catch (error) {
				this.#options.revokeToken(token);
				await endAll(() => this.#family(agent.id));
				if (attempt + 1 >= startsMax) return { state: "failed", reason: `Its process does not start: ${reasonOf(error)}.`, text: null, broken: true };
				await pause(100 * 2 ** attempt, undefined, { signal }).catch(() => {});
			}
		}
		return { state: "interrupted", reason: "stopped before its process was up", text: null };
	}

	#mayStart(agent: AgentId): boolean {
		const now = this.#options.clock.now();
		const recent = (this.#starts.get(agent) ?? []).filter((at) => at > now - startsPeriodMs);
		if (recent.length >= startsMax) return false;
		this.#starts.set(agent, [...recent, now]);
		return true;
	}

	#keep(agent: AgentId, warm: Warm): void {
		this.#warm.set(agent, warm);
		// a process that ends by itself takes everything along that it started
		void warm.launched.ended.then(async () => {
			if (this.#warm.get(agent) === warm) await this.end(agent).catch(() => {});
		});
	}

	#folder({ workspace, project, handle }: AgentState): string {
		if (workspace !== null) return workspace.path;
		const folder = path.join(this.#options.scratch, project ?? "_", handle);
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		return folder;
	}

	#environment(agent: AgentState, token: string, paid: Readonly<Record<string, string>>): Record<string, string> {
		return environmentFor(
			{ ...this.#options.environmentOf(agent), BROOD_AGENT: agent.id, BROOD_TOKEN: token, BROOD_URL: this.#options.url(), [markName]: this.#options.mark },
			this.#options.environment,
			paid,
		);
	}
}

const nameOf = (subscription: SubscriptionState | null): string | null => subscription?.name ?? null;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
