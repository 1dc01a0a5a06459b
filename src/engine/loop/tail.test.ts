import { expect, test } from "vitest";
import type { Event } from "#contract/event.ts";
import { human } from "#contract/ids.ts";
import { isPlainItem } from "#contract/item-kinds.ts";
import { limits } from "#contract/limits.ts";
import { noLog } from "../ports/log.ts";
import type { LookReason } from "../ports/store.ts";
import { Publisher } from "./publish.ts";
import { Tail } from "./tail.ts";

const event = (id: number, kind = "git.ran"): Event => ({
	...{ id, agent: null, turn: null, kind, text: null, data: null },
	...{ at: 0, actor: human, command: "c" },
});
const range = (first: number, last: number): Event[] =>
	Array.from({ length: last - first + 1 }, (_, at) => event(first + at));

/** A journal that grows while it is read, and what a reader of this node has seen. */
function world({ after = 0, items = (): boolean => true } = {}) {
	const journal: Event[] = range(1, after);
	const publisher = new Publisher(limits);
	const told: number[] = [];
	const asked = { count: 0, fails: 0, meanwhile: () => {} };
	let look = (_: LookReason): void => {};
	const tail = new Tail({
		publisher,
		clock: { now: Date.now },
		log: noLog,
		reads: {
			events: async (wanted) => {
				asked.count++;
				if (asked.fails-- > 0) throw new Error("away");
				const found = journal.filter(({ id }) => id > wanted.after).slice(0, wanted.limit);
				asked.meanwhile();
				return wanted.plainItems === false ? found.filter((each) => !isPlainItem(each)) : found;
			},
			lastEvent: async () => journal.at(-1)?.id ?? 0,
		},
		notifications: {
			follow: (call) => {
				look = call;
				return { [Symbol.asyncDispose]: async () => {} };
			},
			tell: ({ last }) => void told.push(last),
		},
	});
	tail.start(after);
	const reader = publisher.follow({ items });
	const seen = async (): Promise<number[]> => {
		await tail[Symbol.asyncDispose]();
		reader.nudge();
		return (await reader.next())?.map(({ id }) => id) ?? [];
	};
	const commits = (events: Event[]): void => {
		journal.push(...events);
		tail.committed(events);
	};
	return {
		journal,
		tail,
		publisher,
		told,
		asked,
		seen,
		commits,
		look: (reason: LookReason = "events") => look(reason),
	};
}

test("commits that follow each other are published without a read", async () => {
	const { commits, seen, asked, told } = world({ after: 7 });
	commits(range(8, 9));
	commits([]);
	commits(range(10, 10));
	expect(await seen()).toEqual([8, 9, 10]);
	expect([asked.count, told]).toEqual([0, [9, 10]]);
});

test("a commit after another node's is published after it, once", async () => {
	const { journal, commits, seen, asked } = world();
	commits(range(1, 2));
	journal.push(...range(3, 5));
	commits(range(6, 7));
	expect(await seen()).toEqual([1, 2, 3, 4, 5, 6, 7]);
	expect(asked.count).toBe(1);
});

test("a commit that arrives while the journal is read is not published twice", async () => {
	const { journal, tail, look, seen, asked } = world();
	journal.push(...range(1, 3));
	asked.meanwhile = () => {
		asked.meanwhile = () => {};
		journal.push(...range(4, 4));
		tail.committed(range(4, 4));
	};
	look();
	expect(await seen()).toEqual([1, 2, 3, 4]);
});

test("events of other nodes are read to the end, page by page", async () => {
	const { journal, look, seen, asked } = world();
	journal.push(...range(1, 2500));
	look();
	look();
	expect(await seen()).toEqual(range(1, 2500).map(({ id }) => id));
	expect(asked.count).toBe(3);
});

test("a read that fails is made up for by the next look", async () => {
	const { journal, look, seen, asked } = world();
	journal.push(...range(1, 2));
	asked.fails = 1;
	look();
	expect(await seen()).toEqual([]);
	look();
	expect(await seen()).toEqual([1, 2]);
});

/** What agents say at another node, and what concerns everybody. */
const mixed = (): Event[] => [
	...[event(1, "assistant"), event(2, "turn.ended"), event(3, "tool_call")],
	...[event(4, "clear"), event(5, "assistant")],
];

test("what agents say at other nodes is not read while nobody wants it", async () => {
	const { journal, look, seen, asked, publisher } = world({ items: () => false });
	journal.push(...mixed());
	look({ first: 3, last: 3 });
	expect([await seen(), asked.count, publisher.lastPublished]).toEqual([[], 0, 0]);
	look();
	expect([await seen(), publisher.lastPublished]).toEqual([[2, 4], 5]);
});

test("what agents say at other nodes is passed over without a read where it follows what was published", async () => {
	const { journal, look, seen, asked, commits, publisher } = world({ items: () => false });
	journal.push(...[1, 2, 3, 4].map((id) => event(id, "assistant")));
	look({ first: 1, last: 3 });
	look({ first: 2, last: 4 });
	expect(publisher.lastPublished).toBe(4);
	commits([event(5)]);
	expect([await seen(), asked.count]).toEqual([[5], 0]);
	// control: one that was not told of may be anything
	journal.push(event(6), event(7, "assistant"));
	look({ first: 7, last: 7 });
	expect(publisher.lastPublished).toBe(5);
	commits([event(8)]);
	expect([await seen(), asked.count]).toEqual([[6, 8], 1]);
});

test("the look every second reads nothing while other nodes say what they add, and all that nobody said", async () => {
	const { journal, look, seen, asked } = world({ items: () => false });
	journal.push(...[1, 2, 3].map((id) => event(id, "assistant")));
	look({ first: 1, last: 2 });
	look("time");
	expect([await seen(), asked.count]).toEqual([[], 0]);
	// a gap: what is in between was not told of
	journal.push(event(4), event(5, "assistant"));
	look({ first: 5, last: 5 });
	look("time");
	expect([await seen(), asked.count]).toEqual([[4], 1]);
	// control: without such a word it reads
	const other = world({ items: () => false });
	other.journal.push(event(1));
	other.look("time");
	expect([await other.seen(), other.asked.count]).toEqual([[1], 1]);
});

test("own items after another node's wait for something that matters", async () => {
	const { journal, commits, seen, asked } = world({ items: () => false });
	journal.push(event(1, "assistant"));
	commits([event(2, "assistant")]);
	expect([await seen(), asked.count]).toEqual([[], 0]);
	commits([event(3, "turn.ended")]);
	expect([await seen(), asked.count]).toEqual([[3], 1]);
});

test("who comes while other nodes' items are passed over gets every item from there on", async () => {
	let wanted = false;
	const { journal, look, seen, asked } = world({ items: () => wanted });
	journal.push(...mixed());
	asked.meanwhile = () => {
		wanted = true;
	};
	look();
	expect([await seen(), asked.count]).toEqual([[1, 2, 3, 4, 5], 2]);
});

test("passing over other nodes' items ends with a full page, and begins there again", async () => {
	const { journal, look, seen, asked, publisher } = world({ items: () => false });
	journal.push(...range(1, 1000), ...[1, 2, 3].map((at) => event(1000 + at, "assistant")), event(1004));
	look();
	expect(await seen()).toEqual([...range(1, 1000).map(({ id }) => id), 1004]);
	expect([asked.count, publisher.lastPublished]).toEqual([2, 1004]);
});
