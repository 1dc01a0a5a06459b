// The part of a conversation that is in memory: bounded, without gaps, and where its reader is.
import { expect, test } from "vitest";
import { AgentId, system } from "#contract/ids.ts";
import type { Item } from "#contract/wire.ts";
import { rangesOf } from "#views/ranges.ts";
import { Conversation } from "../../src/surfaces/tui/conversation.ts";

const [self, parent] = [AgentId.parse("A".repeat(22)), AgentId.parse("B".repeat(22))];
const forkPoint = 100;
const pageItems = 500;

const item = (id: number): Item => ({
	...{ id, agent: id <= forkPoint ? parent : self, turn: null, kind: "assistant", text: `said ${id}`, data: null },
	...{ at: "2026-01-01T00:00:00Z", actor: system, command: "" },
});

/** A conversation of so many items, of which the mirror keeps the last 1,000. */
function world(count: number) {
	const all = Array.from({ length: count }, (_, at) => item(at + 1));
	const live = all.slice(-1000);
	// the parent went on after the fork
	const threads = new Map([
		[self, all.filter(({ agent }) => agent === self)],
		[
			parent,
			[...all.filter(({ agent }) => agent === parent), { ...item(forkPoint), id: forkPoint + 1, text: "later" }],
		],
	]);
	const conversation = new Conversation(self, {
		live: () => live,
		ranges: () => rangesOf(self, (of) => (of === self ? { agent: parent, forkPoint } : null)),
		read: async (of, where) => {
			const thread = threads.get(of) ?? [];
			return "before" in where
				? thread.filter(({ id }) => id < where.before).slice(-pageItems)
				: thread.filter(({ id }) => id > where.after).slice(0, pageItems);
		},
	});
	const say = (): void => {
		const next = item(all.length + 1);
		all.push(next);
		live.push(next);
		conversation.add(next);
	};
	return { conversation, all, say };
}

const ids = ({ blocks }: Conversation): number[] => blocks.map(({ id }) => id);
const isDense = (of: readonly number[]): boolean => of.every((id, at) => at === 0 || id === (of[at - 1] ?? 0) + 1);

test("reading to the beginning and back keeps a bounded part, without gaps, and ends where the agent is", async () => {
	const { conversation, all, say } = world(10_000);
	let most = 0;
	for (let step = 0; conversation.hasOlder; step++) {
		await conversation.older();
		say();
		most = Math.max(most, conversation.blocks.length);
		expect(isDense(ids(conversation))).toBe(true);
		expect(step).toBeLessThan(100);
	}
	expect(ids(conversation)[0]).toBe(1);
	expect(conversation.blocks.filter(({ isInherited }) => isInherited)).toHaveLength(forkPoint);
	expect(conversation.isDetached).toBe(true);
	for (let step = 0; conversation.isDetached; step++) {
		await conversation.newer();
		most = Math.max(most, conversation.blocks.length);
		expect(isDense(ids(conversation))).toBe(true);
		expect(step).toBeLessThan(100);
	}
	expect(ids(conversation).at(-1)).toBe(all.length);
	expect(most).toBeGreaterThan(1000);
	expect(most).toBeLessThanOrEqual(3000);
});

test("the beginning and any place are loaded at once, and following comes back to the end", async () => {
	const { conversation, all, say } = world(10_000);
	await conversation.top();
	expect(ids(conversation)[0]).toBe(1);
	// what the fork inherited does not fill a page
	expect(isDense(ids(conversation))).toBe(true);
	expect(conversation.blocks.length).toBeGreaterThan(2 * forkPoint);
	await conversation.around(5000);
	expect(conversation.covers(5000)).toBe(true);
	expect(conversation.covers(9000)).toBe(false);
	expect(isDense(ids(conversation))).toBe(true);
	// nothing is added under a reader who is elsewhere
	const before = ids(conversation);
	say();
	expect(ids(conversation)).toEqual(before);
	conversation.follow();
	expect(ids(conversation).at(-1)).toBe(all.length);
	say();
	expect(ids(conversation).at(-1)).toBe(all.length);
});

test("all of it is read beside the window, up to a bound that is told", async () => {
	const { conversation, all } = world(10_000);
	const before = ids(conversation);
	const whole = await conversation.whole(20_000);
	expect({ isCut: whole.isCut, ids: whole.blocks.map(({ id }) => id) }).toEqual({
		isCut: false,
		ids: all.map(({ id }) => id),
	});
	const part = await conversation.whole(3000);
	expect(part).toMatchObject({ isCut: true });
	expect(part.blocks.map(({ id }) => id)).toEqual(all.slice(-3000).map(({ id }) => id));
	expect(ids(conversation)).toEqual(before);
	// a short one is whole though nobody scrolled to its beginning
	expect(await world(3).conversation.whole(3)).toMatchObject({ isCut: false });
});
