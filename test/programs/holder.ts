// Waits for a line, then tries to take a home: `node holder.ts <home>`.
import { once } from "node:events";
import { HomeLocked, lockHome } from "#adapters/system/home-lock.ts";

process.stdout.write("ready\n");
await once(process.stdin, "data");
try {
	await lockHome(process.argv[2] ?? "");
	process.stdout.write("mine\n");
	setInterval(() => {}, 1000);
} catch (error) {
	process.stdout.write(error instanceof HomeLocked ? "held\n" : `bug ${error}\n`);
	process.exit(1);
}
