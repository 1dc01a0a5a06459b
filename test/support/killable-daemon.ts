// A daemon as a process of its own that can be killed, also by the git that it runs: before or after the n-th command
// from now on. The git inside of a sandbox cannot reach it; that one stands still at that command, and
// whoever looks for it there kills the daemon.

import { type ChildProcess, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { vi } from "vitest";
import { Client } from "#client/client.ts";
import type { Agent } from "#contract/wire.ts";
import { at } from "./in-workspace.ts";
import { processesRunning } from "./processes.ts";
import { programFolder, testProgram } from "./programs.ts";
import { freshRepository } from "./repository.ts";
import { freshFolder } from "./stores.ts";

export interface HttpAnswer {
	status: number;
	text: string;
}

/** An agent with a workspace, in a project of its own. */
export interface AddedAgent {
	agent: Agent;
	repository: string;
	folder: string;
}

interface GitScriptParts {
	real: string;
	/** what arms the git of the daemon, in a folder that no sandbox has */
	arm: string;
	armInside: string;
	/** how long it stands still, which nobody else does for exactly as long */
	still: string;
}

/** `sh` itself counts: whoever started it is the daemon. */
const gitScript = ({ real, arm, armInside, still }: GitScriptParts): string => `#!/bin/sh
if [ ! -d ${path.dirname(arm)} ]; then
	[ -s ${armInside} ] || exec ${real} "$@"
	read when word < ${armInside}
	case " $* " in *" $word "*) ;; *) exec ${real} "$@";; esac
	[ $when = before ] || ${real} "$@"
	exec sleep ${still}
fi
[ -d ${arm} ] || exec ${real} "$@"
read when word < ${arm}.how
case " $* " in *" $word "*) ;; *) [ -z "$word" ] || exec ${real} "$@";; esac
# several of them run at once: each takes a ticket that no other one has
took=
for ticket in ${arm}/*; do if rm "$ticket" 2> /dev/null; then took=$ticket; break; fi; done
[ "$took" = ${arm}/last ] || exec ${real} "$@"
echo > ${arm}.fired
if [ $when = before ]; then kill -9 $PPID; exit 1; fi
${real} "$@"
kill -9 $PPID
exit 1
`;

export class KillableDaemon implements AsyncDisposable {
	readonly home = freshFolder();
	#projects = 0;
	readonly #tools = freshFolder();
	readonly #arm = path.join(this.#tools, "arm");
	/** to be seen in every sandbox, like all programs */
	readonly #seen = mkdtempSync(path.join(programFolder, "git-"));
	readonly #armInside = path.join(this.#seen, "arm");
	readonly #still = `86${randomInt(1e9, 9e9)}`;
	#child: ChildProcess | null = null;
	url = "";

	static async start(): Promise<KillableDaemon> {
		const daemon = new KillableDaemon();
		const real = (process.env["PATH"] ?? "")
			.split(":")
			.map((folder) => path.join(folder, "git"))
			.find(existsSync);
		const parts = { real: real ?? "git", arm: daemon.#arm, armInside: daemon.#armInside, still: daemon.#still };
		writeFileSync(path.join(daemon.#seen, "git"), gitScript(parts), { mode: 0o755 });
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
		const env = { ...process.env, PATH: `${this.#seen}:${process.env["PATH"]}` };
		const child = spawn(process.execPath, [testProgram("daemon"), this.home], {
			stdio: ["pipe", "pipe", "inherit"],
			env,
		});
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
		writeFileSync(`${this.#arm}.how`, `${when} ${word}\n`);
		const tickets = `${this.#arm}.next`;
		mkdirSync(tickets);
		for (let n = 1; n < count; n++) writeFileSync(path.join(tickets, String(1000 + n)), "");
		writeFileSync(path.join(tickets, "last"), "");
		renameSync(tickets, this.#arm);
	}

	/** It is not to die any more; true if it did already. */
	spare(): boolean {
		rmSync(this.#arm, { recursive: true, force: true });
		const fired = existsSync(`${this.#arm}.fired`);
		rmSync(`${this.#arm}.fired`, { force: true });
		return fired;
	}

	/** From now on the git inside of sandboxes stands still before or after a command with this word. */
	stopInside(when: "before" | "after", word: string): void {
		writeFileSync(this.#armInside, `${when} ${word}\n`);
	}

	/**
	 * Waits until one of them stands still, or until `done`, and lets the next ones go on; the process that stands, or
	 * null.
	 */
	async stoodInside(done: Promise<unknown>): Promise<number | null> {
		let over = false;
		void done.finally(() => {
			over = true;
		});
		let found: number | undefined;
		await vi.waitFor(
			() => {
				found = processesRunning(`sleep\0${this.#still}\0`)[0];
				if (found === undefined && !over) throw new Error("none stands still");
			},
			{ timeout: 60_000, interval: 20 },
		);
		rmSync(this.#armInside);
		return found ?? null;
	}

	async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
		const child = this.#child;
		if (child === null || child.exitCode !== null || child.signalCode !== null) return;
		const gone = once(child, "exit");
		child.kill(signal);
		await gone;
	}

	/** Null if the connection broke. */
	async post(route: string, body: object, key: string = randomUUID()): Promise<HttpAnswer | null> {
		const headers = {
			authorization: `Bearer ${this.token}`,
			"idempotency-key": key,
			"content-type": "application/json",
		};
		try {
			const answer = await fetch(this.url + route, { method: "POST", headers, body: JSON.stringify(body) });
			return { status: answer.status, text: await answer.text() };
		} catch {
			return null;
		}
	}

	async addAgent({ sandbox = false } = {}): Promise<AddedAgent> {
		const [slug, repository] = [`p${++this.#projects}`, freshRepository({ "a.txt": "a\n" })];
		await this.client.ask("projectAdd", { body: { slug, path: repository } });
		const settings = path.join(this.home, "projects", slug);
		mkdirSync(settings, { recursive: true });
		if (sandbox) writeFileSync(path.join(settings, "config.yaml"), "sandbox: on\n");
		const agent = await this.client.ask("agentAddTo", {
			params: { project: slug },
			body: { type: "human", name: "worker" },
		});
		return { agent, repository, folder: at(agent) };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.kill();
		rmSync(this.#seen, { recursive: true });
	}
}
