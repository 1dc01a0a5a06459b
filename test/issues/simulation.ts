// A project with issues, agents and subscriptions on a clock that the test turns: days of work in seconds. Turns fail,
// plans are used up, the daemon is killed, and a person looks in now and then.

import { vi } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, actingAgent } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import { limits as defaults } from "#contract/limits.ts";
import type { Preset } from "#contract/preset.ts";
import { refuse } from "#contract/refusal.ts";
import { shipped } from "#domain/presets.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { type IssueWork, noIssueWork } from "#engine/ports/issue-work.ts";
import { type Store, StoreFault } from "#engine/ports/store.ts";
import { everyIssue } from "#test/support/every.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { done, say } from "#test/support/say.ts";
import { settled } from "#test/support/settled.ts";

/** With agents of another type, a gate that a command keeps, and a limit on how many are worked on. */
const careful: Preset = {
	agent: { type: "codex" },
	fallbacks: [{ type: "scripted" }],
	stages: [
		{ name: "TODO", next: "BUILD" },
		{ name: "BUILD", next: "SHIP", prompt: "Build {{title}}.", gate: { command: "make test" }, wipMax: 3 },
		{ name: "SHIP", next: "DONE", back: "BUILD", gate: "human" },
		{ name: "DONE", final: true },
	],
};
export const presets: Readonly<Record<string, Preset>> = { ...shipped, careful };

/** Fewer places than slots, and fewer slots than agents, so that everybody has to wait for something. */
export const limits = { ...defaults, turnsMax: 8 };
const plans = [
	{ name: "spare", agentType: "scripted", maxConcurrent: 2 },
	{ name: "max", agentType: "scripted", maxConcurrent: 5, fallback: "spare" },
	{ name: "team", agentType: "codex", maxConcurrent: 2, quiet: { from: "02:00", to: "05:00", zone: "UTC" } },
];
const policies = ["fallback", "wait", "stop"] as const;
const minuteMs = 60_000;

/** The same numbers for the same seed, everywhere. */
function dice(seed: number): (sides: number) => number {
	let state = seed;
	return (sides) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * sides);
	};
}

export class IssueSimulation {
	readonly #store: Store = openMemory(batchRunner(limits));
	readonly #roll: (sides: number) => number;
	#now = Date.parse("2026-01-05T08:00:00Z");
	#alive = { yes: true };
	#engine: Engine | null = null;
	#driver = new FakeDriver();
	readonly #retried = new Map<number, number>();
	/** when the daemon was killed */
	readonly crashes: number[] = [];

	constructor(seed: number) {
		this.#roll = dice(seed);
	}

	get engine(): Engine {
		if (this.#engine === null) throw new Error("no daemon runs");
		return this.#engine;
	}

	get now(): number {
		return this.#now;
	}

	async start(): Promise<void> {
		const alive = { yes: true };
		this.#alive = alive;
		this.#driver = new FakeDriver();
		const dead = new StoreFault("broken", "this daemon was killed");
		const reads = new Proxy(this.#store.reads, {
			get: (target, name) => {
				const member: unknown = Reflect.get(target, name);
				return typeof member === "function"
					? (...args: unknown[]) => (alive.yes ? member.apply(target, args) : Promise.reject(dead))
					: member;
			},
		});
		const commit: Store["commit"] = (batch) => (alive.yes ? this.#store.commit(batch) : Promise.reject(dead));
		const store: Store = { ...this.#store, reads, commit, [Symbol.asyncDispose]: async () => {} };
		this.#engine = await Engine.start({
			store,
			driver: this.#driver,
			limits,
			clock: { now: () => this.#now },
			ids: randomIds,
			issueWork: this.#work(),
		});
		await settled(this.engine);
	}

	async stop(): Promise<void> {
		this.#alive.yes = false;
		await this.engine[Symbol.asyncDispose]().catch(() => {});
	}

	async populate({ issues, agents }: { issues: number; agents: number }): Promise<void> {
		const names = Object.keys(presets);
		await done(this.engine, { type: "project.add", slug: "web", path: "/srv/web" });
		await done(this.engine, {
			type: "project.configure",
			slug: "web",
			agentsMax: agents,
			presets: { careful: { preset: careful } },
		});
		for (const plan of plans) await done(this.engine, { type: "subscription.add", ...plan });
		for (let number = 1; number <= issues; number++) {
			const dependsOn = number > 10 && this.#roll(5) === 0 ? [1 + this.#roll(10)] : [];
			const priority = ["low", "medium", "high", "critical"][this.#roll(4)];
			await done(this.engine, {
				type: "issue.add",
				project: "web",
				title: `Issue ${number}`,
				preset: names[this.#roll(names.length)],
				dependsOn,
				priority,
			});
		}
		await done(this.engine, { type: "project.configure", slug: "web", agentType: "scripted", auto: true });
		await settled(this.engine);
	}

	/** How many issues are neither done nor in need of a person. */
	async open(): Promise<number> {
		return (await everyIssue(this.engine.reads)).filter(
			({ doneAt, attention }) => doneAt === null && attention === null,
		).length;
	}

	/** Some minutes pass: turns end one way or another, a person looks in, and sometimes everything dies. */
	async step(): Promise<void> {
		const roll = this.#roll;
		const minutes = 1 + roll(10);
		this.#now += minutes * minuteMs;
		await vi.advanceTimersByTimeAsync(minutes * minuteMs);
		await settled(this.engine);
		if (roll(40) === 0) {
			this.crashes.push(this.#now);
			await this.stop();
			return await this.start();
		}
		for (const agent of this.#driver.running) if (roll(2) === 0) await this.#end(agent);
		await settled(this.engine);
		await this.#person();
		await settled(this.engine);
	}

	/** Git and gates that fail now and then. */
	#work(): IssueWork {
		const roll = this.#roll;
		return {
			...noIssueWork,
			switchBranch: async () =>
				roll(40) === 0 ? refuse("WORKTREE_DIRTY", "something is in the way") : { branch: null },
			settle: async () =>
				roll(60) === 0 ? refuse("TOO_LARGE", "a file is too large") : { ahead: roll(3), commit: "abcdef0123" },
			merge: async () => (roll(12) === 0 ? refuse("MERGE_CONFLICT", "a.txt is in conflict") : { commit: "fedcba9876" }),
			gate: async () => ({ exit: [0, 0, 0, 75, 1][roll(5)] ?? 0, output: "2 tests failed" }),
			written: async () => ({ presets: { careful }, issues: {} }),
		};
	}

	async #end(agent: AgentId): Promise<void> {
		const roll = this.#roll;
		if (roll(25) === 0) return this.#meetLimit(agent);
		const issue = (await this.engine.reads.agent(agent))?.issue?.id;
		const how = roll(20);
		const as = actingAgent(agent);
		if (how < 14)
			await say(this.engine, { type: "issue.report", issueId: issue, summary: "done", back: how < 2 }, { as });
		if (how === 14)
			await say(this.engine, { type: "issue.escalate", issueId: issue, reason: "I need a person." }, { as });
		if (how === 15) await say(this.engine, { type: "agent.kill", agent });
		this.#driver.open(agent)?.end({
			state: how > 16 ? "failed" : "completed",
			reason: how > 16 ? "the model gave up" : null,
			text: "that is all",
		});
	}

	/** Its plan is used up, for a while that is known or not. */
	#meetLimit(agent: AgentId): void {
		const until = this.#roll(4) === 0 ? null : this.#now + (20 + this.#roll(100)) * minuteMs;
		this.#driver.open(agent)?.end({ state: "failed", reason: "the plan is used up", text: null, limit: { until } });
	}

	/** Approves most, rejects some, lets agents go on that are held, and tries what needs attention a few times more. */
	async #person(): Promise<void> {
		for (const agent of await this.engine.reads.agents({ life: "live" })) await this.#lookAfter(agent);
		const issues = await everyIssue(this.engine.reads);
		for (const issue of issues) {
			if (issue.attention !== null) await this.#attendTo(issue, issues);
			if (issue.waiting !== "approval") continue;
			const rejects = this.#roll(10) === 0;
			await say(
				this.engine,
				rejects
					? { type: "issue.reject", issueId: issue.id, reason: "not yet" }
					: { type: "issue.approve", issueId: issue.id },
			);
		}
		// now and then another policy for limits; where one of them stopped everything, it goes on
		const onLimit = this.#roll(30) === 0 ? { onLimit: policies[this.#roll(policies.length)] } : {};
		await say(this.engine, { type: "project.configure", slug: "web", agentType: "scripted", auto: true, ...onLimit });
	}

	/** After some tries it is given up; those that wait for it have to do without. */
	async #attendTo({ id, number }: IssueState, all: readonly IssueState[]): Promise<void> {
		const tries = this.#retried.get(id) ?? 0;
		this.#retried.set(id, tries + 1);
		if (tries < 4) await say(this.engine, { type: "issue.retry", issueId: id });
		else
			for (const other of all)
				if (other.dependsOn.includes(number))
					await say(this.engine, { type: "issue.undepend", issueId: other.id, on: number });
	}

	/** Every third agent is bound to a plan. Limits are never waived: only other holds are ended. */
	async #lookAfter({ id, holds, turn, type, subscription, project }: AgentState): Promise<void> {
		if (project === null) return;
		if (subscription === null && type === "scripted" && this.#roll(3) === 0)
			await say(this.engine, { type: "agent.configure", agent: id, subscription: "max" });
		const kinds = holds.map(({ kind }) => kind);
		if (turn !== null || kinds.length === 0) return;
		if (kinds.includes("user") && !kinds.includes("limit")) await say(this.engine, { type: "agent.resume", agent: id });
		await say(this.engine, { type: "agent.recover", agent: id });
	}
}
