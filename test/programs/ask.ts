// A daemon of its own that gives one prompt to one agent and prints what its tools said: `node ask.ts <home> <prompt>`.
import { setTimeout as pause } from "node:timers/promises";
import { human } from "#contract/ids.ts";
import { startDaemon } from "#src/main.ts";

const [home = "", prompt = ""] = process.argv.slice(2);
await using daemon = await startDaemon({ home });
const { engine } = daemon;
await engine.dispatch({
	actor: human,
	key: null,
	command: { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", prompt },
});
for (;;) {
	const events = await engine.reads.events({ after: 0, limit: 1000 });
	if (events.some((event) => event.kind === "final")) {
		for (const event of events) if (event.kind === "tool_result") process.stdout.write(`${event.text}\n`);
		break;
	}
	await pause(20);
}
