import { expect, test } from "vitest";
import { NodeId } from "#contract/node.ts";
import { databaseProblems } from "#views/database.ts";
import { noLog } from "../ports/log.ts";
import type { Beats } from "../ports/store-nodes.ts";

import { NodeClock } from "./node-clock.ts";
import { NodeWatch } from "./node-watch.ts";
import { NodeSuspension } from "./suspension.ts";

const [first, second, third] = ["a", "b", "c"].map((word) => NodeId.parse(word));
if (first === undefined || second === undefined || third === undefined) throw new Error("three ids");

/** A node that is told of these others, by a database whose clock is ahead of its own. */
async function watchAs(node: NodeId, others: readonly NodeId[], aheadMs: number) {
	const own = { now: () => 1_000_000, monotonic: () => 5000 };
	const beats: Beats = {
		beat: async () => ({
			confirmed: true,
			peers: others.map((each) => ({ node: each, epoch: 1, beats: 1, active: true, alone: false })),
			phases: {},
			databaseNow: own.now() + aheadMs,
		}),
		last: async () => [],
		examine: async () => healthy,
	};
	const clock = new NodeClock(own);
	const parts = {
		beats,
		as: { node, epoch: 1 },
		suspension: new NodeSuspension(),
		driver: null,
		watchdog: null,
		clock,
		log: noLog,
	};
	const watch = new NodeWatch({ ...parts, dispatch: async () => Promise.reject(new Error("nobody falls")) }, 5000);
	await watch.first;
	return { watch, clock };
}

const healthy = {
	receivesNotifications: true,
	unsafe: [],
	losesAtFailover: false,
	connectionsFree: 50,
	idleInTransactionS: 0,
	idleInTransactionPid: null,
	writerLock: null,
	sessionsUnseen: 0,
};

test("the active node with the smallest id is the coordinator", async () => {
	for (const [node, others, coordinates] of [
		[first, [], true],
		[first, [second, third], true],
		[second, [third], true],
		[second, [first, third], false],
		[third, [first, second], false],
	] as const) {
		const { watch } = await watchAs(node, others, 0);
		await using _ = watch;
		expect([node, others.length, watch.isCoordinator()]).toEqual([node, others.length, coordinates]);
	}
});

test("a clock that differs is corrected, and `doctor` tells of more than two seconds", async () => {
	for (const [aheadMs, told] of [
		[0, []],
		[1900, []],
		[3500, ["this machine's clock is 3.5 s behind the database's"]],
		[-3500, ["this machine's clock is 3.5 s ahead of the database's"]],
	] as const) {
		const { watch, clock } = await watchAs(first, [], aheadMs);
		await using _ = watch;
		expect(watch.database.clockOffsetMs).toBe(aheadMs);
		expect(clock.now()).toBe(1_000_000 + aheadMs);
		expect(databaseProblems(healthy, watch.database, []).map(({ text }) => text)).toEqual(told);
	}
});
