// What the real programs said, line by line, and the items that it became. The names have the version that said it: a new
// version gets a new recording.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { TurnItem } from "#contract/turn.ts";
import { vendors } from "../vendors.ts";
import { finish, silence, translate } from "./translate.ts";

const folder = path.resolve("test/agents/recorded");
const names = readdirSync(folder);

function played(type: string) {
	const name = names.find((each) => each.startsWith(`${type}-`)) ?? "";
	let state = silence;
	const items: TurnItem[] = [];
	for (const line of readFileSync(path.join(folder, name), "utf8").trim().split("\n")) {
		const { next, items: more } = translate(state, JSON.parse(line));
		state = next;
		items.push(...more);
	}
	const last = finish(state);
	return { items: [...items, ...last.items].map(({ kind, text, data }) => [kind, text, data]), window: state.window, failed: state.failed };
}

test("every recording is of the version that is driven", () => {
	expect(names).toEqual(["claude", "codex", "opencode"].map((type) => `${type}-${vendors[type]?.version}.jsonl`));
});

test("claude writes a file", () => {
	const { items, window, failed } = played("claude");
	expect(items).toEqual([
		["assistant", "I write.", null],
		["tool_call", "Write a.txt", { call: "toolu_2_0", tool: "edit", input: { file_path: "/work/a.txt", content: "hi" } }],
		["tool_result", "--- /work/a.txt\nhi", { call: "toolu_2_0", status: "completed", output: null }],
		["assistant", "Written.", null],
	]);
	expect({ window, failed }).toMatchObject({ window: { used: 150, size: 1_000_000, cost: { amount: 0.00324, currency: "USD" } }, failed: false });
});

test("codex runs a command that fails, and meets a limit: two turns, one after the other", () => {
	expect(played("codex")).toMatchObject({
		items: [
			["assistant", "I write.", null],
			["tool_call", "echo hi > a.txt", { call: "call_1_0", tool: "execute", input: { command: "echo hi > a.txt", cwd: "/work" } }],
			["tool_result", "bwrap: execvp codex-linux-sandbox: No such file or directory\n", { call: "call_1_0", status: "failed", output: null }],
			["assistant", "Written.", null],
			["assistant", "exceeded retry limit, last status: 429 Too Many Requests\n\n", null],
		],
		failed: true,
	});
});

test("opencode writes a file", () => {
	expect(played("opencode").items).toEqual([
		["assistant", "I write.", null],
		["tool_call", "write", { call: "call_2_0", tool: "edit", input: { filePath: "/work/a.txt", content: "hi" } }],
		["tool_result", "Wrote file successfully.", expect.objectContaining({ call: "call_2_0", status: "completed" })],
		["assistant", "Written.", null],
	]);
});
