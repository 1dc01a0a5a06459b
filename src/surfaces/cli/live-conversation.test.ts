import { expect, test } from "vitest";
import { AgentId } from "#contract/ids.ts";
import { LiveConversation } from "./live-conversation.ts";

const agent = AgentId.parse("a".repeat(22));

function thread(columns: number | null = null) {
	const out: string[] = [];
	const live = new LiveConversation(
		null,
		(text) => out.push(text),
		false,
		() => columns,
	);
	return {
		piece: (part: string, text: string) => live.piece({ agent, turn: 1, part, kind: "assistant", text }),
		item: (kind: string, text: string | null, data: Record<string, string> | null = null) =>
			live.item({ kind, text, data }),
		out: () => out.join(""),
	};
}

test("a message that was printed while it was written is not printed again, whatever came in between", () => {
	const { piece, item, out } = thread();
	piece("1", "Fix");
	piece("1", "ed.");
	item("usage", null);
	item("assistant", "Fixed.");
	item("final", "Fixed.");
	expect(out()).toBe("  Fixed.\n");
});

test("the same words of another message are printed, and so is a message of which only a part was seen", () => {
	const { piece, item, out } = thread();
	piece("1", "Fixed.");
	item("assistant", "Fixed.");
	item("assistant", "Fixed.");
	piece("2", "Al");
	item("assistant", "All of it.");
	expect(out()).toBe("  Fixed.\n  Fixed.\n  Al\n  All of it.\n");
});

test("a call's line names the tool once, and its result is folded", () => {
	const { item, out } = thread();
	item("tool_call", "Read sum.js", { tool: "read", call: "1" });
	item("tool_result", "one\ntwo", { call: "1" });
	item("tool_call", "npm test", { tool: "execute", call: "2" });
	item("tool_result", "exit 1", { call: "2", status: "failed" });
	expect(out()).toBe("⏵ Read sum.js\n  └ two (2 lines)\n⏵ execute npm test\n  ✗ exit 1\n");
});

test("on a terminal text is wrapped at spaces while it is written, each word as soon as it is complete", () => {
	const { piece, item, out } = thread(32);
	piece("1", "The parser re");
	expect(out()).toBe("  The parser");
	piece("1", "ads all of the gram");
	expect(out()).toBe("  The parser reads all of the");
	piece("1", "mar.\n\n    indented co");
	piece("1", "de");
	item("assistant", "The parser reads all of the grammar.\n\n    indented code");
	expect(out()).toBe("  The parser reads all of the\n  grammar.\n  \n      indented code\n");
	item("user", "please look at the other parser too");
	expect(out()).toMatch(/\n› please look at the other\n {2}parser too\n$/);
});

test("a word that is longer than a line is broken at the edge, and off a terminal nothing is", () => {
	const long = "x".repeat(70);
	const { piece, item, out } = thread(32);
	piece("1", `at ${long}`);
	item("assistant", `at ${long}`);
	expect(out()).toBe(`  at ${"x".repeat(27)}\n  ${"x".repeat(30)}\n  ${"x".repeat(13)}\n`);
	const pipe = thread();
	pipe.piece("1", `The parser ${long} re`);
	expect(pipe.out()).toBe(`  The parser ${long} re`);
});
