import { expect, test } from "vitest";
import type { Event } from "#contract/event.ts";
import { system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { id } from "#test/support/given.ts";
import { type EventReader, Publisher } from "./publish.ts";

const event = (id: number): Event => ({
	id,
	agent: null,
	turn: null,
	kind: "x.happened",
	text: null,
	data: null,
	at: 0,
	actor: system,
	command: "c",
});
const events = (...ids: number[]): Event[] => ids.map(event);

const watch = (publisher: Publisher): EventReader => publisher.follow();

test("a reader gets everything published since it came, in order", async () => {
	const publisher = new Publisher(limits);
	publisher.publish(events(1));
	const reader = watch(publisher);
	publisher.publish(events(2, 3));
	publisher.publish(events(4));
	expect(await reader.next()).toEqual(events(2, 3, 4));
	const waiting = reader.next();
	publisher.publish(events(5));
	expect(await waiting).toEqual(events(5));
});

test("a reader that falls too far behind is cut and told where to resume; the others are not", async () => {
	const publisher = new Publisher({ ...limits, backlogEventsMax: 3 });
	const slow = watch(publisher);
	const quick = watch(publisher);
	publisher.publish(events(1, 2));
	expect(await slow.next()).toEqual(events(1, 2));
	expect(await quick.next()).toEqual(events(1, 2));
	publisher.publish(events(3, 4));
	expect(await quick.next()).toEqual(events(3, 4));
	publisher.publish(events(5, 6));
	expect(await slow.next()).toBeNull();
	expect(slow.cutAfter).toBe(2);
	expect(await quick.next()).toEqual(events(5, 6));
	expect(quick.cutAfter).toBeNull();
});

test("a reader that is cut before it read anything resumes where it came, not at the beginning", async () => {
	const publisher = new Publisher({ ...limits, backlogEventsMax: 1 });
	publisher.startAfter(7);
	const early = watch(publisher);
	publisher.publish(events(8));
	const late = watch(publisher);
	publisher.publish(events(9, 10));
	expect(await early.next()).toBeNull();
	expect([early.cutAfter, late.cutAfter]).toEqual([7, 8]);
});

test("pieces of what is being said come live, and are dropped where nobody takes them", () => {
	const publisher = new Publisher(limits);
	const reader = watch(publisher);
	const delta = { agent: id("a"), turn: 1, part: "m", kind: "assistant", text: "x".repeat(1024) };
	publisher.live({ delta });
	expect(reader.takeLive(), "nobody asked for them").toEqual([]);
	reader.onLive(() => {});
	for (let at = 0; at < 5000; at++) publisher.live({ delta });
	expect(reader.takeLive()).toHaveLength(1025);
	expect(reader.takeLive()).toEqual([]);
});

test("a reader that leaves gets nothing more, and leaves twice without harm", async () => {
	const publisher = new Publisher(limits);
	const reader = watch(publisher);
	reader[Symbol.dispose]();
	reader[Symbol.dispose]();
	publisher.publish(events(1));
	expect(await reader.next()).toBeNull();
	expect(reader.cutAfter).toBeNull();
});
