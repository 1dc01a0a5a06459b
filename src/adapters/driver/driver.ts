// One process per agent: started for its first turn, kept between turns, ended when idle, and always ended with all
// processes that it started.
import { setTimeout as pause } from "node:timers/promises";
import type { AgentState } from "#contract/agent.ts";
import { type CheckedFiles, type FileCheck, unchecked } from "#contract/file-check.ts";
import type { AgentId } from "#contract/ids.ts";
import { messageOf } from "#contract/message-of.ts";
import { homeIdName } from "#contract/own-variables.ts";
import type { LeftProcess } from "#contract/workspace.ts";
import type { Driver, ProcessRequest, StartedProcess, TurnResult, TurnWatch } from "#engine/ports/driver.ts";
import { caught } from "#engine/ports/log.ts";
import {
	commandOf,
	type EndOptions,
	endAll,
	findProcesses,
	graceful,
	innerPid,
	type Process,
	quick,
	rssOf,
	type Signals,
} from "../system/processes.ts";
import { checkFiles } from "./check-files.ts";
import { credentialVariables } from "./credential.ts";
import { Freezer } from "./freeze.ts";
import { Idle } from "./idle.ts";
import { isReusable, type KeptProcess } from "./kept-process.ts";
import { ensureWorkingFolder } from "./launching.ts";
import type { DriverOptions } from "./options.ts";
import { ProcessOwners } from "./process-owners.ts";
import type { AgentProgram } from "./programs.ts";
import { runPrompt } from "./run-prompt.ts";
import { cancelledStart, failedStart, Starts } from "./starts.ts";
import { type AutorunFiles, findAutorunFiles } from "./trust.ts";

const cancelMs = 2000;

interface Ending {
	signals: Signals;
	find(): Process[];
	/** skip the grace period */
	hurry(): void;
	done: Promise<void>;
}

export class ProcessDriver implements Driver {
	readonly #options: DriverOptions;
	readonly #kept = new Map<AgentId, KeptProcess>();
	readonly #starts: Starts;
	/** starts in progress, and how to cancel them */
	readonly #starting = new Map<AgentId, AbortController>();
	/** ends in progress; the agent's next process waits for them */
	readonly #ending = new Map<AgentId, Ending>();
	readonly #idle: Idle;
	readonly #owners = new ProcessOwners();
	readonly #freezer = new Freezer();

	constructor(options: DriverOptions) {
		this.#options = options;
		this.#starts = new Starts(options);
		this.#idle = new Idle(options.idle, (agent) => void this.#endProcess(agent).catch(this.#caught(agent)));
	}

	keepsSession(agent: AgentState): boolean {
		const program = this.#programOf(agent);
		return typeof program !== "string" && program.keepsSession === true;
	}

	/** Our own programs read no configuration of the repository. */
	async autorunFiles(agent: AgentState): Promise<AutorunFiles | null> {
		if (agent.workspace === null || !this.keepsSession(agent)) return null;
		const inside = await this.#options.autorunFilesInSandbox(agent);
		return inside === "not in a sandbox" ? await findAutorunFiles(agent.workspace.path, agent.type) : inside;
	}

	readonly startProcess: Driver["startProcess"] = async (agent, turn, signal, wanted) => {
		if (!(await this.#owners.take(agent.id, turn, signal))) return cancelledStart;
		this.#idle.take(agent.id);
		let up = false;
		try {
			const started = await this.#startProcess(agent, signal, wanted);
			({ up } = started);
			return started;
		} finally {
			if (!up) this.dismiss(agent.id, turn);
		}
	};

	dismiss(agent: AgentId, turn: number): void {
		if (!this.#owners.has(agent, turn)) return;
		const kept = this.#kept.get(agent);
		if (kept !== undefined) this.#keepIdle(agent, kept);
		this.#owners.leave(agent, turn);
	}

	async #startProcess(agent: AgentState, signal: AbortSignal, wanted: ProcessRequest): Promise<StartedProcess> {
		const program = this.#programOf(agent);
		if (typeof program === "string") return failedStart(program);
		const variables = (): Record<string, string> =>
			credentialVariables(wanted.subscription?.credential ?? null, agent.type);
		const mounts = await this.#options
			.mountsFor(agent, ensureWorkingFolder(this.#options, agent), variables)
			.catch(messageOf);
		if (typeof mounts === "string") return failedStart(mounts);
		const request = { ...wanted, mounts };
		await this.#ending.get(agent.id)?.done;
		const kept = this.#kept.get(agent.id);
		if (kept !== undefined && !isReusable(kept, { agent, program, request })) {
			this.#starts.forget(agent.id);
			await this.end(agent.id);
		} else if (kept !== undefined) {
			return {
				up: true,
				session:
					program.keepsSession === true && kept.launched.session ? { ...kept.launched.session, how: "kept" } : null,
			};
		}
		const cancel = new AbortController();
		this.#starting.set(agent.id, cancel);
		try {
			return await this.#starts.start({ agent, program, request }, AbortSignal.any([signal, cancel.signal]), {
				find: () => this.#processes(agent.id),
				keep: (kept) => this.#keep(agent.id, kept),
			});
		} finally {
			if (this.#starting.get(agent.id) === cancel) this.#starting.delete(agent.id);
		}
	}

	async run(
		{ agent, turn, text }: { agent: AgentState; turn: number; text: string },
		watch: TurnWatch,
		signal: AbortSignal,
	): Promise<TurnResult> {
		if (!this.#owners.has(agent.id, turn)) throw new Error(`no process was started for turn ${turn}`);
		try {
			return await this.#run(agent, text, watch, signal);
		} finally {
			this.#owners.leave(agent.id, turn);
		}
	}

	async #run(agent: AgentState, text: string, watch: TurnWatch, signal: AbortSignal): Promise<TurnResult> {
		const kept = this.#kept.get(agent.id);
		if (kept === undefined)
			return { state: "failed", reason: "Its process ended before it got the prompt.", text: null };
		const isOurs = kept.program.keepsSession !== true;
		if (!isOurs) kept.programPids ??= new Set(this.#processes(agent.id, kept).map(({ pid }) => pid));
		let turnOpen = true;
		const stop = (): void => {
			kept.launched.cancel();
			void pause(cancelMs, undefined, { ref: false })
				.then(() => (turnOpen ? this.#endOnce(agent.id, graceful) : undefined))
				.catch(this.#caught(agent.id));
		};
		if (signal.aborted) stop();
		else signal.addEventListener("abort", stop, { once: true });
		try {
			const failed = caught(this.#options.log, "turns", "What an agent said could not be written", { agent: agent.id });
			const checkFiles = (check: FileCheck): Promise<CheckedFiles> => this.#checkFiles(agent, check);
			const options = { watch, checkFiles, clock: this.#options.clock, isOurs, caught: failed };
			return await runPrompt(kept.launched, text, options, signal);
		} finally {
			turnOpen = false;
			signal.removeEventListener("abort", stop);
			await this.#afterTurn(agent, kept);
		}
	}

	async #checkFiles(agent: AgentState, check: FileCheck): Promise<CheckedFiles> {
		try {
			const inside = await this.#options.checkFilesInSandbox(agent, check);
			return inside === "not in a sandbox"
				? await checkFiles(ensureWorkingFolder(this.#options, agent), check)
				: inside;
		} catch (error) {
			// what cannot be checked needs an approval
			this.#options.log.warn("approvals", "The files of a call could not be checked", { agent: agent.id }, error);
			return unchecked;
		}
	}

	processesLeft(agent: AgentId): LeftProcess[] {
		const kept = this.#kept.get(agent);
		if (kept === undefined || kept.programPids === null) return [];
		const pids = kept.programPids;
		return this.#processes(agent, kept).flatMap(({ pid }) => (pids.has(pid) ? [] : { pid, command: commandOf(pid) }));
	}

	async end(agent: AgentId): Promise<void> {
		const running = this.#ending.get(agent);
		running?.hurry();
		// the end in progress may be a slow one
		if (running?.signals === graceful) await endAll(running.find, this.#endOptions(quick));
		await this.#endOnce(agent, quick);
	}

	async frozen<T>(agent: AgentId, work: (lasted: () => boolean) => Promise<T>): Promise<T> {
		return await this.#freezer.frozen(agent, () => (this.#kept.has(agent) ? this.#processes(agent) : []), work);
	}

	freezeAll = (): void => this.#freezer.freezeAll(this.#all());
	thawAll = (): void => this.#freezer.thawAll();
	killAll = async (): Promise<void> => void (await endAll(this.#all, { signals: [] }));

	async sweep(): Promise<number> {
		return await endAll(this.#all);
	}

	/** Each agent's program is started in a session of its own. */
	readonly processSessions = (): number[] => [...this.#kept.values()].map(({ launched }) => launched.pid);
	/** Of this home, also what projects' commands run. */
	#all = (): Process[] => findProcesses({ [homeIdName]: this.#options.homeId }, this.processSessions());

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#kept.keys(), ...this.#starting.keys()].map((agent) => this.#endProcess(agent)));
		await this.sweep();
	}

	/** Ends it, after its program could close its session. It has not failed, so its starts do not count. */
	async #endProcess(agent: AgentId): Promise<void> {
		this.#starts.forget(agent);
		await this.#endOnce(agent, quick, { closeSession: true });
	}

	async #endOnce(agent: AgentId, signals: Signals, { closeSession = false } = {}): Promise<void> {
		const running = this.#ending.get(agent);
		if (running !== undefined) return await running.done;
		const kept = this.#kept.get(agent);
		const find = (): Process[] => this.#processes(agent, kept);
		const hurry = Promise.withResolvers<void>();
		if (!closeSession) hurry.resolve();
		const done = this.#end(agent, find, signals, hurry.promise).finally(() => this.#ending.delete(agent));
		this.#ending.set(agent, { signals, find, hurry: hurry.resolve, done });
		await done;
	}

	async #end(agent: AgentId, find: () => Process[], signals: Signals, hurry: Promise<void>): Promise<void> {
		this.#starting.get(agent)?.abort();
		const kept = this.#kept.get(agent);
		this.#kept.delete(agent);
		if (kept !== undefined) {
			this.#idle.take(agent);
			this.#options.revokeToken(kept.token);
			// `hurry` stops waiting for it
			await Promise.race([kept.launched.close(), hurry]);
		}
		await endAll(find, this.#endOptions(signals));
	}

	/** Ends what our own programs left running, and a process that has closed its output. */
	async #afterTurn(agent: AgentState, kept: KeptProcess): Promise<void> {
		if (!kept.launched.isConnected()) return await this.#endOnce(agent.id, quick);
		if (kept.program.leavesNothing)
			await endAll(() => this.#processes(agent.id).filter((each) => !this.#isProgram(each, kept)));
		if (this.#kept.get(agent.id) === kept) this.#keepIdle(agent.id, kept);
	}

	#keepIdle(agent: AgentId, { launched }: KeptProcess): void {
		this.#idle.put(agent, rssOf(launched.pid));
	}

	/** The running one, without reading the disk. */
	#programOf(agent: AgentState): AgentProgram | string {
		const kept = this.#kept.get(agent.id);
		return kept?.type === agent.type ? kept.program : this.#options.find(agent);
	}

	#processes(agent: AgentId, kept = this.#kept.get(agent)): Process[] {
		return findProcesses(
			{ [homeIdName]: this.#options.homeId, BROOD_AGENT: agent },
			kept === undefined ? [] : [kept.launched.pid],
		);
	}

	/** The process that we started: the agent's program, or its wrapper with the reaper and the program inside. */
	#isProgram({ pid }: Process, { launched }: KeptProcess): boolean {
		return pid === launched.pid || (this.#options.containment !== "groups" && [1, 2].includes(innerPid(pid) ?? 0));
	}

	/** Never SIGTERM the wrapper: it would take everything inside with it at once. */
	#endOptions(signals: Signals): EndOptions {
		const contained = this.#options.containment !== "groups";
		return { signals, killOnly: ({ pid, parent }) => contained && (parent === process.pid || innerPid(pid) === 1) };
	}

	#keep(agent: AgentId, kept: KeptProcess): void {
		this.#kept.set(agent, kept);
		// when a process exits, its children are ended too
		void kept.launched.ended.then(async () => {
			if (this.#kept.get(agent) === kept) await this.end(agent).catch(this.#caught(agent));
		});
	}

	#caught(agent: AgentId): (error: unknown) => void {
		return caught(this.#options.log, "processes", "The processes of an agent could not be ended", { agent });
	}
}
