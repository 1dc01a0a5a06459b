// Measures a daemon with agents whose idle processes were ended: how much memory each takes. Prints the figures as
// JSON.
import { setTimeout as pause } from "node:timers/promises";
import { system } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { startDaemon } from "#src/main.ts";

const [home = "", count = "2000"] = process.argv.slice(2);
const atOnce = 8;
/** by then the threads have reached their final size */
const warmUp = 1000;

// the smallest program that speaks the protocol: its own memory is not measured
const script = `while read -r line; do
	id=\${line#*'"id":'}; id=\${id%%[,\\}]*}
	case "$line" in
	*'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentCapabilities":{}}}\\n' "$id" ;;
	*'"session/new"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s"}}\\n' "$id" ;;
	*'"session/prompt"'*)
		printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"done"}}}}\\n'
		printf '{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}\\n' "$id" ;;
	esac
done`;

const programs = { tiny: { command: "/bin/sh", args: ["-c", script], leavesNothing: false } };
await using daemon = await startDaemon({ home, programs, idleProcessMs: 1, limits: { turnsMax: atOnce } });
await turns(daemon.engine, warmUp);
const before = await memoryInUse();
await turns(daemon.engine, Number(count));
const after = await memoryInUse();
process.stdout.write(JSON.stringify({ before, after }));

/** Adds agents, each with one finished turn. */
async function turns(engine: Engine, more: number): Promise<void> {
	using events = engine.publisher.follow();
	let over = 0;
	let asked = 0;
	const next = async (): Promise<void> => {
		if (asked++ >= more) return;
		const command = {
			type: "agent.spawn",
			parent: engine.agentZero.id,
			context: "fresh",
			agentType: "tiny",
			prompt: "go",
		} as const;
		const outcome = await engine.dispatch({ actor: system, key: null, command });
		if ("refused" in outcome) throw new Error(outcome.refused.message);
	};
	await Promise.all(Array.from({ length: atOnce }, next));
	while (over < more) {
		const batch = await events.next();
		if (batch === null) throw new Error("the events ended");
		for (const { kind } of batch) {
			if (kind !== "turn.ended") continue;
			over++;
			await next();
		}
	}
}

async function memoryInUse(): Promise<{ heap: number; resident: number }> {
	// the last ones are still being ended
	await pause(3000);
	for (let round = 0; round < 3; round++) {
		globalThis.gc?.();
		await pause(200);
	}
	const { heapUsed, external, rss } = process.memoryUsage();
	return { heap: heapUsed + external, resident: rss };
}
