// Queue, turns, mail, kill, fork and crash in random orders. After every step nothing that was accepted is missing,
// nothing runs twice, and nothing reaches another agent.
import fc from "fast-check";
import { expect, test } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { type AgentId, actingAgent, human } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { Engine } from "#engine/engine.ts";
import { batchRunner } from "#engine/execute.ts";
import { type Store, StoreFault } from "#engine/ports.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { say, spawn } from "#test/support/say.ts";
import { settled } from "#test/support/settled.ts";

const runs = process.env["BROOD_TORTURE"] ? 20_000 : 300;

type Step =
	| { do: "prompt"; agent: number; front: boolean }
	| { do: "finish"; turn: number; how: "completed" | "failed" }
	| { do: "mail" | "read" | "kill" | "pause" | "resume" | "fork"; agent: number }
	| { do: "crash" | "slow" | "quick" };

const agent = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 6, arbitrary: fc.record({ do: fc.constant("prompt" as const), agent, front: fc.boolean() }) },
	{ weight: 6, arbitrary: fc.record({ do: fc.constant("finish" as const), turn: fc.nat(5), how: fc.constantFrom("completed" as const, "failed" as const) }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("mail" as const), agent }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constantFrom("read" as const, "pause" as const, "resume" as const, "fork" as const), agent }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), agent }) },
	{ weight: 5, arbitrary: fc.record({ do: fc.constantFrom("crash" as const, "slow" as const, "quick" as const) }) },
);

/** A daemon that can be cut off from its store as a kill would do it. */
class Daemon {
	readonly driver = new FakeDriver();
	readonly engine: Engine;
	readonly #cut: () => void;

	static async start(store: Store): Promise<Daemon> {
		let alive = true;
		const dead = new StoreFault("broken", "this daemon was killed");
		const reads = new Proxy(store.reads, {
			get: (target, name) => {
				const member: unknown = Reflect.get(target, name);
				return typeof member === "function" ? (...args: unknown[]) => (alive ? member.apply(target, args) : Promise.reject(dead)) : member;
			},
		});
		const lasting: Store = { ...store, reads, commit: (batch) => (alive ? store.commit(batch) : Promise.reject(dead)), [Symbol.asyncDispose]: async () => {} };
		const driver = new FakeDriver();
		const engine = await Engine.start({ store: lasting, driver, limits, clock: systemClock, ids: randomIds });
		return new Daemon(engine, driver, () => {
			alive = false;
		});
	}

	private constructor(engine: Engine, driver: FakeDriver, cut: () => void) {
		this.engine = engine;
		this.driver = driver;
		this.#cut = cut;
	}

	async kill(): Promise<void> {
		this.#cut();
		await this.engine[Symbol.asyncDispose]().catch(() => {});
	}
}

class Program {
	readonly #store = openMemory(batchRunner(limits));
	readonly #agents: AgentId[] = [];
	readonly #accepted = new Map<number, { agent: AgentId; text: string }>();
	readonly #sent = new Map<number, AgentId>();
	readonly #starts: { agent: AgentId; text: string }[] = [];
	readonly #naive: boolean;
	#daemon: Daemon | null = null;
	#words = 0;

	/** a naive daemon runs whatever was interrupted again: the control that must fail */
	constructor({ naive = false } = {}) {
		this.#naive = naive;
	}

	/** prompts that went back to the queue because nobody had got them */
	returned = 0;

	async run(steps: readonly Step[]): Promise<number> {
		await this.#restart();
		for (let at = 0; at < 3; at++) this.#agents.push((await spawn(this.#engine, this.#engine.agentZero.id)).id);
		for (const each of steps) {
			await this.#take(each);
			await settled(this.#engine);
			await this.#check();
		}
		await this.#live.kill();
		return this.#accepted.size;
	}

	get #live(): Daemon {
		if (this.#daemon === null) throw new Error("no daemon");
		return this.#daemon;
	}

	get #engine(): Engine {
		return this.#live.engine;
	}

	async #restart(): Promise<void> {
		if (this.#daemon !== null) {
			await this.#daemon.kill();
			this.#starts.push(...this.#daemon.driver.started);
		}
		this.#daemon = await Daemon.start(this.#store);
		if (!this.#naive) return;
		for (const owner of this.#agents) {
			for (const turn of (await this.#engine.reads.turns(owner)).filter(({ reason, handedAt }) => reason === "crash" && handedAt !== null)) {
				await say(this.#engine, { type: "prompt.queue", agent: owner, text: this.#accepted.get(turn.prompt)?.text ?? "mail" });
				await say(this.#engine, { type: "agent.resume", agent: owner });
			}
		}
	}

	#pick(number: number): AgentId {
		const chosen = this.#agents[number % this.#agents.length];
		if (chosen === undefined) throw new Error("no agents");
		return chosen;
	}

	async #take(each: Step): Promise<void> {
		switch (each.do) {
			case "crash":
				await this.#restart();
				return;
			// whether processes take for ever to start: then turns are open without their prompt being handed over
			case "slow":
			case "quick":
				this.#live.driver.slow = each.do === "slow";
				return;
			case "finish": {
				const { running } = this.#live.driver;
				const turn = running[each.turn % Math.max(1, running.length)];
				if (turn !== undefined) this.#live.driver.open(turn)?.end({ state: each.how, reason: null, text: "done" });
				return;
			}
			case "prompt": {
				const target = this.#pick(each.agent);
				const text = `words ${this.#words++}`;
				const outcome = await say(this.#engine, { type: "prompt.queue", agent: target, text, front: each.front });
				if ("done" in outcome && outcome.done.event !== undefined) this.#accepted.set(outcome.done.event, { agent: target, text });
				return;
			}
			case "mail": {
				const target = this.#pick(each.agent);
				const from = this.#live.driver.running[0];
				const outcome = await say(this.#engine, { type: "mail.send", to: target, body: "hello" }, { as: from === undefined ? human : actingAgent(from) });
				if ("done" in outcome && outcome.done.event !== undefined) this.#sent.set(outcome.done.event, target);
				return;
			}
			case "fork":
				if (this.#agents.length < 6) this.#agents.push((await spawn(this.#engine, this.#pick(each.agent), { context: "inherit" })).id);
				return;
			case "read":
				await say(this.#engine, { type: "mail.read", agent: this.#pick(each.agent) });
				return;
			case "kill":
			case "pause":
			case "resume":
				await say(this.#engine, { type: `agent.${each.do}`, agent: this.#pick(each.agent) });
		}
	}

	async #check(): Promise<void> {
		const { reads } = this.#engine;
		const events = await reads.events({ after: 0, limit: 1_000_000 });
		const fates = new Map<number, string[]>([...this.#accepted.keys()].map((id) => [id, []]));
		for (const owner of this.#agents) {
			for (const prompt of await reads.prompts(owner)) fates.get(prompt.id)?.push("queued");
			const turns = await reads.turns(owner);
			expect(turns.filter((turn) => turn.state === "open").length).toBeLessThanOrEqual(1);
			// a turn that never handed its prompt over does not count: the prompt is somewhere else again
			for (const turn of turns) if (turn.handedAt !== null || turn.state === "open" || turn.reason === "killed") fates.get(turn.prompt)?.push(turn.state);
		}
		for (const event of events) if (event.kind === "prompt.cancelled") for (const id of cancelled(event.data)) fates.get(id)?.push("cancelled");
		for (const [id, fate] of fates) expect(fate, `prompt ${id}`).toHaveLength(1);
		this.returned = events.filter((event) => event.kind === "prompt.returned").length;
		this.#checkEndings(events);
		await this.#checkStarts();
		await this.#checkMail(events);
	}

	/** Every turn that ended did so once, with one final item. */
	#checkEndings(events: readonly { kind: string; turn: number | null; data: unknown }[]): void {
		const ends = events.flatMap((event) => (event.kind === "turn.ended" ? turnOf(event.data) : []));
		expect(new Set(ends).size).toBe(ends.length);
		expect(events.flatMap((event) => (event.kind === "final" ? (event.turn ?? []) : [])).sort()).toEqual([...ends].sort());
	}

	/** Handed over at most once, and only to the agent that it was for. */
	async #checkStarts(): Promise<void> {
		const starts = [...this.#starts, ...this.#live.driver.started].filter(({ text }) => text.startsWith("words"));
		expect(new Set(starts.map(({ text }) => text)).size).toBe(starts.length);
		const owners = new Map([...this.#accepted.values()].map(({ agent: owner, text }) => [text, owner]));
		for (const { agent: owner, text } of starts) expect(owners.get(text)).toBe(owner);
	}

	/** Delivered once, in order, and only to its recipient. */
	async #checkMail(events: readonly { kind: string; agent: AgentId | null; data: unknown }[]): Promise<void> {
		const delivered = events.flatMap((event) => (event.kind === "mail.delivered" ? [{ mail: mailOf(event.data), to: event.agent }] : []));
		expect(new Set(delivered.map(({ mail }) => mail)).size).toBe(delivered.length);
		for (const { mail, to } of delivered) expect(this.#sent.get(mail)).toBe(to);
		for (const owner of this.#agents) {
			const order = delivered.filter(({ to }) => to === owner).map(({ mail }) => mail);
			expect(order).toEqual([...order].sort((a, b) => a - b));
		}
		const kept = (await Promise.all(this.#agents.map((owner) => this.#engine.reads.mails(owner)))).flat();
		expect(kept.map((mail) => mail.id).sort()).toEqual([...this.#sent.keys()].sort());
	}
}

const field = (data: unknown, name: string): unknown => (typeof data === "object" && data !== null ? Reflect.get(data, name) : undefined);
const turnOf = (data: unknown): number => Number(field(data, "turn"));
const mailOf = (data: unknown): number => Number(field(data, "mail"));
function cancelled(data: unknown): number[] {
	const prompts = field(data, "prompts");
	return Array.isArray(prompts) ? prompts.map(Number) : [];
}

test("a daemon that runs interrupted prompts again does not survive", async () => {
	const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
		await new Program({ naive: true }).run(steps);
	});
	expect((await fc.check(property, { numRuns: 300, endOnFailure: true })).failed).toBe(true);
});

test(`${runs} random programs`, { timeout: 3_600_000 }, async () => {
	let [accepted, returned] = [0, 0];
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
			const program = new Program();
			accepted += await program.run(steps);
			returned += program.returned;
		}),
		{ numRuns: runs },
	);
	expect(accepted).toBeGreaterThan(runs);
	expect(returned).toBeGreaterThan(2);
});
