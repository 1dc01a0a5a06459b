import { expect, test } from "vitest";
import { id } from "#test/support/given.ts";
import { RunningMessages } from "./running-messages.ts";

const agent = id("a");
const piece = (kind: string, part: string, text: string) => ({ agent, turn: 1, kind, part, text });
const texts = (running: RunningMessages): string[] => running.of(agent).map(({ text }) => text);

test("a result ends the output of its own call, a message all messages", () => {
	const running = new RunningMessages();
	running.add(piece("tool_result", "1", "one"));
	running.add(piece("tool_result", "2", "two"));
	// an id may be that of a call and of a message
	running.add(piece("assistant", "1", "said"));
	running.end(agent, { kind: "tool_result", data: { call: "1" } });
	expect(texts(running)).toEqual(["two", "said"]);
	running.end(agent, { kind: "assistant", data: null });
	expect(texts(running)).toEqual(["two"]);
});

test("of output only the end is kept, of a message all", () => {
	const running = new RunningMessages();
	for (let at = 0; at < 100; at++) {
		running.add(piece("tool_result", "1", `${at}`.padEnd(1024)));
		running.add(piece("assistant", "m", `${at}`.padEnd(1024)));
	}
	expect(texts(running).map(({ length }) => length)).toEqual([8 * 1024, 100 * 1024]);
	expect(texts(running)[0]).toMatch(/^92 .*99 +$/);
});
