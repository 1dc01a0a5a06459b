import { expect, test } from "vitest";
import { Event } from "#contract/event.ts";
import { limits } from "#contract/limits.ts";
import { Publisher } from "./publish.ts";
import { until } from "./until.ts";

const event = (id: number, kind = "turn.ended"): Event =>
	Event.parse({ id, agent: null, turn: null, kind, text: null, data: null, at: 0, actor: "system", command: "c" });

function world({ backlogEventsMax = 10 } = {}) {
	const publisher = new Publisher({ ...limits, backlogEventsMax });
	const seen = { state: "open", looks: 0 };
	const look = async (): Promise<string | null> => {
		seen.looks++;
		return seen.state === "open" ? null : seen.state;
	};
	return { publisher, seen, look };
}

test("what is so already is answered by the first look", async () => {
	const { publisher, look, seen } = world();
	seen.state = "done";
	expect([await until(publisher, look), seen.looks]).toEqual(["done", 1]);
});

test("looks again after an event that matters, and after no other", async () => {
	const { publisher, look, seen } = world();
	const answer = until(publisher, look, { matters: ({ kind }) => kind === "turn.ended" });
	await turnOfTheLoop();
	publisher.publish([event(1, "mail.sent")]);
	await turnOfTheLoop();
	expect(seen.looks).toBe(1);
	seen.state = "done";
	publisher.publish([event(2)]);
	expect([await answer, seen.looks]).toEqual(["done", 2]);
});

test("a waiter that was cut off begins again with a look", async () => {
	const { publisher, look, seen } = world({ backlogEventsMax: 1 });
	const answer = until(publisher, look);
	await turnOfTheLoop();
	seen.state = "done";
	publisher.publish([event(1), event(2), event(3)]);
	expect(await answer).toBe("done");
});

test("a deadline and a signal end it with null", async () => {
	const { publisher, look } = world();
	expect(await until(publisher, look, { timeoutMs: 1 })).toBeNull();
	const stop = new AbortController();
	const answer = until(publisher, look, { signals: [stop.signal] });
	stop.abort();
	expect(await answer).toBeNull();
	expect(await until(publisher, look, { signals: [stop.signal] })).toBeNull();
});

const turnOfTheLoop = (): Promise<void> => new Promise((resume) => setImmediate(resume));
