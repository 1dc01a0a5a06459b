// Starts on a home, answers how many agents there are, and says when that was and what it weighed.
import { startEngine } from "#src/main.ts";

const engine = await startEngine({ home: process.argv[2] ?? "" });
const agents = await engine.reads.agents();
console.log(
	JSON.stringify({
		answeredAt: performance.timeOrigin + performance.now(),
		mib: process.memoryUsage.rss() / 1024 / 1024,
		agents: agents.length,
	}),
);
await engine[Symbol.asyncDispose]();
