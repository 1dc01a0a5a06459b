import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LiveMessage } from "#contract/stream.ts";
import { id } from "#test/support/given.ts";
import { RunningOutput } from "./running-output.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const watched = () => {
	const sent: LiveMessage[] = [];
	return { sent, running: new RunningOutput({ id: 7, agent: id("a") }, (message) => sent.push(message)) };
};
const piece = (part: string, text: string) => ({ agent: id("a"), turn: 7, part, kind: "tool_result", text });
const result = (call: string) => ({ kind: "tool_result" as const, text: "", data: { call } });

test("the new output of each open call is sent four times a second, however often it changes", () => {
	const { sent, running } = watched();
	for (let at = 1; at <= 100; at++) {
		running.add("one", () => "1\n".repeat(at));
		if (at === 50) running.add("two", () => "other");
		vi.advanceTimersByTime(10);
	}
	expect(sent).toEqual([
		{ delta: piece("one", "1\n".repeat(25)) },
		{ delta: piece("one", "1\n".repeat(25)) },
		{ delta: piece("two", "other") },
		{ delta: piece("one", "1\n".repeat(25)) },
		{ delta: piece("one", "1\n".repeat(25)) },
	]);
});

test("of much output only the end is sent, and output that was changed replaces what was sent", () => {
	const { sent, running } = watched();
	const put = (output: string): void => {
		running.add("one", () => output);
		vi.advanceTimersByTime(250);
	};
	put(`${"x".repeat(1_000_000)}end`);
	put(`${"x".repeat(1_000_000)}end`);
	put("50 %");
	put("60 %");
	expect(sent).toEqual([
		{ delta: piece("one", `${"x".repeat(8189)}end`) },
		{ soFar: piece("one", "50 %") },
		{ soFar: piece("one", "60 %") },
	]);
});

test("nothing is sent of a call that has ended, or after the turn", () => {
	const { sent, running } = watched();
	running.add("one", () => "quick");
	running.add("two", () => "slow");
	running.over(result("one"));
	vi.advanceTimersByTime(250);
	running.add("two", () => "slow, and more");
	running[Symbol.dispose]();
	vi.advanceTimersByTime(1000);
	expect(sent).toEqual([{ delta: piece("two", "slow") }]);
});
