// The engine as one thing: store, dispatch, publisher and reactors, started in order and stopped in reverse.

import { type AgentState, noAgent, type Settings } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { AgentId, agentOf, type ProjectSlug } from "#contract/ids.ts";
import type { PageRequest } from "#contract/page.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Hit, SearchQuery } from "#contract/search.ts";
import type { Phase } from "#contract/turn.ts";
import { resolve } from "#domain/agent/reference.ts";
import { contextOf, rewoundSpans } from "#domain/history.ts";
import { outsideTurn } from "#domain/turn.ts";
import { type Assembled, assemble } from "./assemble.ts";
import { settingsOf } from "./commands/agent.ts";
import { itemTextsAlong, type PageText } from "./loop/context-pages.ts";
import type { Publisher } from "./loop/publish.ts";
import type { Receipts } from "./loop/receipts.ts";
import { haltAfter } from "./loop/retry.ts";
import type { Degraded } from "./loop/supervisor.ts";
import { until } from "./loop/until.ts";
import type { EngineParts } from "./parts.ts";
import type { CommandRequest, Outcome } from "./ports/dispatch.ts";
import type { IssueWork } from "./ports/issue-work.ts";
import { caught, type Log, noLog } from "./ports/log.ts";
import type { Reads, Store } from "./ports/store.ts";
import { indexAll } from "./reactors/index-items.ts";
import type { Scheduler } from "./turns/scheduling.ts";
import { wholeText } from "./turns/whole-text.ts";
import type { Upkeep } from "./upkeep.ts";
import { forkTimeoutMs, forkWithFiles, isForkBusy, type SpawnRequest } from "./workspaces/forking.ts";
import type { ProjectProblems } from "./workspaces/project-problems.ts";
import type { WorkCycle } from "./workspaces/work-cycle.ts";

/** a stopped process normally ends long before this; its files are snapshotted after that */
const stopTimeoutMs = 60_000;
/** how long a search waits for the index to catch up, which takes long only after an upgrade */
const searchTimeoutMs = 5000;

export class Engine implements AsyncDisposable {
	readonly publisher: Publisher;
	readonly agentZero: AgentState;
	readonly receipts: Receipts;
	/** settles when the store can no longer be trusted; the process has to exit, the next one recovers from disk */
	readonly failed: Promise<Error>;
	readonly log: Log;
	readonly #parts: EngineParts;
	readonly #made: Assembled;

	static async start({ log = noLog, ...given }: EngineParts): Promise<Engine> {
		const parts = { ...given, log };
		try {
			return new Engine(parts, await assemble(parts));
		} catch (error) {
			await parts.driver?.[Symbol.asyncDispose]();
			await parts.store[Symbol.asyncDispose]();
			throw error;
		}
	}

	private constructor(parts: EngineParts & { log: Log }, made: Assembled) {
		this.#parts = parts;
		this.#made = made;
		this.publisher = made.publisher;
		this.receipts = made.receipts;
		this.agentZero = made.agentZero;
		this.failed = parts.store.broken;
		this.log = parts.log;
	}

	now(): number {
		return this.#parts.clock.now();
	}

	/** the last event before any turn of this daemon */
	get startedAfter(): number {
		return this.#made.startedAfter;
	}

	get storeKind(): Store["kind"] {
		return this.#parts.store.kind;
	}

	get scheduler(): Scheduler {
		return this.#made.scheduler;
	}

	/** null where there is no git */
	get cycle(): WorkCycle | null {
		return this.#made.cycle;
	}

	get reads(): Reads {
		return this.#parts.store.reads;
	}

	/** Makes an agent, with its parent's files if the fork takes them along. */
	async spawn(request: SpawnRequest): Promise<Outcome> {
		const { driver, workspaces = null } = this.#parts;
		const { reads, publisher, log } = this;
		const dispatch = (each: CommandRequest): Promise<Outcome> => this.#made.dispatcher.dispatch(each);
		const forked = await forkWithFiles({ reads, dispatch, publisher, driver, workspaces, log }, request);
		const { gone, ...command } = request;
		return forked ?? (await this.dispatch(command, gone));
	}

	/**
	 * Answers when the command has taken effect: a kill when the processes have ended, a fork when the parent was between
	 * two tool calls.
	 */
	async dispatch(request: CommandRequest, left?: AbortSignal): Promise<Outcome> {
		const answered = this.#dispatchOnceFree(await this.#withPartials(request), left);
		this.#made.scheduler.startAtOnce(request, (each) => this.#made.dispatcher.dispatch(each));
		const outcome = await answered;
		const { driver } = this.#parts;
		if ("refused" in outcome || outcome.replayed || driver === null) return outcome;
		const { command } = request;
		// its turn may have been stopping for a while, with time to stop by itself
		const forced = command.type === "agent.interrupt" && command.force === true ? AgentId.parse(command.agent) : null;
		if (forced !== null) await driver.end(forced).then(() => this.#turnOver(forced));
		for (const event of outcome.events) if (event.kind === "turn.stopping") await this.#turnOver(event.agent);
		const caller = agentOf(request.actor);
		const ended = outcome.events.flatMap((event) =>
			event.kind === "agent.ended" && event.agent !== null ? event.agent : [],
		);
		const gone = ended.map((agent) => driver.end(agent));
		// an agent that ends itself cannot wait for its own end
		if (caller === null || !ended.includes(caller)) await Promise.all(gone);
		else
			for (const end of gone)
				end.catch(caught(this.log, "processes", "The processes of an agent could not be ended", { agent: caller }));
		return outcome;
	}

	/** The parts of the daemon that do not work now. */
	get degraded(): readonly Degraded[] {
		return this.#made.supervisor.degraded;
	}

	get issueWork(): IssueWork {
		return this.#made.work;
	}

	/** The projects that do not work now. */
	get problems(): ProjectProblems {
		return this.#made.problems;
	}

	/** Finds an agent by its id, the beginning of its id, or its handle. */
	async resolve(reference: string, project: ProjectSlug | null = null): Promise<{ id: AgentId } | Refusal> {
		return resolve(reference, project, await this.reads.agentsNamed(reference));
	}

	/** The items that the agent's model sees, oldest first. */
	async context(id: AgentId): Promise<{ items: Event[] } | Refusal> {
		const { items, whole } = await this.reads.history(id);
		return whole ? { items: contextOf(items) } : await this.#noContext(id);
	}

	/** The same as JSON, one page at a time. */
	async contextPage(id: AgentId, page: PageRequest): Promise<PageText | Refusal> {
		const [{ ranges, whole }, controls] = await Promise.all([this.reads.ranges(id), this.reads.controls(id)]);
		if (!whole) return await this.#noContext(id);
		return await itemTextsAlong(this.reads, ranges, rewoundSpans(controls), page);
	}

	async #noContext(id: AgentId): Promise<Refusal> {
		if ((await this.reads.agent(id)) === undefined) return noAgent(id);
		return refuse(
			"HISTORY_BROKEN",
			`An ancestor of ${id} is missing from the store or is its own ancestor: its context cannot be rebuilt.`,
			{ details: { agent: id }, suggestions: ["brood doctor"] },
		);
	}

	/** The newest items with these words; not `complete` if some were not indexed in time. */
	async search(params: SearchQuery): Promise<{ hits: Hit[]; complete: boolean }> {
		const complete = await indexAll(this.#parts.store, { timeoutMs: searchTimeoutMs });
		return { hits: await this.reads.search(params), complete };
	}

	/** The phases that the processes of open turns last reported, by turn. */
	reportedPhases(): Record<string, Phase> {
		return Object.fromEntries(this.#made.runner?.phases() ?? []);
	}

	get turnsMax(): number {
		return this.#parts.limits.turnsMax;
	}

	/** The whole text of an item, whose row may have only its beginning. */
	readonly wholeText = (event: Event): Promise<{ text: string | null } | Refusal> =>
		wholeText(event, this.#parts.blobs);

	async outsideTurn(agent: AgentId): Promise<Refusal | null> {
		return outsideTurn(agent, await this.reads.agent(agent));
	}

	/**
	 * Copies the store into one file and long texts into a folder beside it; `again` after an attempt that was
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

	get upkeep(): Upkeep {
		return this.#made.upkeep;
	}

	async settings(agent: AgentState): Promise<Settings> {
		return await settingsOf(this.reads, agent.settings);
	}

	/** Starts no new turns and lets the running ones end until `grace` is over; then stops everything. */
	async drain(grace: Promise<unknown>): Promise<void> {
		this.#made.scheduler.close();
		await haltAfter(grace, this.#drain(grace), () => this.#parts.workspaces?.halt());
	}

	async #drain(grace: Promise<unknown>): Promise<void> {
		await this.#made.supervisor[Symbol.asyncDispose]();
		await this.#made.runner?.drain(grace);
		await this.#made.provisioner.drain();
		await this.#made.cycle?.drain();
		await this.#made.mover[Symbol.asyncDispose]();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.drain(Promise.resolve());
		await this.#parts.driver?.[Symbol.asyncDispose]();
		await this.#made.dispatcher.close();
		await this.#parts.store[Symbol.asyncDispose]();
	}

	/** What the turns that a kill ends have put out so far is recorded with their end. */
	async #withPartials(request: CommandRequest): Promise<CommandRequest> {
		const { runner } = this.#made;
		const { command } = request;
		if (command.type !== "agent.kill" || runner === null) return request;
		const target = AgentId.safeParse(command.agent);
		if (!target.success) return request;
		const below = command.cascade === true ? await this.reads.descendants(target.data) : [];
		return { ...request, partials: runner.partials([target.data, ...below.map(({ id }) => id)]) };
	}

	/** Resolves when the agent has no open turn; its driver ends it within seconds. */
	async #turnOver(id: AgentId | null): Promise<void> {
		const over = async (): Promise<true | null> => (id !== null && (await this.reads.agent(id))?.turn ? null : true);
		await until(this.publisher, over, { deadlineMs: stopTimeoutMs });
	}

	/**
	 * A fork of a parent with an open tool call is tried again after every event, until the call has ended or the deadline
	 * has passed, or nobody waits for it any longer.
	 */
	async #dispatchOnceFree(request: CommandRequest, gone?: AbortSignal): Promise<Outcome> {
		const first = await this.#made.dispatcher.dispatch(request);
		if (!isForkBusy(first)) return first;
		const again = async (): Promise<Outcome | null> => {
			const outcome = await this.#made.dispatcher.dispatch(request);
			return isForkBusy(outcome) ? null : outcome;
		};
		const signals = gone === undefined ? [] : [gone];
		return (await until(this.publisher, again, { deadlineMs: forkTimeoutMs, signals })) ?? first;
	}
}
