// A whole daemon on a home: prints its address and, on request, its memory after an idle second.
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { startDaemon } from "#src/main.ts";

await using daemon = await startDaemon({ home: process.argv[2] ?? "" });
for await (const line of createInterface(process.stdin)) {
	if (line === '"measure"') await pause(1000);
	console.log(JSON.stringify({ url: daemon.url, token: daemon.token, mib: process.memoryUsage.rss() / 1024 / 1024 }));
}
