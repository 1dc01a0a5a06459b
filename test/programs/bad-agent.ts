// Agents as they should not be: `bad-agent.ts garbage|closes|silent|flood|exits|slow-to-go|leaves|stubborn`.
import { spawn } from "node:child_process";
import { appendFileSync, closeSync } from "node:fs";
import { createInterface } from "node:readline";

const how = process.argv[2];
appendFileSync("starts", "x");
if (how === "exits") process.exit(1);

if (how === "stubborn") for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => appendFileSync("signals", `${name}\n`));

if (how === "slow-to-go") {
	process.on("SIGTERM", () => {
		appendFileSync("going", "x");
		setTimeout(() => process.exit(0), 300);
	});
}

const write = (message: object): boolean => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (text: string, messageId: string): boolean =>
	write({ method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } } } });

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
	} else if (how === "flood") flood(0);
	// silent and stubborn: nothing, ever
}

/** As fast as the reader lets us, for ever. */
function flood(at: number): void {
	let room = true;
	let next = at;
	while (room) room = update("x".repeat(8192), `m${Math.floor(next++ / 16)}`);
	process.stdout.once("drain", () => flood(next));
}
