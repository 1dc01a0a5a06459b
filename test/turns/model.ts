// A daemon that is told random things, and a ledger of what must have come of them. The ledger is kept from the journal
// alone, event by event; after every step it is held against the rows, against the driver, and against what was
// accepted.
import { expect } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { type AgentId, actingAgent, human } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { type Store, StoreFault } from "#engine/ports/store.ts";
import { everyMail, everyTurn } from "#test/support/every.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { say, spawn } from "#test/support/say.ts";
import { settled } from "#test/support/settled.ts";
import { Ledger } from "./ledger.ts";

export type Step =
	| { do: "prompt"; agent: number; front: boolean; now: boolean; priority: number }
	| { do: "finish"; turn: number; how: "completed" | "failed" }
	| { do: "mail"; agent: number; urgent: boolean }
	| { do: "interrupt"; agent: number; resume: boolean }
	| { do: "edit" | "move" | "cancel"; agent: number; place: number }
	| { do: "answer"; allow: boolean }
	| { do: "wait"; turn: number; agent: number }
	| { do: "call" | "result" | "ask"; turn: number }
	| { do: "read" | "kill" | "pause" | "resume" | "fork" | "retry" | "clear" | "delete"; agent: number }
	| { do: "crash" | "slow" | "quick" };

/** A daemon that can be cut off from its store as a kill would do it. */
class Daemon {
	readonly driver: FakeDriver;
	readonly engine: Engine;
	readonly #cut: () => void;

	static async start(store: Store): Promise<Daemon> {
		let alive = true;
		const dead = new StoreFault("broken", "this daemon was killed");
		const reads = new Proxy(store.reads, {
			get: (target, name) => {
				const member: unknown = Reflect.get(target, name);
				return typeof member === "function"
					? (...args: unknown[]) => (alive ? member.apply(target, args) : Promise.reject(dead))
					: member;
			},
		});
		const lasting: Store = {
			...store,
			reads,
			commit: (batch) => (alive ? store.commit(batch) : Promise.reject(dead)),
			[Symbol.asyncDispose]: async () => {},
		};
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

const options = [
	{ id: "yes", name: "Yes", kind: "allow_once" as const },
	{ id: "no", name: "No", kind: "reject_once" as const },
];

export class Program {
	readonly #store = openMemory(batchRunner(limits));
	readonly #agents: AgentId[] = [];
	readonly #ledger = new Ledger();
	readonly #naive: boolean;
	#daemon: Daemon | null = null;
	#words = 0;

	/** a naive daemon runs whatever was interrupted again: the control that must fail */
	constructor({ naive = false } = {}) {
		this.#naive = naive;
	}

	get ledger(): Ledger {
		return this.#ledger;
	}

	async run(steps: readonly Step[]): Promise<void> {
		await this.#restart();
		for (let at = 0; at < 3; at++) this.#agents.push((await spawn(this.#engine, this.#engine.agentZero.id)).id);
		for (const each of steps) {
			await this.#take(each);
			await settled(this.#engine);
			await this.#check();
		}
		await this.#live.kill();
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
			this.#ledger.driverEnded(this.#daemon.driver.started);
		}
		this.#daemon = await Daemon.start(this.#store);
		if (!this.#naive) return;
		for (const owner of this.#agents) {
			for (const turn of (await everyTurn(this.#engine.reads, owner)).filter(
				({ reason, handedAt }) => reason === "crash" && handedAt !== null,
			)) {
				await say(this.#engine, {
					type: "prompt.queue",
					agent: owner,
					text: this.#ledger.wordsOf(turn.prompt) ?? "mail",
				});
				await say(this.#engine, { type: "agent.resume", agent: owner });
			}
		}
	}

	#pick(number: number): AgentId {
		const chosen = this.#agents[number % this.#agents.length];
		if (chosen === undefined) throw new Error("no agents");
		return chosen;
	}

	/** One of the turns that a process is at. */
	#running(number: number): { agent: AgentId; open: NonNullable<ReturnType<FakeDriver["open"]>> } | null {
		const { running } = this.#live.driver;
		const agent = running[number % Math.max(1, running.length)];
		const open = agent === undefined ? undefined : this.#live.driver.open(agent);
		return agent === undefined || open === undefined ? null : { agent, open };
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
			case "finish":
				this.#running(each.turn)?.open.end({ state: each.how, reason: null, text: "done" });
				return;
			case "call":
			case "result": {
				const kind = each.do === "call" ? "tool_call" : "tool_result";
				await this.#running(each.turn)?.open.watch.items([{ kind, text: "x", data: { call: "1" } }]);
				return;
			}
			case "ask":
				void this.#running(each.turn)
					?.open.watch.ask({ title: "may I", tool: "execute", call: null, options })
					.catch(() => {});
				return;
			case "prompt":
				await this.#prompt(each);
				return;
			case "mail": {
				const from = this.#live.driver.running[0];
				const as = from === undefined ? human : actingAgent(from);
				const outcome = await say(
					this.#engine,
					{ type: "mail.send", to: this.#pick(each.agent), body: "hello", urgent: each.urgent },
					{ as },
				);
				if ("done" in outcome) this.#ledger.sent(outcome.done.event, this.#pick(each.agent));
				return;
			}
			default:
				await this.#signal(each);
		}
	}

	async #prompt({ agent, front, now, priority }: Extract<Step, { do: "prompt" }>): Promise<void> {
		const target = this.#pick(agent);
		const text = `words ${this.#words++}`;
		const outcome = await say(this.#engine, { type: "prompt.queue", agent: target, text, front, now, priority });
		if ("done" in outcome) this.#ledger.accepted(outcome.done.event, { agent: target, text });
	}

	async #signal(
		each: Exclude<Step, { do: "crash" | "slow" | "quick" | "finish" | "call" | "result" | "ask" | "prompt" | "mail" }>,
	): Promise<void> {
		const { reads } = this.#engine;
		if (each.do === "answer") {
			const [asked] = await reads.pendingApprovals();
			if (asked !== undefined)
				await say(this.#engine, { type: "approval.answer", agent: asked.agent, approval: asked.id, allow: each.allow });
			return;
		}
		const agent = this.#pick(each.agent);
		switch (each.do) {
			case "interrupt":
				await say(this.#engine, { type: "agent.interrupt", agent, resume: each.resume });
				// an acknowledged stop is one: the turn is over when the answer is there
				expect((await reads.openTurns()).filter((turn) => turn.agent === agent && turn.stoppingAt !== null)).toEqual(
					[],
				);
				return;
			case "edit":
			case "move":
			case "cancel": {
				const queue = await reads.prompts(agent);
				const prompt = queue[each.place % Math.max(1, queue.length)]?.id ?? 1;
				const more =
					each.do === "edit"
						? { text: `words ${this.#words++}` }
						: each.do === "move"
							? { to: 1 + (each.place % 4) }
							: {};
				await say(this.#engine, { type: `prompt.${each.do}`, agent, prompt, ...more });
				return;
			}
			case "wait": {
				const waiter = this.#running(each.turn);
				if (waiter !== null)
					await say(this.#engine, { type: "wait.open", targets: [agent] }, { as: actingAgent(waiter.agent) });
				return;
			}
			case "fork":
				// with its context only between two tool calls: a person's fork would wait for that
				if (this.#agents.length < 6)
					this.#agents.push(
						(await spawn(this.#engine, agent, { context: (await reads.agent(agent))?.turn ? "fresh" : "inherit" })).id,
					);
				return;
			case "retry":
				await say(this.#engine, { type: "turn.retry", agent });
				return;
			case "clear":
				await say(this.#engine, { type: "prompt.cancel", agent });
				return;
			case "read":
				await say(this.#engine, { type: "mail.read", agent });
				return;
			default:
				await say(this.#engine, { type: `agent.${each.do}`, agent });
		}
	}

	async #check(): Promise<void> {
		const { reads } = this.#engine;
		this.#ledger.read(await reads.events({ after: this.#ledger.last, limit: 1_000_000 }));
		this.#ledger.checkSums();
		this.#ledger.checkStarts(this.#live.driver.started);
		const queued = (await Promise.all(this.#agents.map((owner) => reads.prompts(owner)))).flat();
		this.#ledger.checkRows({
			queued,
			turns: await reads.openTurns(),
			approvals: await reads.pendingApprovals(),
			waits: await reads.openWaits(),
		});
		const kept = (await Promise.all(this.#agents.map((owner) => everyMail(reads, owner)))).flat();
		this.#ledger.checkMail(kept.map((mail) => mail.id));
	}
}
