// Beats, and does what `domain/node.ts` decides from the answers: suspends this node, ends the suspension, says
// that another node fell, or gives up because another node replaced this one.
//
// It must never wait for anything but its own beats: a batch that hangs, a slow git or a full disk must not keep this
// node from being suspended in time. What it starts (a fall, an end of processes) runs beside it.
import type { NodeEpoch, NodeId } from "#contract/node.ts";
import type { Phases } from "#contract/turn.ts";
import {
	answered,
	goodUntil,
	lastSeen,
	nodeTimes,
	type SilentNode,
	ticked,
	untilDueMs,
	type Watch,
	type WatchStep,
	watchFrom,
} from "#domain/node.ts";
import { monotonicNow } from "../ports/clock.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import type { Driver } from "../ports/driver.ts";
import { caught, type Log } from "../ports/log.ts";
import { StoreFault } from "../ports/store.ts";
import type { Beats, Watchdog } from "../ports/store-nodes.ts";
import type { NodeClock } from "./node-clock.ts";
import type { NodeSuspension } from "./suspension.ts";

/** between two looks at the least: timers are a little early at times */
const tickMsMin = 5;
/** processes that were just being started when the others were frozen are found by looking again */
const freezeAgainMs = 300;
/** after this long without an answer people are told */
const tellMs = 3000;

export interface NodeWatchParts {
	beats: Beats;
	as: NodeEpoch;
	suspension: NodeSuspension;
	driver: Pick<Driver, "freezeAll" | "thawAll"> | null;
	watchdog: Watchdog | null;
	dispatch: Dispatch;
	clock: NodeClock;
	log: Log;
}

/** What is known of the database through beats. */
export interface DatabaseView {
	/** how long no beat was answered; null while they are */
	unansweredMs: number | null;
	/** of the last beats, the middle one */
	roundTripMs: number | null;
	/** by how much the database's clock is ahead of this machine's */
	clockOffsetMs: number | null;
}

export class NodeWatch implements AsyncDisposable {
	/** settles when another node has replaced this one */
	readonly fenced: Promise<StoreFault>;
	readonly #fence = Promise.withResolvers<StoreFault>();
	/** settles when the first beat was answered, or was not */
	readonly first: Promise<void>;
	readonly #parts: NodeWatchParts;
	#timer: ReturnType<typeof setTimeout> | undefined;
	readonly #falls = new Map<string, Promise<void>>();
	#watch: Watch;
	#frozenAt = 0;
	#trips: number[] = [];
	#offsetMs: number | null = null;
	#stopped = false;
	#lastBeat: Promise<void> = Promise.resolve();
	#ownPhases: () => Phases = () => ({});
	#othersPhases: Phases = {};

	/** `joinedAt` is the moment at which joining was asked for. */
	constructor(parts: NodeWatchParts, joinedAt: number) {
		this.#parts = parts;
		this.fenced = this.#fence.promise;
		this.#watch = watchFrom(joinedAt);
		this.#tick();
		this.first = this.#lastBeat;
	}

	get database(): DatabaseView {
		const unansweredMs = this.#now() - (this.#watch.answeredAt ?? this.#watch.trustedAt);
		return { unansweredMs: unansweredMs > tellMs ? unansweredMs : null, ...this.#measured() };
	}

	/** The phases of the turns of other nodes, as their last beats told. */
	get othersPhases(): Phases {
		return this.#othersPhases;
	}

	/** From now on the beats tell the phases of this node's turns. */
	tellPhases(own: () => Phases): void {
		this.#ownPhases = own;
	}

	/** Another active node as this one saw it last. */
	lastSeen(node: NodeId): ReturnType<typeof lastSeen> {
		return lastSeen(this.#watch, node, this.#now());
	}

	/** The active node with the smallest id does what one node does for all. Two at once do no harm. */
	isCoordinator(): boolean {
		return [...this.#watch.peers.keys()].every((other) => other > this.#parts.as.node);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopped = true;
		clearTimeout(this.#timer);
		this.#parts.watchdog?.goodFor(null);
		await Promise.all(this.#falls.values());
	}

	#now(): number {
		return monotonicNow(this.#parts.clock.own);
	}

	#tick(): void {
		if (this.#stopped) return;
		const now = this.#now();
		this.#do(ticked(this.#watch, now));
		if (this.#watch.suspended && now - this.#frozenAt >= freezeAgainMs) this.#freezeAll(now);
		this.#tickWhenDue(now);
	}

	/** A node that waits wakes up only for what it has to do: there may be many of them on a machine. */
	#tickWhenDue(now: number): void {
		if (this.#stopped) return;
		const dueMs = untilDueMs(this.#watch, now);
		const nextMs = this.#watch.suspended ? Math.min(dueMs, freezeAgainMs) : dueMs;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#tick(), Math.max(tickMsMin, Math.ceil(nextMs)));
	}

	#do({ watch, acts }: WatchStep): void {
		this.#watch = watch;
		for (const act of acts) {
			if (act === "beat") this.#lastBeat = this.#beat();
			else if (act === "suspend") this.#suspend();
			else if (act === "unsuspend") this.#unsuspend();
			else if (act === "exit") this.#giveUp();
			else this.#fall(act.fall);
		}
	}

	async #beat(): Promise<void> {
		const { beats: nth, alone, sentAt } = this.#watch;
		const [sent, sentWall] = [this.#now(), this.#parts.clock.own.now()];
		try {
			const mine = { beats: nth, alone, phases: this.#ownPhases(), ...this.#measured() };
			const answer = await this.#parts.beats.beat(this.#parts.as, mine);
			const now = this.#now();
			if (this.#stopped) return;
			this.#othersPhases = answer.phases;
			this.#trips = [...this.#trips, now - sent].slice(-31);
			if (answer.databaseNow !== null) this.#compareClocks(answer.databaseNow - sentWall, now - sent);
			this.#do(answered(this.#watch, answer, { sentAt: sentAt ?? sent, beats: nth, now }));
			this.#tickWhenDue(now);
			const until = goodUntil(this.#watch);
			this.#parts.watchdog?.goodFor(until === null ? null : until - now);
		} catch (error) {
			this.#parts.log.debug("nodes", "A beat was not answered", {}, error);
		}
	}

	#measured(): Omit<DatabaseView, "unansweredMs"> {
		const trips = [...this.#trips].sort((a, b) => a - b);
		const whole = (ms: number | null | undefined): number | null => (ms == null ? null : Math.round(ms));
		return { roundTripMs: whole(trips[trips.length >> 1]), clockOffsetMs: whole(this.#offsetMs) };
	}

	#compareClocks(aheadMs: number, roundTripMs: number): void {
		this.#offsetMs = aheadMs - roundTripMs / 2;
		this.#parts.clock.measured(this.#offsetMs, roundTripMs);
	}

	#suspend(): void {
		const now = this.#now();
		this.#parts.log.warn(
			"nodes",
			`No beat was confirmed for ${nodeTimes.suspendMs / 1000} s: all processes are frozen`,
		);
		this.#parts.suspension.begin(this.#parts.clock.now());
		// the daemon itself decides from here on: it may be suspended for a minute
		this.#parts.watchdog?.goodFor(null);
		this.#freezeAll(now);
	}

	#freezeAll(now: number): void {
		this.#frozenAt = now;
		this.#parts.driver?.freezeAll();
	}

	#unsuspend(): void {
		this.#parts.log.info("nodes", "The database answers again: all processes go on");
		this.#parts.suspension.end();
		this.#parts.driver?.thawAll();
	}

	#giveUp(): void {
		this.#stopped = true;
		clearTimeout(this.#timer);
		this.#parts.suspension.begin(this.#parts.clock.now());
		this.#freezeAll(this.#now());
		this.#fence.resolve(new StoreFault("fenced", "Another node has replaced this one."));
	}

	#fall(silent: SilentNode): void {
		const name = `${silent.node} ${silent.epoch}`;
		if (this.#falls.has(name)) return;
		const { dispatch, log } = this.#parts;
		log.warn("nodes", `Node ${silent.node} stopped answering`, { epoch: silent.epoch });
		const done = dispatch(bySystem({ type: "node.fall", ...silent })).then(
			() => {},
			caught(log, "nodes", "A node that stopped answering could not be declared down; retrying"),
		);
		this.#falls.set(
			name,
			done.finally(() => this.#falls.delete(name)),
		);
	}
}
