// A turn is begun once, in whatever order reads, looks, ends and beginnings come. Every answer that the runner of turns
// gets from the store, and every step of a process, waits until a scheduler lets it go on; looks overlap, so that what
// one has read is over before it acts on it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProcessOwners } from "#adapters/driver/process-owners.ts";
import { openMemory } from "#adapters/store/memory/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { type AgentId, system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import type { Outcome } from "#engine/ports/dispatch.ts";
import type { StartedProcess, TurnResult, TurnWatch } from "#engine/ports/driver.ts";
import { noLog } from "#engine/ports/log.ts";
import type { Reads } from "#engine/ports/store.ts";
import { TurnRunner } from "#engine/turns/run-turns.ts";
import { everyTurn } from "#test/support/every.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { done, say, spawn } from "#test/support/say.ts";

const runs = process.env["BROOD_TORTURE"] === undefined ? 150 : 5000;
const promptsEach = 3;

type Step = { do: "look" } | { do: "interrupt" | "kill"; agent: number };
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 6, arbitrary: fc.constant<Step>({ do: "look" }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("interrupt" as const), agent: fc.nat(2) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), agent: fc.nat(2) }) },
);

/**
 * How many steps of others each read of the open turns takes to arrive: some come when what they tell of is long over.
 */
const lags = fc.array(fc.constantFrom(1, 20, 40), { minLength: 3, maxLength: 12 });

describe("whatever the order of reads, ends and beginnings", () => {
	test("the processes get each prompt once, one at a time, as the journal says", { timeout: 1_800_000 }, async () => {
		const stale = { begun: 0, ready: 0 };
		await fc.assert(
			fc.asyncProperty(fc.scheduler(), lags, fc.array(step, { maxLength: 8 }), async (scheduler, lag, steps) => {
				const world = await TurnSimulation.run(scheduler, { lag, steps });
				stale.begun += world.staleBegun;
				stale.ready += world.handOversRefused;
				expect(await world.findings()).toEqual([]);
			}),
			{ numRuns: runs },
		);
		// turns were begun that were over or at work, some of them up to the hand-over, and none went further
		expect(stale.begun).toBeGreaterThan(runs / 4);
		expect(stale.ready).toBeGreaterThan(0);
	});

	test("and a store that lets every hand-over through is found out", async () => {
		const found: string[] = [];
		const outcome = await fc.check(
			fc.asyncProperty(fc.scheduler(), lags, async (scheduler, lag) => {
				const world = await TurnSimulation.run(scheduler, { lag, grantsAll: true });
				found.push(...(await world.findings()));
				expect(found).toEqual([]);
			}),
			{ numRuns: runs, endOnFailure: true },
		);
		expect(outcome.failed).toBe(true);
		expect(found).toContainEqual(expect.stringContaining("was given"));
	});
});

/** Processes that take a step only when the scheduler says so. */
class SteppedDriver extends FakeDriver {
	readonly got: { turn: number; text: string }[] = [];
	readonly wrong: string[] = [];
	readonly up = new Set<AgentId>();
	readonly #seats = new ProcessOwners();
	readonly #atWork = new Set<AgentId>();
	readonly #step: (what: string) => Promise<void>;
	readonly #asked: (turn: number) => Promise<void>;

	constructor(pause: (what: string) => Promise<void>, asked: (turn: number) => Promise<void>) {
		super();
		this.#step = pause;
		this.#asked = asked;
	}

	override async startProcess({ id }: { id: AgentId }, turn: number, signal: AbortSignal): Promise<StartedProcess> {
		const calledOff: StartedProcess = { up: false, end: { state: "interrupted", reason: "called off", text: null } };
		await this.#asked(turn);
		if (!(await this.#seats.take(id, turn, signal))) return calledOff;
		await this.#step("start");
		if (signal.aborted) {
			this.#seats.leave(id, turn);
			return calledOff;
		}
		this.up.add(id);
		return { up: true, session: null };
	}

	override dismiss(agent?: AgentId, turn?: number): void {
		if (agent !== undefined && turn !== undefined) this.#seats.leave(agent, turn);
	}

	override async run(
		{ agent, turn, text }: { agent: { id: AgentId }; turn?: number; text: string },
		watch: TurnWatch,
		signal: AbortSignal,
	): Promise<TurnResult> {
		if (turn === undefined || !this.#seats.has(agent.id, turn)) this.wrong.push(`turn ${turn} has no process`);
		if (this.#atWork.has(agent.id)) this.wrong.push(`${agent.id} is given two prompts at a time`);
		this.#atWork.add(agent.id);
		this.got.push({ turn: turn ?? 0, text });
		await this.#step("work");
		if (!signal.aborted) await watch.items([{ kind: "assistant", text: `to ${text}`, data: null }]);
		await this.#step("answer");
		this.#atWork.delete(agent.id);
		this.#seats.leave(agent.id, turn ?? 0);
		return signal.aborted
			? { state: "interrupted", reason: "stopped", text: null }
			: { state: "completed", reason: null, text: `to ${text}` };
	}

	override async end(agent: AgentId): Promise<void> {
		this.up.delete(agent);
	}
}

interface ProcessRequest {
	lag: readonly number[];
	steps?: readonly Step[];
	/** the control: whoever says that it hands a prompt over is told that it may */
	grantsAll?: boolean;
}

class TurnSimulation {
	handOversRefused = 0;
	/** how often something was made ready for a turn that could not be begun any more */
	staleBegun = 0;
	readonly #engine: Engine;
	readonly #scheduler: fc.Scheduler;
	readonly #driver: SteppedDriver;
	readonly #runner: TurnRunner;
	readonly #grantsAll: boolean;
	readonly #lag: readonly number[];
	#reads = 0;
	readonly #over = new AbortController();
	#agents: AgentState[] = [];
	#looks: Promise<unknown>[] = [];

	static async run(
		scheduler: fc.Scheduler,
		{ lag, steps = [], grantsAll = false }: ProcessRequest,
	): Promise<TurnSimulation> {
		const engine = await Engine.start({
			store: openMemory(batchRunner(limits)),
			driver: null,
			limits,
			clock: systemClock,
			ids: randomIds,
		});
		const world = new TurnSimulation(engine, scheduler, { lag, grantsAll });
		for (let at = 0; at < 3; at++) world.#agents.push(await spawn(engine, engine.agentZero.id));
		for (const { id, handle } of world.#agents)
			for (let at = 0; at < promptsEach; at++)
				await done(engine, { type: "prompt.queue", agent: id, text: `${handle} ${at}` });
		await scheduler.waitFor(world.#play(steps));
		return world;
	}

	private constructor(
		engine: Engine,
		scheduler: fc.Scheduler,
		{ lag, grantsAll }: { lag: readonly number[]; grantsAll: boolean },
	) {
		this.#lag = lag;
		this.#engine = engine;
		this.#scheduler = scheduler;
		this.#grantsAll = grantsAll;
		const asked = async (id: number): Promise<void> => {
			const turn = await engine.reads.turn(id);
			if (turn?.state !== "open" || turn.handedAt !== null) this.staleBegun++;
		};
		this.#driver = new SteppedDriver((what) => this.#pause(what), asked);
		const rest = {
			publisher: engine.publisher,
			blobs: null,
			partials: null,
			clock: systemClock,
			limits,
			workspaces: null,
			node: null,
			log: noLog,
		};
		this.#runner = new TurnRunner({
			...rest,
			sites: null,
			reads: this.#stale(engine.reads),
			driver: this.#driver,
			dispatch: (request) => this.#dispatch(request),
		});
	}

	async #pause(what: string): Promise<void> {
		await this.#scheduler.schedule(Promise.resolve(), what);
		// the store gets on with its work, too
		await new Promise((resume) => setImmediate(resume));
	}

	/** What was read is as old as the scheduler wants it to be. */
	#stale(reads: Reads): Reads {
		return new Proxy(reads, {
			get: (target, name) => {
				const member: unknown = Reflect.get(target, name);
				if (typeof member !== "function") return member;
				return async (...args: unknown[]) => {
					const seen: unknown = await member.apply(target, args);
					const lag = name === "openTurns" ? (this.#lag[this.#reads++ % this.#lag.length] ?? 1) : 1;
					for (let left = lag; left > 0; left--) await this.#pause(`read ${String(name)}`);
					return seen;
				};
			},
		});
	}

	async #dispatch(request: Parameters<Engine["dispatch"]>[0]): Promise<Outcome> {
		const type: unknown = Object(request.command).type;
		await this.#pause(`say ${String(type)}`);
		const outcome = await this.#engine.dispatch(request);
		await this.#pause(`hear of ${String(type)}`);
		if (type !== "turn.hand" || "done" in outcome) return outcome;
		this.handOversRefused++;
		const granted: Event = {
			id: 0,
			kind: "user",
			agent: null,
			turn: null,
			text: "",
			data: null,
			at: 0,
			actor: system,
			command: "c",
		};
		return this.#grantsAll ? { done: {}, events: [granted], replayed: false } : outcome;
	}

	async #play(steps: readonly Step[]): Promise<void> {
		const started = this.#agents.map((agent) => this.#startAll(agent));
		const hints = this.#lookAtHints();
		for (const each of steps) {
			await this.#pause(each.do);
			if (each.do === "look") this.#look();
			else await this.#signal(each.do, this.#agents[each.agent]?.id);
		}
		await Promise.all(started);
		this.#over.abort();
		await hints;
		await Promise.all(this.#looks);
		await this.#runner.drain(new Promise(() => {}));
	}

	async #signal(what: "interrupt" | "kill", agent: AgentId | undefined): Promise<void> {
		if (agent === undefined) return;
		const outcome = await say(
			this.#engine,
			what === "kill" ? { type: "agent.kill", agent } : { type: "agent.interrupt", agent, resume: true },
		);
		if (what === "kill" && "done" in outcome) await this.#driver.end(agent);
	}

	/** Two looks and more are on their way at the same time. */
	#look(): void {
		for (let at = 0; at < 2; at++) this.#looks.push(this.#runner.look(new AbortController().signal));
	}

	async #lookAtHints(): Promise<void> {
		using events = this.#engine.publisher.follow();
		this.#over.signal.addEventListener("abort", () => events[Symbol.dispose](), { once: true });
		for (let batch = await events.next(); batch !== null; batch = await events.next())
			if (batch.some((event) => this.#runner.wakes(event))) this.#look();
	}

	/** One turn after the other, until the queue is empty. */
	async #startAll({ id }: AgentState): Promise<void> {
		using events = this.#engine.publisher.follow();
		for (;;) {
			const agent = await this.#engine.reads.agent(id);
			const { length } = await this.#engine.reads.queueEnds(id);
			if (agent?.life === "ended" || (agent?.turn === null && length === 0)) return;
			if (agent?.turn === null)
				await this.#engine.dispatch({ actor: system, key: null, command: { type: "turn.start", agent: id } });
			else await events.next();
		}
	}

	/** Whatever the processes saw that the journal does not say, and the other way round. */
	async findings(): Promise<string[]> {
		const found = [...this.#driver.wrong];
		for (const { id } of this.#agents) {
			const agent = await this.#engine.reads.agent(id);
			if (agent?.life === "ended" && this.#driver.up.has(id)) found.push(`${id} has ended and has a process`);
			if (agent?.turn !== null) found.push(`${id} has an open turn`);
			const events = await this.#engine.reads.events({ after: 0, limit: 10_000, agent: id });
			const handed = events.filter((event) => event.kind === "user");
			for (const { id: turn } of await everyTurn(this.#engine.reads, id)) {
				const given = this.#driver.got.filter((each) => each.turn === turn).map((each) => each.text);
				const said = handed.filter((each) => each.turn === turn).map(({ text }) => text);
				if (JSON.stringify(given) !== JSON.stringify(said))
					found.push(`turn ${turn} was given ${JSON.stringify(given)} and not ${JSON.stringify(said)}`);
			}
			const prompts = handed.map(({ text }) => text);
			if (new Set(prompts).size !== prompts.length) found.push(`${id} was given a prompt twice`);
			const turns = (await everyTurn(this.#engine.reads, id)).filter((turn) => turn.state === "completed");
			for (const turn of turns)
				if (!events.some((event) => event.turn === turn.id && event.kind === "assistant"))
					found.push(`turn ${turn.id} completed without an answer`);
		}
		await this.#engine[Symbol.asyncDispose]();
		return found;
	}
}
