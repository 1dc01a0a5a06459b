// Agents as they should not be: `bad-agent.ts
// garbage|closes|silent|flood|exits|slow-to-go|leaves|stubborn|calls|long-line|noise|asks|deaf`.
import { spawn } from "node:child_process";
import { appendFileSync, closeSync } from "node:fs";
import { createInterface } from "node:readline";

const how = process.argv[2];
appendFileSync("starts", "x");
if (how === "exits") process.exit(1);

if (how === "stubborn")
	for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => appendFileSync("signals", `${name}\n`));

if (how === "slow-to-go") {
	process.on("SIGTERM", () => {
		appendFileSync("going", "x");
		setTimeout(() => process.exit(0), 300);
	});
}

const write = (message: object): boolean => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (text: string, messageId: string): boolean =>
	write({
		method: "session/update",
		params: {
			sessionId: "s",
			update: { sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } },
		},
	});

const tell = (what: object): boolean => write({ method: "session/update", params: { sessionId: "s", update: what } });

createInterface({ input: process.stdin }).on("line", (line) => {
	const { id, method } = JSON.parse(line);
	if (how === "garbage") process.stdout.write('\0\xff not json\n[1,2]\n42\n\n{"jsonrpc":"2.0"}\n');
	if (method === "initialize") write({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
	else if (method === "session/new") write({ id, result: { sessionId: "s" } });
	else if (method === "session/prompt") prompted(id);
});

function prompted(id: unknown): void {
	appendFileSync("prompted", "x");
	if (how === "garbage" || how === "slow-to-go") {
		update("hello", "m");
		write({ id, result: { stopReason: "end_turn" } });
	} else if (how === "closes") {
		closeSync(1);
		setInterval(() => {}, 1000);
	} else if (how === "leaves") {
		spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
		write({ id, result: { stopReason: "end_turn" } });
		setTimeout(() => process.exit(1), 50);
	} else if (how === "calls") {
		// all of them begun, none of them ended
		for (let at = 0; at < Number(process.argv[3] ?? 20_000); at++)
			tell({
				sessionUpdate: "tool_call",
				toolCallId: `c${at}`,
				title: `call ${at}`,
				kind: "execute",
				status: "in_progress",
			});
		write({ id, result: { stopReason: "end_turn" } });
	} else if (how === "long-line") {
		process.stdout.write(`{"jsonrpc":"2.0","method":"session/update","params":{"x":"${"x".repeat(66_000_000)}"}}\n`);
	} else if (how === "noise") {
		for (let at = 0; at < 2000; at++) {
			process.stdout.write("this is no JSON at all\n[1]\n42\n");
			write({ id: `unknown ${at}`, result: {} });
			write({
				method: "session/update",
				params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: null } },
			});
			write({ method: "session/update", params: at });
		}
		update("still here", "m");
		write({ id, result: { stopReason: "end_turn" } });
	} else if (how === "asks") {
		const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
		for (let at = 0; at < 1000; at++)
			write({
				id: `q${at}`,
				method: "session/request_permission",
				params: { sessionId: "s", toolCall: { toolCallId: `q${at}`, title: `question ${at}` }, options },
			});
	} else if (how === "deaf") deaf(0);
	else if (how === "flood") flood(0);
	// silent and stubborn: nothing, ever
}

/** As fast as the reader lets us, for ever. */
function flood(at: number): void {
	let room = true;
	let next = at;
	while (room) room = update("x".repeat(8192), `m${Math.floor(next++ / 16)}`);
	process.stdout.once("drain", () => flood(next));
}

/** Sends unknown requests that have long answers, and never reads the answers. */
function deaf(at: number): void {
	process.stdin.pause();
	let room = true;
	let next = at;
	while (room) room = write({ id: `d${next++}`, method: `no/${"x".repeat(4000)}`, params: {} });
	process.stdout.once("drain", () => deaf(next));
}
