// What the real programs said, line by line, and the items that it became. The names have the version that said it: a
// new version gets a new recording.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { TurnItem } from "#contract/turn.ts";
import { vendors } from "../vendors/vendors.ts";
import { emptyTranslation, finish, translate } from "./translate.ts";

const folder = path.resolve("test/agents/recorded");
const names = readdirSync(folder);

function played(type: string) {
	const name = names.find((each) => each.startsWith(`${type}-`)) ?? "";
	let state = emptyTranslation();
	const items: TurnItem[] = [];
	for (const line of readFileSync(path.join(folder, name), "utf8").trim().split("\n")) {
		const { next, items: more } = translate(state, JSON.parse(line));
		state = next;
		items.push(...more);
	}
	const last = finish(state);
	return {
		items: [...items, ...last.items].map(({ kind, text, data }) => [kind, text, data]),
		window: state.window,
		failed: state.failed,
	};
}

test("every program has a recording, of the version that is driven", () => {
	expect(names.sort()).toEqual(Object.entries(vendors).map(([type, { version }]) => `${type}-${version}.jsonl`));
});

test("claude writes a file, and meets a limit: two turns, one after the other", () => {
	const { items, window, failed } = played("claude");
	expect(items).toEqual([
		["assistant", "I write.", null],
		// its input comes in pieces, the content last
		["tool_call", "Write a.txt", { call: "toolu_2_0", tool: "edit", input: { file_path: "/work/a.txt" } }],
		[
			"tool_result",
			"--- /work/a.txt\nhi",
			{
				...{ call: "toolu_2_0", status: "completed", output: null },
				input: { file_path: "/work/a.txt", content: "hi" },
			},
		],
		["assistant", "Written.", null],
		["assistant", "API Error: Request rejected (429) · You have hit the limit", null],
	]);
	expect({ window, failed }).toMatchObject({
		window: { used: 150, size: 1_000_000, cost: { amount: 0.00162, currency: "USD" } },
		failed: false,
	});
});

test("codex runs a command, and meets a limit", () => {
	const { items, window, failed } = played("codex");
	const warning = ["assistant", expect.stringMatching(/^Warning: Model metadata/), null];
	expect(items).toEqual([
		warning,
		["assistant", "I write.", null],
		[
			"tool_call",
			"printf '%s' 'hi' > '/work/a.txt'",
			{ call: "call_1_0", tool: "execute", input: { command: "printf '%s' 'hi' > '/work/a.txt'", cwd: "/work" } },
		],
		["tool_result", "", { call: "call_1_0", status: "completed", output: null }],
		["assistant", "Written.", null],
		[
			"assistant",
			expect.stringMatching(
				/^Warning: Model metadata[\s\S]*exceeded retry limit, last status: 429 Too Many Requests\n\n$/,
			),
			null,
		],
	]);
	expect({ window, failed }).toMatchObject({ window: { used: 150, size: 258_400 }, failed: true });
});

test("opencode writes a file", () => {
	const { items, window } = played("opencode");
	expect(items).toEqual([
		["assistant", "I write.", null],
		[
			"tool_call",
			"write",
			{ call: expect.stringMatching(/^call_\d+_0$/), tool: "edit", input: { filePath: "/work/a.txt", content: "hi" } },
		],
		[
			"tool_result",
			expect.stringContaining("Wrote file successfully."),
			expect.objectContaining({ status: "completed" }),
		],
		["assistant", "Written.", null],
	]);
	expect(window).toMatchObject({ size: 100_000 });
});

test("gemini writes a file, and tells of a call only when it is over, if nobody was asked", () => {
	const { items, window } = played("gemini");
	const call = expect.stringMatching(/^write_file__/);
	const changes = [{ path: "/work/a.txt", added: 1, deleted: 0, lines: ["+hi"] }];
	expect(items).toEqual([
		["assistant", "I write.", null],
		["tool_call", "Writing to a.txt", { call, tool: "edit", input: null }],
		["tool_result", "--- /work/a.txt\nhi", { call, status: "completed", output: null, changes }],
		["assistant", "Written.", null],
	]);
	expect(window).toBeNull();
});
