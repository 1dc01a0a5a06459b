// The engine as one thing: store, dispatch, publisher and reactors, started in order and stopped in reverse.
import type { Phases } from "#contract/turn.ts";
import { type Assembled, assemble } from "./assemble.ts";
import { DispatchAndWait } from "./dispatch-and-wait.ts";
import type { Degraded } from "./loop/part-runner.ts";
import { haltAfter } from "./loop/time-limits.ts";
import { NodeClock } from "./nodes/node-clock.ts";
import { Nodes } from "./nodes/nodes.ts";
import { failureOf } from "./nodes/suspension.ts";
import type { EngineDependencies } from "./parts.ts";
import { bySystem, type CommandRequest } from "./ports/dispatch.ts";
import { caught, type Log, noLog } from "./ports/log.ts";
import type { Reads, Store, StoreFault } from "./ports/store.ts";
import { Queries } from "./queries.ts";

export class Engine implements AsyncDisposable {
	readonly log: Log;
	readonly reads: Reads;
	readonly queries: Queries;
	readonly publisher: Assembled["publisher"];
	readonly receipts: Assembled["receipts"];
	readonly scheduler: Assembled["scheduler"];
	readonly issueWork: Assembled["issueWork"];
	/** null where there is no git */
	readonly cycle: Assembled["cycle"];
	/** the projects that do not work now */
	readonly problems: Assembled["problems"];
	readonly upkeep: Assembled["upkeep"];
	readonly nodes: Nodes;
	/** what nodes ask each other to do */
	readonly errands: Assembled["errands"];
	/** for moving agents and projects between nodes */
	readonly moving: Assembled["moving"];
	/** this life of this node; null in an engine that is none */
	readonly node: Assembled["node"];
	readonly agentZero: Assembled["agentZero"];
	/** the last event before this daemon ended the turns that it found open */
	readonly recoveredAfter: number;
	/** the last event before any turn of this daemon */
	readonly startedAfter: number;
	/** of the last daemon of this home; null if there was none */
	readonly lastEpoch: Assembled["lastEpoch"];
	/**
	 * settles when the store can no longer be trusted or this node was replaced; the process has to exit, the next one
	 * recovers
	 */
	readonly failed: Promise<StoreFault>;
	readonly storeKind: Store["kind"];
	/** makes an agent, with its parent's files if the fork takes them along */
	readonly spawn: DispatchAndWait["spawn"];
	/** answers when the command has taken effect */
	readonly dispatch: DispatchAndWait["dispatch"];
	readonly #parts: EngineDependencies;
	readonly #made: Assembled;

	static async start({ log = noLog, ...given }: EngineDependencies): Promise<Engine> {
		const nodeClock = given.store.beats === null ? null : new NodeClock(given.clock);
		const parts = { ...given, log, nodeClock, clock: nodeClock ?? given.clock };
		try {
			return new Engine(parts, await assemble(parts));
		} catch (error) {
			await parts.driver?.[Symbol.asyncDispose]();
			await parts.store[Symbol.asyncDispose]();
			throw error;
		}
	}

	private constructor(parts: EngineDependencies & { log: Log }, made: Assembled) {
		const dispatchAndWait = new DispatchAndWait(parts, made);
		this.#parts = parts;
		this.#made = made;
		this.log = parts.log;
		this.reads = parts.store.reads;
		this.storeKind = parts.store.kind;
		this.failed = failureOf(parts.store, made.watch?.fenced ?? null);
		this.queries = new Queries(parts);
		this.spawn = (request) => dispatchAndWait.spawn(request);
		this.dispatch = (request, gone) => dispatchAndWait.dispatch(request, gone);
		this.publisher = made.publisher;
		this.receipts = made.receipts;
		this.scheduler = made.scheduler;
		this.issueWork = made.issueWork;
		this.cycle = made.cycle;
		this.problems = made.problems;
		this.upkeep = made.upkeep;
		this.nodes = new Nodes({ ...made, store: parts.store, limitsIgnored: parts.limitsIgnored ?? [] });
		this.errands = made.errands;
		this.moving = made.moving;
		this.node = made.node;
		this.agentZero = made.agentZero;
		this.recoveredAfter = made.recoveredAfter;
		this.startedAfter = made.startedAfter;
		this.lastEpoch = made.lastEpoch;
	}

	now(): number {
		return this.#parts.clock.now();
	}

	get turnsMax(): number {
		return this.#parts.limits.turnsMax;
	}

	/** The parts of the daemon that do not work now. */
	get degraded(): readonly Degraded[] {
		return this.#made.partRunner.degraded;
	}

	/** For how long the store has written nothing although there was something to write. */
	get writesNothingMs(): number {
		return this.#made.dispatcher.writesNothingMs;
	}

	/** Whether nobody knows what became of a caller's command, because the store does not answer. */
	isUnanswered(request: Pick<CommandRequest, "actor" | "key">): boolean {
		return this.#made.dispatcher.isUnanswered(request);
	}

	/** The phases that the processes of open turns last reported; those of other nodes as of their last beat. */
	reportedPhases(): Phases {
		return { ...this.nodes.othersPhases, ...this.#made.runner?.phases() };
	}

	/**
	 * Copies the store into one file and the blobs into a folder beside it; `again` after an attempt that was
	 * interrupted.
	 */
	async backup(
		file: string,
		{ blobs = `${file}.blobs`, again = false }: { blobs?: string; again?: boolean } = {},
	): Promise<number> {
		const bytes = await this.#parts.store.backup(file);
		// blobs never change, so a copy that is taken after the store's has every blob that the store refers to
		await this.#parts.blobs?.copyTo(blobs, { again });
		return bytes;
	}

	/** Starts no new turns and lets the running ones end until `grace` is over; then stops everything. */
	async drain(grace: Promise<unknown>): Promise<void> {
		this.#made.scheduler.close();
		await haltAfter(grace, this.#drain(grace), () => this.#parts.workspaces?.halt());
	}

	async #drain(grace: Promise<unknown>): Promise<void> {
		await this.#made.partRunner[Symbol.asyncDispose]();
		await this.#made.runner?.drain(grace);
		await this.#made.provisioner.drain();
		await this.#made.cycle?.drain();
		await this.#made.issueSteps[Symbol.asyncDispose]();
	}

	/** Other nodes need not wait until this one counts as dead. */
	async #leave(): Promise<void> {
		const { watch, node, dispatcher } = this.#made;
		if (watch === null || node === null) return;
		await dispatcher
			.dispatch(bySystem({ type: "node.leave", node: node.node }))
			.catch(caught(this.log, "nodes", "The other nodes could not be told that this one stops"));
	}

	/** This daemon was replaced: kills its processes with SIGKILL, and writes nothing to the store. */
	async killProcesses(): Promise<void> {
		await this.#parts.driver?.killAll();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.drain(Promise.resolve());
		await this.#parts.driver?.[Symbol.asyncDispose]();
		await this.#made.errands[Symbol.asyncDispose]();
		await this.#leave();
		await this.#made.dispatcher.close();
		await this.#made.watch?.[Symbol.asyncDispose]();
		await this.#made.tail[Symbol.asyncDispose]();
		await this.#parts.store[Symbol.asyncDispose]();
	}
}
