// The agent type `scripted`: each line of the prompt is an instruction; any other line is repeated as a message. It
// needs no key and no network: for a first try, the demo and tests.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LimitMet, serveAgent, TurnFailed } from "./acp-agent.ts";
import { askDaemon, waitForAgents } from "./daemon-client.ts";
import { runShell } from "./run-shell.ts";
import type { TurnReporter } from "./turn-reporter.ts";

type Instruction = (rest: string, reporter: TurnReporter) => Promise<void>;

const instructions: Record<string, Instruction> = {
	say: (text, reporter) => reporter.say(text),
	run: (command, reporter) => reporter.tool(command, "execute", (soFar) => runShell(command, reporter.signal, soFar)),
	ask: (question, reporter) => reporter.ask(question, async () => "allowed"),
	commit: (message, reporter) => reporter.tool("commit", "other", () => commit(message)),
	work_complete: (summary, reporter) => reporter.tool("work_complete", "other", () => completeWork(summary)),
	wait: (rest, reporter) => reporter.tool(`wait ${rest}`, "other", () => wait(rest, reporter.signal)),
	write: (rest, reporter) => reporter.tool(`write ${rest.split(" ", 1)[0]}`, "edit", async () => write(rest)),
	sleep: async (ms, reporter) => void (await pause(Number(ms), undefined, { signal: reporter.signal })),
	fork: (prompt, reporter) => reporter.tool("fork", "other", () => fork(prompt)),
	send: (rest, reporter) => reporter.tool("send", "other", () => send(rest)),
	fail: async (message) => {
		throw new TurnFailed(message || "told to fail");
	},
	crash: async () => process.exit(1),
	orphan: async (_, reporter) => {
		spawn("/bin/sh", ["-c", "sleep 1000"], { detached: true, stdio: "ignore" }).unref();
		await reporter.say("left a process behind");
	},
	flood,
	limit,
	spend,
};

let spentInPrompt = 0;
let limitedUntil: number | null = null;

/**
 * `limit SECONDS`: reports a usage limit for this time; after it the same instruction succeeds. `SCRIPTED_LIMIT=off`
 * lifts it.
 */
async function limit(seconds: string, reporter: TurnReporter): Promise<void> {
	const now = performance.timeOrigin + performance.now();
	const over = limitedUntil !== null && limitedUntil <= now;
	limitedUntil ??= now + Number(seconds) * 1000;
	if (!over && process.env["SCRIPTED_LIMIT"] !== "off") throw new LimitMet(limitedUntil);
	limitedUntil = null;
	await reporter.say("no limit now");
}

let sessionCost = 0;

/** `spend TOKENS [DOLLARS]`: as if a model had been asked */
async function spend(rest: string, reporter: TurnReporter): Promise<void> {
	const [tokens = 0, dollars = 0] = rest.split(" ").map(Number);
	sessionCost += dollars;
	spentInPrompt += tokens;
	const counts = { inputTokens: spentInPrompt, outputTokens: 0, totalTokens: spentInPrompt };
	await reporter.used({
		...counts,
		cachedReadTokens: 0,
		cachedWriteTokens: 0,
		...(sessionCost > 0 && { sessionCost }),
	});
}

async function flood(bytes: string, reporter: TurnReporter): Promise<void> {
	const line = `${"x".repeat(1023)}\n`;
	for (let left = Number(bytes), at = 0; left > 0 && !reporter.signal.aborted; left -= line.length, at++)
		await reporter.chunk(`flood-${Math.floor(at / 64)}`, line.slice(0, left));
}

/** Only inside the agent's own folder. */
function write(rest: string): string {
	const [, name = "", text = ""] = /^(\S+)(?: ([\s\S]*))?$/.exec(rest) ?? [];
	const file = path.resolve(name);
	if (name === "" || !file.startsWith(process.cwd() + path.sep)) throw new Error(`${name} is not in this folder.`);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, `${text}\n`);
	return `wrote ${name}`;
}

/** `wait AGENT|children [SECONDS]` */
async function wait(rest: string, signal: AbortSignal): Promise<string> {
	const [, whom = "", seconds] = /^(\S+)(?: +([\d.]+))? *$/.exec(rest) ?? [];
	if (whom === "") throw new Error("Say: wait AGENT|children [SECONDS].");
	const timeout = seconds === undefined ? {} : { timeoutMs: Math.round(Number(seconds) * 1000) };
	return await waitForAgents(
		whom === "children" ? { children: true, ...timeout } : { agents: [whom], ...timeout },
		signal,
	);
}

async function send(rest: string): Promise<string> {
	const [, to = "", body = ""] = /^(\S+) ([\s\S]+)$/.exec(rest) ?? [];
	return String((await askDaemon("send", { params: { agent: to }, body: { body } })).id);
}

async function commit(message: string): Promise<string> {
	return (await askDaemon("commit", { body: { message } })).commit ?? "";
}

async function fork(prompt: string): Promise<string> {
	const { handle, id } = await askDaemon("fork", { body: { prompt } });
	return `${handle} ${id}`;
}

async function completeWork(summary: string): Promise<string> {
	await askDaemon("workComplete", { params: { issue: "mine" }, body: { summary } });
	return "reported";
}

serveAgent("scripted", async (prompt, reporter) => {
	spentInPrompt = 0;
	for (const line of prompt.split("\n")) {
		if (reporter.signal.aborted) return;
		const [, word = "", rest = ""] = /^(\S+)(?: (.*))?$/.exec(line) ?? [];
		const instruction = Object.hasOwn(instructions, word) ? instructions[word] : undefined;
		if (instruction !== undefined) await instruction(rest, reporter);
		else if (line.trim() !== "") await reporter.say(line);
	}
});
