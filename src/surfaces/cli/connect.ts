// Finding the daemon, and starting it on first use. Inside an agent the daemon is the one that started it, and none other.
import { spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "#client/client.ts";

const startMs = 20_000;

export function homeOf(env: NodeJS.ProcessEnv = process.env): string {
	return path.resolve(env["BROOD_HOME"] ?? path.join(os.homedir(), ".brood"));
}

export async function connect(): Promise<Client> {
	const { BROOD_URL: url, BROOD_TOKEN: token } = process.env;
	if (url !== undefined && token !== undefined) return new Client({ url, token });
	return (await running()) ?? (await start());
}

/** A client of the daemon that has this home, if it answers. */
export async function running(): Promise<Client | null> {
	const home = homeOf();
	try {
		const { url }: { url: string } = JSON.parse(readFileSync(path.join(home, "daemon.json"), "utf8"));
		const token = readFileSync(path.join(home, "token"), "utf8").trim();
		const client = new Client({ url, token });
		const { home: theirs } = await client.call("status");
		return theirs === home ? client : null;
	} catch {
		return null;
	}
}

/** In a session of its own, with its log in the home, and without what the shell happens to have in its environment. */
export async function start(): Promise<Client> {
	const home = homeOf();
	mkdirSync(home, { recursive: true, mode: 0o700 });
	const log = openSync(path.join(home, "daemon.log"), "a", 0o600);
	const program = fileURLToPath(new URL("../../daemon.ts", import.meta.url));
	const child = spawn(process.execPath, [program, "--home", home], { detached: true, stdio: ["ignore", log, log], env: cleaned(process.env), cwd: home });
	child.unref();
	const ended = new Promise<string>((resolve) => child.once("exit", (code) => resolve(`it exited with ${code}`)));
	for (const until = performance.now() + startMs; performance.now() < until; ) {
		const client = await running();
		if (client !== null) return client;
		const how = await Promise.race([ended, pause(50).then(() => null)]);
		// somebody else may have been quicker
		if (how !== null) {
			const other = await running();
			if (other !== null) return other;
			throw new Error(`The daemon did not start (${how}). Its log: ${path.join(home, "daemon.log")}`);
		}
	}
	throw new Error(`The daemon did not answer within ${startMs / 1000} s. Its log: ${path.join(home, "daemon.log")}`);
}

function cleaned(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(GIT_|npm_|NODE_OPTIONS$|BROOD_(TOKEN|AGENT|URL|MARK)$)/.test(name)));
}
