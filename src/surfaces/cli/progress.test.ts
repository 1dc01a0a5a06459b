import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withProgress } from "./progress.ts";

const isTerminal = Object.getOwnPropertyDescriptor(process.stderr, "isTTY");
const terminal = (value: boolean): void =>
	void Object.defineProperty(process.stderr, "isTTY", { value, configurable: true });

beforeEach(() => {
	vi.useFakeTimers();
	vi.stubEnv("TERM", "xterm");
});
afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllEnvs();
	if (isTerminal === undefined) Reflect.deleteProperty(process.stderr, "isTTY");
	else Object.defineProperty(process.stderr, "isTTY", isTerminal);
});

/** What is written while a request takes so long. */
async function written(path: string, ms: number, { method = "POST", fails = false } = {}): Promise<string> {
	const texts: string[] = [];
	const send = withProgress(
		async () => {
			await new Promise((resolve) => setTimeout(resolve, ms));
			if (fails) throw new Error("no");
			return { ok: true, text: async () => "{}", chunks: (async function* () {})() };
		},
		(text) => texts.push(text),
	);
	const answer = send(`http://127.0.0.1:1${path}`, { method, headers: {} }).catch(() => null);
	await vi.advanceTimersByTimeAsync(ms);
	await answer;
	return texts.join("");
}

const line = (text: string): string => `\r\u001B[K${text}`;

test("a request that takes longer than a second says what it does and how long, and leaves nothing behind", async () => {
	terminal(true);
	expect(await written("/api/backup", 2500)).toBe(
		line("writing the backup … 1 s") + line("writing the backup … 2 s") + line(""),
	);
	expect(await written("/api/projects", 1500, { fails: true })).toBe(line("adding the project … 1 s") + line(""));
});

test("a quick one says nothing; nor one that waits for agents, one without a terminal, and one for a script", async () => {
	terminal(true);
	expect(await written("/api/backup", 900)).toBe("");
	expect(await written("/api/waits", 5000)).toBe("");
	terminal(false);
	expect(await written("/api/backup", 5000)).toBe("");
	terminal(true);
	vi.stubEnv("TERM", "dumb");
	expect(await written("/api/backup", 5000)).toBe("");
	vi.stubEnv("TERM", "xterm");
	const { argv } = process;
	process.argv = [...argv, "--json"];
	expect(await written("/api/backup", 5000)).toBe("");
	process.argv = argv;
});
