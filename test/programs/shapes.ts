// A daemon with an agent for every shape of process tree, made to be killed: `node shapes.ts <home> [marked]`.
import { setTimeout as pause } from "node:timers/promises";
import { human } from "#contract/ids.ts";
import { startDaemon } from "#src/main.ts";
import { marked, shapes } from "#test/support/shapes.ts";

const prompts = Object.values(process.argv[3] === "marked" ? marked : shapes);
const { engine } = await startDaemon({ home: process.argv[2] ?? "" });
for (const prompt of prompts)
	await engine.dispatch({
		actor: human,
		key: null,
		command: { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", prompt },
	});
process.stdout.write("all are asked\n");
for (;;) {
	const events = await engine.reads.events({ after: 0, limit: 1000 });
	if (events.filter((event) => event.kind === "tool_call").length === prompts.length) break;
	await pause(20);
}
// long enough for the shells to start what they start
await pause(300);
process.stdout.write("all are running\n");
await pause(60_000);
