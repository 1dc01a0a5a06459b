// One process per agent: started when it has something to do, kept warm between turns, parked when idle, and always
// ended with everything that it started.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Clock, Driver, TurnEnd, TurnWatch } from "#engine/ports.ts";
import { endAll, family, type Known, markName } from "../system/processes.ts";
import { type Launched, launch } from "./acp/launch.ts";
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
	/** agents without a workspace work below this folder */
	scratch: string;
	programs: Readonly<Record<string, AgentProgram>>;
	/** a secret for one process, and how to make it worthless */
	issueToken(agent: AgentId): string;
	revokeToken(token: string): void;
	url(): string;
	/** the daemon's own environment, of which agents see a part */
	environment: NodeJS.ProcessEnv;
	clock: Clock;
	parkMs: number;
}

const startsMax = 5;
const startsPeriodMs = 60_000;
const cancelMs = 2000;

interface Warm {
	launched: Launched;
	token: string;
	parking: NodeJS.Timeout | null;
}

export class ProcessDriver implements Driver {
	readonly #options: DriverOptions;
	readonly #warm = new Map<AgentId, Warm>();
	readonly #starts = new Map<AgentId, number[]>();

	constructor(options: DriverOptions) {
		this.#options = options;
	}

	async run({ agent, text }: { agent: AgentState; turn: number; text: string }, watch: TurnWatch, signal: AbortSignal): Promise<TurnEnd> {
		const program = this.#options.programs[agent.type];
		if (program === undefined) return { state: "failed", reason: `There is no agent type ${agent.type}.`, text: null, broken: true };
		const warm = await this.#start(agent, program, signal);
		if ("state" in warm) return warm;
		if (signal.aborted) return { state: "interrupted", reason: "stopped before its prompt was given to it", text: null };
		if (warm.parking !== null) clearTimeout(warm.parking);
		const stop = (): void => {
			warm.launched.cancel();
			void pause(cancelMs, undefined, { ref: false }).then(() => (turnOpen ? this.end(agent.id) : undefined));
		};
		let turnOpen = true;
		signal.addEventListener("abort", stop, { once: true });
		try {
			return await hearTurn(warm.launched, text, watch, signal);
		} finally {
			turnOpen = false;
			signal.removeEventListener("abort", stop);
			if (program.leavesNothing) await endAll(() => this.#family(agent.id).filter(({ pid }) => pid !== warm.launched.pid));
			this.#park(agent.id, warm);
		}
	}

	async end(agent: AgentId): Promise<void> {
		const warm = this.#warm.get(agent);
		this.#warm.delete(agent);
		if (warm !== undefined) {
			if (warm.parking !== null) clearTimeout(warm.parking);
			this.#options.revokeToken(warm.token);
		}
		await endAll(() => this.#family(agent, warm));
	}

	async sweep(): Promise<number> {
		return await endAll(() => family({ [markName]: this.#options.mark }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#warm.keys()].map((agent) => this.end(agent)));
	}

	#family(agent: AgentId, warm = this.#warm.get(agent)): Known[] {
		return family({ [markName]: this.#options.mark, BROOD_AGENT: agent }, warm === undefined ? [] : [warm.launched.pid]);
	}

	/** The agent's process, warm or new. A program that will not stay up is tried again, more slowly, and then given up. */
	async #start(agent: AgentState, program: AgentProgram, signal: AbortSignal): Promise<Warm | TurnEnd> {
		const warm = this.#warm.get(agent.id);
		if (warm !== undefined) return warm;
		for (let attempt = 0; !signal.aborted; attempt++) {
			if (!this.#mayStart(agent.id)) {
				return { state: "failed", reason: `Its process was started ${startsMax} times within a minute and did not stay up.`, text: null, broken: true };
			}
			const token = this.#options.issueToken(agent.id);
			try {
				const launched = await launch({ ...program, folder: this.#folder(agent), environment: this.#environment(agent, token) });
				return this.#keep(agent.id, { launched, token, parking: null });
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

	#keep(agent: AgentId, warm: Warm): Warm {
		this.#warm.set(agent, warm);
		void warm.launched.ended.then(() => {
			if (this.#warm.get(agent) !== warm) return;
			this.#warm.delete(agent);
			this.#options.revokeToken(warm.token);
		});
		return warm;
	}

	#park(agent: AgentId, warm: Warm): void {
		if (this.#warm.get(agent) !== warm) return;
		warm.parking = setTimeout(() => void this.end(agent), this.#options.parkMs).unref();
	}

	#folder({ project, handle }: AgentState): string {
		const folder = path.join(this.#options.scratch, project ?? "_", handle);
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		return folder;
	}

	#environment(agent: AgentState, token: string): Record<string, string> {
		return environmentFor(
			{ BROOD_AGENT: agent.id, BROOD_TOKEN: token, BROOD_URL: this.#options.url(), [markName]: this.#options.mark },
			this.#options.environment,
		);
	}
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
