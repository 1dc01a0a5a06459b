// Whether this node and the others are alive, from nothing but beats and this node's own monotonic clock.
//
//   every second a beat is sent ─▶ confirmed: trusted since the moment of SENDING ─▶ nothing for 5 s: suspended, all
//   processes frozen
//                               └▶ refused: another node replaced this one ─▶ end all processes, exit
//   another node's beats stand still for 8 s, while own beats were answered all the time ─▶ it fell
//
// What always holds
//   - No clock of another machine decides anything, not even the database's: it may be set.
//   - A node freezes its processes (5 s) before anybody can count it as dead (8 s). So its slots are given away only
//     after its processes stand still. Trust counts from the sending: the answer may have been on its way for seconds.
//   - While the database is away nobody's beats are answered. So silence counts only while own beats are answered;
//     after a gap it is counted anew, and an outage kills nobody.
//   - A node whose peers have all left has nobody who could replace it: it is never suspended. Others know that of it,
//     because each beat says so, and never count its silence: it may not have heard that it is not alone any more.
//
// This file decides; `engine/nodes/` sends the beats and does what is decided.
import type { NodeId } from "#contract/node.ts";

export const nodeTimes = {
	/** between two beats */
	beatMs: 1000,
	/** without a confirmed beat for this long, the node is suspended: all its processes are frozen */
	suspendMs: 5000,
	/** a daemon that was neither confirmed nor suspended for this long stands still: its watchdog ends it */
	standstillMs: 6500,
	/** a node whose beats stand still for this long is dead */
	deadMs: 8000,
	/** own beats that are answered further apart than this prove nothing about others */
	answeredMs: 3000,
};
export type NodeTimes = typeof nodeTimes;

/** Another node, as an answer to a beat tells of it. */
export interface PeerBeat {
	node: NodeId;
	epoch: number;
	beats: number;
	/** up or draining */
	active: boolean;
	/** it was alone when it sent its last beat, or was answered that it is: it is not suspended, so it does not fall */
	alone: boolean;
}

export interface BeatAnswer {
	/** false if another node has replaced this one */
	confirmed: boolean;
	/** all other nodes that have not left */
	peers: readonly PeerBeat[];
}

/** What a node knows of itself and of the others. Times are of its own monotonic clock. */
export interface Watch {
	/** when the last confirmed beat was sent */
	trustedAt: number;
	/** how many beats were sent */
	beats: number;
	/** when the last beat was sent, and when the last answer came */
	sentAt: number | null;
	answeredAt: number | null;
	/** nobody can replace this node */
	alone: boolean;
	suspended: boolean;
	/** the last change that was seen of each other node */
	peers: ReadonlyMap<NodeId, { epoch: number; beats: number; since: number }>;
}

/** A node that is about to fall, as another node saw it last. */
export interface SilentNode {
	node: NodeId;
	epoch: number;
	beats: number;
}

export interface WatchStep {
	watch: Watch;
	/** to be done, in this order */
	acts: readonly ("beat" | "suspend" | "unsuspend" | "exit" | { fall: SilentNode })[];
}

/** Right after joining: trusted from the moment at which joining was asked for. */
export const watchFrom = (sentAt: number): Watch => ({
	...{ trustedAt: sentAt, beats: 0, sentAt: null, answeredAt: null },
	...{ alone: false, suspended: false, peers: new Map() },
});

/** Called when something is due, or more often. */
export function ticked(watch: Watch, now: number, times: NodeTimes = nodeTimes): WatchStep {
	const due = watch.sentAt === null || now - watch.sentAt >= times.beatMs;
	const suspends = !watch.suspended && !mayRun(watch, now, times);
	return {
		watch: {
			...{ ...watch, suspended: watch.suspended || suspends },
			...(due && { sentAt: now, beats: watch.beats + 1 }),
		},
		acts: [...(suspends ? ["suspend" as const] : []), ...(due ? ["beat" as const] : [])],
	};
}

/** How long nothing is due, unless an answer comes. */
export function untilDueMs(
	{ alone, suspended, sentAt, trustedAt }: Watch,
	now: number,
	times: NodeTimes = nodeTimes,
): number {
	const suspendsAt = alone || suspended ? Number.POSITIVE_INFINITY : trustedAt + times.suspendMs;
	const beatsAt = sentAt === null ? now : sentAt + times.beatMs;
	return Math.max(0, Math.min(beatsAt, suspendsAt) - now);
}

/** An answer to the `beats`-th beat, which was sent at `sentAt`. */
export function answered(
	watch: Watch,
	{ confirmed, peers }: BeatAnswer,
	{ sentAt, beats: nth, now }: { sentAt: number; beats: number; now: number },
	times: NodeTimes = nodeTimes,
): WatchStep {
	if (!confirmed) return { watch, acts: ["exit"] };
	const isAnswered = watch.answeredAt !== null && now - watch.answeredAt <= times.answeredMs;
	const active = peers.filter((peer) => peer.active);
	const seen = new Map(active.map((peer) => [peer.node, lastChange(peer, isAnswered ? watch : null, now)]));
	const silent = active.filter(({ node, alone }) => !alone && now - (seen.get(node)?.since ?? now) > times.deadMs);
	const trusting = {
		...{ ...watch, trustedAt: Math.max(watch.trustedAt, sentAt), answeredAt: now },
		// a later beat, which is on its way, has said that this node does not believe itself alone: others rely on that
		...{ alone: peers.length === 0 && (nth === watch.beats || watch.alone), peers: seen },
	};
	const resumes = watch.suspended && mayRun(trusting, now, times);
	return {
		watch: { ...trusting, suspended: watch.suspended && !resumes },
		acts: [
			...(resumes ? ["unsuspend" as const] : []),
			...silent.map(({ node, epoch, beats }) => ({ fall: { node, epoch, beats } })),
		],
	};
}

/**
 * Another active node as it was seen last. It is silent if a node that is not alone would fall now: while own beats
 * are not answered, nothing is known of others.
 */
export function lastSeen(
	{ peers, answeredAt }: Watch,
	node: NodeId,
	now: number,
	times: NodeTimes = nodeTimes,
): { epoch: number; beats: number; isSilent: boolean } | null {
	const seen = peers.get(node);
	if (seen === undefined) return null;
	const isAnswered = answeredAt !== null && now - answeredAt <= times.answeredMs;
	return { epoch: seen.epoch, beats: seen.beats, isSilent: isAnswered && now - seen.since > times.deadMs };
}

/** Whether processes may run and new work may begin. */
export const mayRun = ({ alone, trustedAt }: Watch, now: number, { suspendMs }: NodeTimes = nodeTimes): boolean =>
	alone || now - trustedAt <= suspendMs;

/**
 * Until when the processes may run if this daemon does nothing any more; null for ever. They stand still if it is
 * suspended.
 */
export const goodUntil = (
	{ alone, suspended, trustedAt }: Watch,
	{ standstillMs }: NodeTimes = nodeTimes,
): number | null => (alone || suspended ? null : trustedAt + standstillMs);

function lastChange({ node, epoch, beats }: PeerBeat, watch: Watch | null, now: number) {
	const before = watch?.peers.get(node);
	return before?.epoch === epoch && before.beats === beats ? before : { epoch, beats, since: now };
}
