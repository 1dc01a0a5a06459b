// A daemon as a process of its own that can be killed, also by the git that it runs: before or after the n-th command from now on.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "#client/client.ts";
import { freshFolder } from "./stores.ts";

export interface Given {
	status: number;
	text: string;
}

const program = fileURLToPath(new URL("../programs/daemon.ts", import.meta.url));

/** `sh` itself counts: whoever started it is the daemon. */
const gitScript = (real: string, arm: string): string => `#!/bin/sh
[ -s ${arm} ] || exec ${real} "$@"
read left when word < ${arm}
# several of them run at once: who is not meant leaves the count alone, and the file is never seen half written
case " $* " in *" $word "*) ;; *) [ -z "$word" ] || exec ${real} "$@";; esac
if [ "$left" -gt 1 ]; then
	echo $((left - 1)) $when $word > ${arm}.$$ && mv ${arm}.$$ ${arm}
	exec ${real} "$@"
fi
: > ${arm}
if [ $when = before ]; then kill -9 $PPID; exit 1; fi
${real} "$@"
kill -9 $PPID
exit 1
`;

export class MortalDaemon implements AsyncDisposable {
	readonly home = freshFolder();
	readonly #tools = freshFolder();
	readonly #arm = path.join(this.#tools, "arm");
	#child: ChildProcess | null = null;
	url = "";

	static async start(): Promise<MortalDaemon> {
		const daemon = new MortalDaemon();
		const real = (process.env["PATH"] ?? "")
			.split(":")
			.map((folder) => path.join(folder, "git"))
			.find(existsSync);
		mkdirSync(path.join(daemon.#tools, "bin"));
		writeFileSync(path.join(daemon.#tools, "bin/git"), gitScript(real ?? "git", daemon.#arm), { mode: 0o755 });
		await daemon.start();
		return daemon;
	}

	get token(): string {
		return readFileSync(path.join(this.home, "token"), "utf8").trim();
	}

	get client(): Client {
		return new Client({ url: this.url, token: this.token });
	}

	async start(): Promise<void> {
		const env = { ...process.env, PATH: `${this.#tools}/bin:${process.env["PATH"]}` };
		const child = spawn(process.execPath, [program, this.home], { stdio: ["pipe", "pipe", "inherit"], env });
		this.#child = child;
		child.stdin.write("go\n");
		for await (const line of createInterface(child.stdout)) {
			const [, url] = /^up (\S+)$/.exec(line) ?? [];
			if (url !== undefined) {
				this.url = url;
				return;
			}
		}
		throw new Error("the daemon did not start");
	}

	/** The n-th git command from now on, or the n-th that has this word, is the last thing that it sees. */
	dieAt(count: number, when: "before" | "after", word = ""): void {
		writeFileSync(this.#arm, `${count} ${when} ${word}\n`);
	}

	/** It is not to die any more; false if it had been going to. */
	spare(): boolean {
		const died = !existsSync(this.#arm) || readFileSync(this.#arm, "utf8") === "";
		rmSync(this.#arm, { force: true });
		return died;
	}

	async kill(): Promise<void> {
		const child = this.#child;
		if (child === null || child.exitCode !== null || child.signalCode !== null) return;
		const gone = once(child, "exit");
		child.kill("SIGKILL");
		await gone;
	}

	/** Null if the line broke. */
	async post(place: string, body: object, key: string = randomUUID()): Promise<Given | null> {
		const headers = { authorization: `Bearer ${this.token}`, "idempotency-key": key, "content-type": "application/json" };
		try {
			const answer = await fetch(this.url + place, { method: "POST", headers, body: JSON.stringify(body) });
			return { status: answer.status, text: await answer.text() };
		} catch {
			return null;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.kill();
	}
}
