// A world of nodes and one database, in which everything that may go wrong does: one seed is one world. The nodes
// decide with `domain/node.ts`, the database with `domain/membership.ts`; only time, messages and processes are
// modelled.

import { human } from "#contract/ids.ts";
import { NodeEvent, NodeId, type NodeState } from "#contract/node.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Decision } from "#domain/decision.ts";
import { fold } from "#domain/fold/fold.ts";
import { decideFall, decideJoin, decideLeaveNode } from "#domain/membership.ts";
import {
	answered,
	type BeatAnswer,
	goodUntil,
	mayRun,
	nodeTimes,
	ticked,
	type Watch,
	watchFrom,
} from "#domain/node.ts";
import { noRows } from "#views/rows.ts";
import { Agenda, mulberry } from "./agenda.ts";
import { asDesigned, type Found, type Rules, type Weather } from "./rules.ts";

const slots = 3;
const lengthMs = 180_000;

interface Life {
	epoch: number;
	watch: Watch;
	startId: string;
	processes: Set<number>;
	/** when its event loop ran last */
	looped: number;
	joined: boolean;
}

interface Machine {
	id: NodeId;
	life: Life | null;
	boots: number;
	frozen: boolean;
	asleep: boolean;
	cut: boolean;
	/** when it was last ill, or got well again */
	illAt: number;
}

export function world(seed: number, rules: Rules = asDesigned, weather: Weather = "mixed"): Found {
	return new NodeSimulation(seed, rules, weather).run();
}

class NodeSimulation {
	readonly #random: () => number;
	readonly #rules: Rules;
	readonly #weather: Weather;
	readonly #queue = new Agenda();
	readonly #machines: Machine[];
	readonly #rows = noRows();
	readonly #beats = new Map<NodeId, { epoch: number; beats: number; alone: boolean; at: number }>();
	readonly #leases = new Map<number, NodeId>();
	#databaseUp = true;
	#skew = 0;
	#lastLease = 0;
	readonly #found: Found = {
		...{ stale: 0, overshoots: 0, falseDeaths: 0, loneHolds: 0 },
		...{ starts: 0, falls: 0, holds: 0 },
	};

	constructor(seed: number, rules: Rules, weather: Weather) {
		this.#random = mulberry(seed);
		this.#rules = rules;
		this.#weather = weather;
		const names = { "lone outage": ["a"], "joined while cut": ["a", "b"] }[String(weather)] ?? ["a", "b", "c"];
		this.#machines = names.map((name) => ({
			...{ id: NodeId.parse(name), life: null, boots: 0, frozen: false, asleep: false, cut: false, illAt: -1e9 },
		}));
	}

	run(): Found {
		const [first, ...others] = this.#machines;
		if (first !== undefined) this.#after(this.#between(0, 500), () => this.#boot(first));
		for (const machine of others)
			if (this.#weather === "joined while cut") this.#comeAndGo(machine);
			else this.#after(this.#between(0, 500), () => this.#boot(machine));
		this.#after(15_000, () => this.#problem());
		this.#queue.run(lengthMs);
		return this.#found;
	}

	get #now(): number {
		return this.#queue.now;
	}

	get #times() {
		const answeredMs = this.#rules.answered ? nodeTimes.answeredMs : Number.POSITIVE_INFINITY;
		return { ...nodeTimes, answeredMs, suspendMs: this.#rules.suspendMs };
	}

	#between(from: number, to: number): number {
		return from + (to - from) * this.#random();
	}

	#after(ms: number, does: () => void): void {
		this.#queue.add(this.#now + ms, does);
	}

	// ---- a node

	#boot(machine: Machine): void {
		machine.boots++;
		const life: Life = {
			...{ epoch: 0, watch: watchFrom(this.#now), startId: `${machine.id}${machine.boots}`, joined: false },
			...{ processes: new Set<number>(), looped: this.#now },
		};
		machine.life = life;
		const join = (): void => {
			if (machine.life !== life || life.joined) return;
			this.#after(2000, join);
			if (stands(machine)) return;
			const sentAt = this.#now;
			const startId = this.#rules.joinsOnce ? life.startId : `${life.startId} at ${this.#now}`;
			this.#ask(
				machine,
				life,
				// Joining takes two trips under the writer's lock: it cannot be done for a daemon that is gone or stands still,
				// nor between the start and the joining of the next one.
				() => (machine.life === life && !stands(machine) ? this.#joined(machine.id, startId) : null),
				(epoch) => {
					if (life.joined || epoch === null) return;
					life.joined = true;
					life.epoch = epoch;
					life.watch = watchFrom(sentAt);
					this.#tick(machine, life);
					this.#work(machine, life);
				},
			);
		};
		join();
	}

	#die(machine: Machine): void {
		machine.life = null;
		machine.frozen = false;
	}

	/** The daemon's timer, ten times a second; the watchdog beside a daemon that stands still. */
	#tick(machine: Machine, life: Life): void {
		if (machine.life !== life) return;
		if (!stands(machine)) {
			life.looped = this.#now;
			const { watch, acts } = ticked(life.watch, this.#now, this.#times);
			life.watch = watch;
			for (const act of acts)
				if (act === "beat") this.#beat(machine, life);
				else if (act === "suspend") this.#held(machine, life);
		} else if (machine.frozen && !machine.asleep && this.#isOverdue(life)) {
			this.#die(machine);
			this.#after(1500, () => this.#boot(machine));
			return;
		}
		this.#after(100, () => this.#tick(machine, life));
	}

	#isOverdue({ watch, looped }: Life): boolean {
		const { watchdog, suspendMs } = this.#rules;
		if (watchdog === null) return false;
		const until = watchdog === "fed by beats" ? goodUntil(watch, this.#times) : looped + suspendMs;
		return until !== null && this.#now > until;
	}

	#held(machine: Machine, { processes }: Life): void {
		this.#found.holds += processes.size;
		if (this.#machines.length === 1 && machine.life !== null) this.#found.loneHolds++;
	}

	#beat(machine: Machine, life: Life): void {
		const sentAt = this.#now;
		const { beats, alone } = life.watch;
		this.#ask(
			machine,
			life,
			() => this.#beaten(machine.id, life.epoch, { beats, alone }),
			(answer) => {
				const trustedFrom = this.#rules.trustFromSending ? sentAt : this.#now;
				const { watch, acts } = answered(
					life.watch,
					answer,
					{ sentAt: trustedFrom, beats, now: this.#now },
					this.#times,
				);
				life.watch = watch;
				for (const act of acts) {
					if (act === "exit") {
						this.#die(machine);
						this.#after(1000, () => this.#boot(machine));
					} else if (typeof act === "object") this.#fell(machine, life, act.fall);
				}
				this.#count();
				if (this.#rules.databaseClock) for (const each of this.#stale(machine.id)) this.#fell(machine, life, each);
			},
		);
	}

	/** Starts a turn now and then, while it may. */
	#work(machine: Machine, life: Life): void {
		if (machine.life !== life) return;
		if (!stands(machine) && this.#runs(life)) {
			this.#ask(
				machine,
				life,
				() => this.#leased(machine.id, life.epoch),
				(lease) => {
					if (lease === null) return;
					this.#found.starts++;
					life.processes.add(lease);
					this.#count();
					const longest = this.#weather === "joined while cut" ? 60_000 : 6000;
					this.#after(this.#between(500, longest), () => this.#finish(machine, life, lease));
				},
			);
		}
		this.#after(this.#between(300, 1500), () => this.#work(machine, life));
	}

	#finish(machine: Machine, life: Life, lease: number): void {
		if (machine.life !== life) return;
		if (stands(machine) || !this.#runs(life)) {
			this.#after(200, () => this.#finish(machine, life, lease));
			return;
		}
		life.processes.delete(lease);
		let told = false;
		const end = (): void => {
			if (machine.life !== life || told) return;
			this.#ask(
				machine,
				life,
				() => this.#freed(machine.id, life.epoch, lease),
				() => {
					told = true;
				},
			);
			this.#after(3000, end);
		};
		end();
	}

	#runs({ watch }: Life): boolean {
		return !watch.suspended && mayRun(watch, this.#now, this.#times);
	}

	// ---- the network: either way may be slow or lost, and a node that stands still receivesNotifications nothing before
	// it goes on

	#ask<T>(machine: Machine, life: Life, work: () => T, then: (answer: T) => void): void {
		const slow = this.#random() < (this.#weather === "slow" ? 0.4 : 0.02) ? 6000 : 200;
		const [there, back] = [this.#between(1, slow), this.#between(1, slow)];
		this.#after(there, () => {
			if (!this.#databaseUp || machine.cut) return;
			const answer = work();
			const arrive = (): void => {
				if (machine.life !== life || machine.cut) return;
				if (stands(machine)) this.#after(50, arrive);
				else then(answer);
			};
			this.#after(back, arrive);
		});
	}

	// ---- the database: one command after the other

	#apply(decision: Decision): void {
		if (isRefusal(decision)) throw new Error(decision.message);
		for (const each of decision) {
			const event = NodeEvent.parse(each);
			fold({ ...event, id: 1, agent: null, at: Math.round(this.#now), actor: human }, this.#rows, () => {});
		}
	}

	#row(node: NodeId): NodeState | undefined {
		return this.#rows.node.get(node);
	}

	#joined(node: NodeId, startId: string): number {
		const capabilities = { turnsMax: slots, types: [], version: "1", schema: 1 };
		const decision = decideJoin([...this.#rows.node.values()], {
			type: "node.join",
			node,
			name: node,
			startId,
			...capabilities,
		});
		this.#apply(decision);
		if (decision.length > 0) this.#release(node);
		return this.#row(node)?.epoch ?? 0;
	}

	#isCurrent(node: NodeId, epoch: number): boolean {
		const row = this.#row(node);
		return row?.epoch === epoch && row.state === "up";
	}

	/** Also of what a beat is answered about company it is remembered that the node may believe it. */
	#beaten(node: NodeId, epoch: number, { beats, alone }: { beats: number; alone: boolean }): BeatAnswer {
		if (!this.#isCurrent(node, epoch)) return { confirmed: false, peers: [] };
		const [before, peers] = [this.#beats.get(node), this.#peersOf(node)];
		if (before?.epoch !== epoch || before.beats < beats)
			this.#beats.set(node, { epoch, beats, alone: alone || peers.length === 0, at: this.#now + this.#skew });
		return { confirmed: true, peers };
	}

	#peersOf(node: NodeId): BeatAnswer["peers"] {
		return [...this.#rows.node.values()]
			.filter(({ id, state }) => id !== node && state !== "left")
			.map(({ id, epoch, state }) => ({
				...{ node: id, epoch, beats: this.#beatsOf(id, epoch), active: state === "up" },
				alone: this.#rules.sparesLone && this.#beats.get(id)?.epoch === epoch && this.#beats.get(id)?.alone === true,
			}));
	}

	#beatsOf(node: NodeId, epoch: number): number {
		const beat = this.#beats.get(node);
		return beat?.epoch === epoch ? beat.beats : 0;
	}

	#stale(node: NodeId): { node: NodeId; epoch: number; beats: number }[] {
		return this.#peersOf(node).filter(
			(peer) => peer.active && this.#now + this.#skew - (this.#beats.get(peer.node)?.at ?? 0) > nodeTimes.deadMs,
		);
	}

	/** Joins for a while, is stopped in order, and comes again. */
	#comeAndGo(machine: Machine): void {
		this.#after(this.#between(5000, 40_000), () => {
			if (machine.life === null) this.#boot(machine);
			this.#after(this.#between(5000, 40_000), () => {
				const { life } = machine;
				if (life?.joined !== true || stands(machine) || machine.cut) return this.#comeAndGo(machine);
				this.#ask(
					machine,
					life,
					() => {
						if (!this.#isCurrent(machine.id, life.epoch)) return;
						this.#apply(decideLeaveNode(this.#row(machine.id), { node: machine.id }));
						this.#release(machine.id);
						this.#die(machine);
					},
					() => {},
				);
				this.#comeAndGo(machine);
			});
		});
	}

	#fell(by: Machine, life: Life, silent: { node: NodeId; epoch: number; beats: number }): void {
		this.#ask(
			by,
			life,
			() => {
				if (!this.#isCurrent(by.id, life.epoch)) return;
				const beats = this.#rules.comparesBeats ? this.#beatsOf(silent.node, silent.epoch) : silent.beats;
				const elsewhere = { nodes: [], subscriptions: [], projects: [], busy: new Map() };
				const fallen = { turns: [], agents: [], elsewhere };
				const decision = decideFall(
					this.#row(silent.node),
					{ type: "node.fall", ...silent },
					{ beats, fallen },
					{ node: by.id },
				);
				this.#apply(decision);
				if (isRefusal(decision) || decision.length === 0) return;
				this.#found.falls++;
				this.#release(silent.node);
				const machine = this.#machines.find(({ id }) => id === silent.node);
				if (machine !== undefined && this.#isWell(machine)) this.#found.falseDeaths++;
			},
			() => {},
		);
	}

	/** It runs, and everything was well for longer than it takes to be seen again. */
	#isWell(machine: Machine): boolean {
		const ill = stands(machine) || machine.cut || machine.life?.joined !== true;
		return !ill && this.#now - machine.illAt > 20_000;
	}

	#leased(node: NodeId, epoch: number): number | null {
		if (!this.#maySpeak(node, epoch) || this.#leases.size >= slots) return null;
		this.#leases.set(++this.#lastLease, node);
		return this.#lastLease;
	}

	#freed(node: NodeId, epoch: number, lease: number): void {
		if (this.#maySpeak(node, epoch)) this.#leases.delete(lease);
	}

	#maySpeak(node: NodeId, epoch: number): boolean {
		if (this.#isCurrent(node, epoch)) return true;
		if (!this.#rules.fence) this.#found.stale++;
		return !this.#rules.fence;
	}

	#release(node: NodeId): void {
		for (const [lease, of] of this.#leases) if (of === node) this.#leases.delete(lease);
	}

	/** From outside, as somebody would who counts processes. */
	#count(): void {
		const running = this.#machines.reduce(
			(sum, { life, asleep }) => sum + (life === null || asleep || life.watch.suspended ? 0 : life.processes.size),
			0,
		);
		if (running > slots) this.#found.overshoots++;
	}

	// ---- what goes wrong

	#problem(): void {
		const machine = this.#machines[Math.floor(this.#random() * this.#machines.length)];
		if (machine === undefined) return;
		const kind = this.#random();
		if (this.#weather === "joined while cut") {
			const [lone = machine] = this.#machines;
			this.#cut(lone, this.#between(10_000, 40_000));
		} else if (this.#weather === "cut and frozen") {
			this.#cut(machine, 30_000);
			this.#after(this.#between(3000, 5000), () => this.#freeze(machine, 25_000));
		} else if (this.#weather === "lone outage") this.#outage(60_000);
		else if (kind < 0.2) this.#cut(machine, this.#weather === "slow" ? this.#between(7000, 11_000) : this.#span());
		else if (kind < 0.35) this.#freeze(machine, this.#span());
		else if (kind < 0.5) this.#sleep(machine, this.#span());
		else if (kind < 0.7) this.#kill(machine);
		else if (kind < 0.9) this.#outage(this.#span());
		else this.#skew += (this.#random() < 0.5 ? -1 : 1) * this.#between(1000, 60_000);
		this.#after(this.#between(3000, 40_000), () => this.#problem());
	}

	#span(): number {
		return this.#between(500, 25_000);
	}

	#ill(machine: Machine, kind: "cut" | "frozen" | "asleep", ms: number): void {
		if (machine[kind]) return;
		machine[kind] = true;
		this.#after(ms, () => {
			machine[kind] = false;
			machine.illAt = this.#now;
		});
	}

	#cut(machine: Machine, ms: number): void {
		this.#ill(machine, "cut", ms);
	}

	#freeze(machine: Machine, ms: number): void {
		if (machine.life !== null) this.#ill(machine, "frozen", ms);
	}

	/** The machine stands still and its processes with it; when it wakes, the daemon's timer comes first. */
	#sleep(machine: Machine, ms: number): void {
		if (machine.asleep) return;
		this.#ill(machine, "asleep", ms);
		this.#after(ms, () => {
			const { life } = machine;
			if (life === null || machine.frozen) {
				this.#wakeFrozen(machine, life);
				return;
			}
			const { watch, acts } = ticked(life.watch, this.#now, this.#times);
			life.watch = watch;
			if (acts.includes("beat")) this.#beat(machine, life);
		});
	}

	/** The watchdog's timer is due before any process of the agents has done a step. */
	#wakeFrozen(machine: Machine, life: Life | null): void {
		if (life === null || !this.#isOverdue(life)) return;
		this.#die(machine);
		this.#after(1500, () => this.#boot(machine));
	}

	#kill(machine: Machine): void {
		if (machine.life === null) return;
		this.#die(machine);
		machine.illAt = this.#now;
		this.#after(this.#between(20_000, 40_000), () => machine.life === null && this.#boot(machine));
	}

	#outage(ms: number): void {
		if (!this.#databaseUp) return;
		this.#databaseUp = false;
		this.#after(ms, () => {
			this.#databaseUp = true;
		});
	}
}

const stands = ({ frozen, asleep }: Machine): boolean => frozen || asleep;
