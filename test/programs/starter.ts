// Says that it is ready, waits for a line on its input, then starts the engine and says which agent 0 it found.
import { once } from "node:events";
import { startEngine } from "#src/main.ts";

process.stdout.write("ready\n");
await once(process.stdin, "data");
const engine = await startEngine(JSON.parse(process.argv[2] ?? ""));
process.stdout.write(`agent ${engine.agentZero.id}\n`);
await engine[Symbol.asyncDispose]();
process.stdin.destroy();
