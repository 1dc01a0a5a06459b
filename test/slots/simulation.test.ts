// Thousands of claims, waits, ends, kills and crashes in any order: after each, the leases are exactly the turns that
// are at work, and at the end there are none. A counter that goes up and down with the calls does not get there.
import { describe, expect, test } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { type AgentId, actingAgent, system } from "#contract/ids.ts";
import { limits as defaults } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import type { Store } from "#engine/ports/store.ts";
import { done, say, spawn } from "#test/support/say.ts";

const wanted = process.env["BROOD_TORTURE"] === undefined ? 10_000 : 100_000;
const perRound = 1000;
const limits = { ...defaults, turnsMax: 4, descendantsMax: 1_000_000 };
const plans = { "of-two": 2, "of-one": 1 };

/** The same numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
	let state = seed;
	return (sides) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * sides);
	};
}

class Round {
	claims = 0;
	/** what a counter would say: one more for each start, one less for each end that was asked for */
	counter = 0;
	waited = 0;
	crashes = 0;
	readonly #store: Store = openMemory(batchRunner(limits));
	readonly #roll: (sides: number) => number;
	#engine: Engine | null = null;
	#agents: AgentId[] = [];

	constructor(seed: number) {
		this.#roll = dice(seed);
	}

	get #live(): Engine {
		if (this.#engine === null) throw new Error("no engine");
		return this.#engine;
	}

	async run(): Promise<void> {
		await this.#start();
		for (const [name, maxConcurrent] of Object.entries(plans))
			await done(this.#live, { type: "subscription.add", name, agentType: "scripted", maxConcurrent });
		await this.#populate();
		while (this.claims < perRound) {
			await this.#step();
			await this.#check();
		}
		await this.#start();
		await this.#check();
		expect(await this.#live.reads.turnLeases()).toEqual([]);
	}

	/** As after a kill: the old engine does nothing more, and the new one starts from the rows. */
	async #start(): Promise<void> {
		const lasting: Store = { ...this.#store, [Symbol.asyncDispose]: async () => {} };
		this.#engine = await Engine.start({
			store: lasting,
			driver: null,
			limits,
			clock: { now: () => 1_000_000 },
			ids: randomIds,
		});
		this.crashes++;
	}

	async #populate(): Promise<void> {
		this.#agents = [];
		const choices = [{}, { subscription: "of-two" }, { subscription: "of-one" }, { agentType: "shell" }];
		for (let at = 0; at < 8; at++) {
			const { id } = await spawn(this.#live, this.#live.agentZero.id, choices[at % choices.length]);
			this.#agents.push(id);
		}
	}

	async #step(): Promise<void> {
		const agent = this.#agents[this.#roll(this.#agents.length)];
		if (agent === undefined) return;
		const turn = (await this.#live.reads.agent(agent))?.turn?.id;
		const what = this.#roll(100);
		if (turn === undefined) await this.#claim(agent);
		else if (what < 40)
			this.counter -= Number(
				"done" in (await say(this.#live, { type: "turn.end", agent, turn, state: "completed" }, { as: system })),
			);
		else if (what < 65) await this.#wait(agent);
		else if (what < 85) await this.#wake();
		else if (what < 93) await say(this.#live, { type: "prompt.return", agent, turn, reason: "x" }, { as: system });
		else if (what < 98) {
			await say(this.#live, { type: "agent.kill", agent });
			const { id } = await spawn(this.#live, this.#live.agentZero.id);
			this.#agents[this.#agents.indexOf(agent)] = id;
		} else {
			await this.#start();
			for (const each of this.#agents) await say(this.#live, { type: "agent.resume", agent: each });
		}
	}

	async #claim(agent: AgentId): Promise<void> {
		if ((await this.#live.reads.queueEnds(agent)).length === 0)
			await say(this.#live, { type: "prompt.queue", agent, text: "go" });
		const outcome = await say(this.#live, { type: "turn.start", agent }, { as: system });
		this.claims++;
		if ("done" in outcome && outcome.events.length > 0) this.counter++;
	}

	async #wait(agent: AgentId): Promise<void> {
		const other = this.#agents[this.#roll(this.#agents.length)];
		const outcome = await say(
			this.#live,
			{ type: "wait.open", targets: [other], for: "turn" },
			{ as: actingAgent(agent) },
		);
		if ("done" in outcome) this.waited++;
	}

	/** Somebody stops waiting, if there is room for it. */
	async #wake(): Promise<void> {
		const open = await this.#live.reads.openWaits();
		const wait = open[this.#roll(Math.max(1, open.length))];
		if (wait !== undefined) await say(this.#live, { type: "wait.cancel", wait: wait.id });
	}

	async #check(): Promise<void> {
		const { reads } = this.#live;
		const [leases, turns, waits] = [await reads.turnLeases(), await reads.openTurns(), await reads.openWaits()];
		expect(leases.length).toBeLessThanOrEqual(limits.turnsMax);
		for (const [name, max] of Object.entries(plans))
			expect(leases.filter((lease) => lease.subscription === name).length).toBeLessThanOrEqual(max);
		const held = new Set(leases.map(({ turn }) => turn));
		for (const turn of turns)
			if (!waits.some((wait) => wait.turn === turn.id))
				expect(held.has(turn.id), `turn ${turn.id} works without a place`).toBe(true);
		const open = new Set(turns.map(({ id }) => id));
		for (const turn of held) expect(open.has(turn), `turn ${turn} is over and has its place`).toBe(true);
	}
}

describe(`${wanted} claims with waits, kills and crashes`, () => {
	test("leak no slot and exceed no limit, and a counter drifts: the control", { timeout: 20 * 60_000 }, async () => {
		let [claims, waited, crashes, drift] = [0, 0, 0, 0];
		for (let seed = 1; claims < wanted; seed++) {
			const round = new Round(seed);
			await round.run();
			claims += round.claims;
			waited += round.waited;
			crashes += round.crashes;
			drift += Math.abs(round.counter);
		}
		expect([claims >= wanted, waited > wanted / 20, crashes > wanted / 200]).toEqual([true, true, true]);
		expect(drift).toBeGreaterThan(0);
	});
});
