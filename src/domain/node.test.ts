import { expect, test } from "vitest";
import { NodeId } from "#contract/node.ts";
import { answered, lastSeen, nodeTimes, ticked, untilDueMs, type Watch, watchFrom } from "./node.ts";

test("a node wakes up when something is due, and nothing is due before", () => {
	const joined = watchFrom(1000);
	expect(untilDueMs(joined, 1000)).toBe(0);
	const { watch, acts } = ticked(joined, 1000);
	expect([acts, untilDueMs(watch, 1000)]).toEqual([["beat"], nodeTimes.beatMs]);
	expect(ticked(watch, 1000 + nodeTimes.beatMs - 1).acts).toEqual([]);
	expect(ticked(watch, 1000 + nodeTimes.beatMs).acts).toEqual(["beat"]);
	// the last beat before it has to be suspended was just sent
	const silent = { ...watch, sentAt: 1000 + nodeTimes.suspendMs - 10 };
	expect(untilDueMs(silent, 1000 + nodeTimes.suspendMs - 10)).toBe(10);
	expect(ticked(silent, 1001 + nodeTimes.suspendMs).acts).toEqual(["suspend"]);
	for (const calm of [{ alone: true }, { suspended: true }])
		expect(untilDueMs({ ...silent, ...calm }, 1000 + nodeTimes.suspendMs)).toBe(nodeTimes.beatMs - 10);
});

test("a node is silent when its beats stand still, also one that may be alone; not while own beats are unanswered", () => {
	const peer = { node: NodeId.parse("peer"), epoch: 1, beats: 7, active: true, alone: true };
	const hear = (watch: Watch, now: number) =>
		answered(watch, { confirmed: true, peers: [peer] }, { sentAt: now, beats: watch.beats, now });
	let watch = watchFrom(0);
	for (let now = 0; now <= nodeTimes.deadMs; now += nodeTimes.beatMs) ({ watch } = hear(watch, now));
	expect(lastSeen(watch, peer.node, nodeTimes.deadMs)).toEqual({ epoch: 1, beats: 7, isSilent: false });
	const step = hear(watch, nodeTimes.deadMs + 1);
	// it does not fall by itself
	expect(step.acts).toEqual([]);
	expect(lastSeen(step.watch, peer.node, nodeTimes.deadMs + 1)?.isSilent).toBe(true);
	const away = nodeTimes.deadMs + 1 + nodeTimes.answeredMs + 1;
	expect(lastSeen(step.watch, peer.node, away)?.isSilent).toBe(false);
	expect(lastSeen(hear(step.watch, away).watch, peer.node, away)?.isSilent).toBe(false);
	expect(lastSeen(watch, NodeId.parse("nobody"), 0)).toBe(null);
});
