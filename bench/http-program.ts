// A program of a bench that answers each line of JSON with one.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { daemonNodeJs } from "#local/programs.ts";

export class Program implements AsyncDisposable {
	readonly #child;
	readonly #lines;
	readonly #ended: Promise<void>;

	constructor(file: URL, args: string[]) {
		// with the compile cache, like the launcher
		const env = { ...process.env, NODE_COMPILE_CACHE: "node_modules/.cache/compile" };
		this.#child = spawn(process.execPath, [...daemonNodeJs.options, fileURLToPath(file), ...args], {
			stdio: ["pipe", "pipe", "inherit"],
			env,
		});
		this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
		this.#ended = new Promise((resolve) => this.#child.once("exit", () => resolve()));
	}

	async ask<T>(message: unknown): Promise<T> {
		this.#child.stdin.write(`${JSON.stringify(message)}\n`);
		const { value, done } = await this.#lines.next();
		if (done === true) throw new Error("the program ended before it answered");
		return JSON.parse(value);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.stdin.end();
		await this.#ended;
	}
}
