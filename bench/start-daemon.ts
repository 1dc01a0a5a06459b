// Starts on a home, counts its agents, and prints when that was done and how much memory it took.

import { startEngine } from "#src/main.ts";
import { everyAgent } from "#test/support/every.ts";

const engine = await startEngine({ home: process.argv[2] ?? "" });
const agents = await everyAgent(engine.reads);
console.log(
	JSON.stringify({
		answeredAt: performance.timeOrigin + performance.now(),
		mib: process.memoryUsage.rss() / 1024 / 1024,
		agents: agents.length,
	}),
);
await engine[Symbol.asyncDispose]();
