import { expect, test } from "vitest";
import type { Event } from "#contract/event.ts";
import { human } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { noLog } from "../ports/log.ts";
import { Publisher } from "./publish.ts";
import { Tail } from "./tail.ts";

const event = (id: number): Event => ({
	...{ id, agent: null, turn: null, kind: "git.ran", text: null, data: null },
	...{ at: 0, actor: human, command: "c" },
});
const range = (first: number, last: number): Event[] =>
	Array.from({ length: last - first + 1 }, (_, at) => event(first + at));

/** A journal that grows while it is read, and what a reader of this node has seen. */
function world({ after = 0 } = {}) {
	const journal: Event[] = range(1, after);
	const publisher = new Publisher(limits);
	const told: number[] = [];
	const asked = { count: 0, fails: 0, meanwhile: () => {} };
	let look = (): void => {};
	const tail = new Tail({
		publisher,
		log: noLog,
		reads: {
			events: async (wanted) => {
				asked.count++;
				if (asked.fails-- > 0) throw new Error("away");
				const found = journal.filter(({ id }) => id > wanted.after).slice(0, wanted.limit);
				asked.meanwhile();
				return found;
			},
		},
		news: {
			follow: (call) => {
				look = call;
				return { [Symbol.asyncDispose]: async () => {} };
			},
			tell: (last) => void told.push(last),
		},
	});
	tail.start(after);
	const reader = publisher.follow();
	const seen = async (): Promise<number[]> => {
		await tail[Symbol.asyncDispose]();
		reader.nudge();
		return (await reader.next())?.map(({ id }) => id) ?? [];
	};
	const commits = (events: Event[]): void => {
		journal.push(...events);
		tail.committed(events);
	};
	return { journal, tail, told, asked, seen, commits, look: () => look() };
}

test("commits that follow each other are published without a read", async () => {
	const { commits, seen, asked, told } = world({ after: 7 });
	commits(range(8, 9));
	commits([]);
	commits(range(10, 10));
	expect(await seen()).toEqual([8, 9, 10]);
	expect([asked.count, told]).toEqual([0, [9, 10]]);
});

test("a commit behind another node's is published after it, once", async () => {
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

test("news of other nodes are read to the end, page by page", async () => {
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
