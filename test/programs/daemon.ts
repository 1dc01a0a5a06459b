// A daemon that waits for a line before it starts: `node daemon.ts <home>`.
import { once } from "node:events";
import { startDaemon } from "#src/main.ts";

process.stdout.write("ready\n");
await once(process.stdin, "data");
try {
	const daemon = await startDaemon({ home: process.argv[2] ?? "" });
	process.stdout.write(`up ${daemon.url}\n`);
	setInterval(() => {}, 1000);
	process.once("SIGTERM", () => void daemon[Symbol.asyncDispose]().then(() => process.exit(0)));
} catch (error) {
	process.stdout.write(`held ${error instanceof Error ? error.message : error}\n`);
	process.exit(1);
}
