// The workers in sandboxes: each is our own program, which runs git in one agent's tree. The daemon opens no file of
// such a tree. It asks the worker, and parses every answer.
//
// One process per sandbox, kept for a few seconds because steps come in groups (status, snapshot, status). A worker
// that misses a deadline or breaks the protocol is killed with its sandbox.
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { startContained } from "#adapters/system/contained-process.ts";
import { type CommandLine, sandboxEnvironment } from "#adapters/system/containment.ts";
import { parseJson } from "#adapters/system/errors.ts";
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import { signalGroup } from "#adapters/system/process-group.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { messageOf } from "#contract/message-of.ts";
import { Frames, frameKinds } from "./frames.ts";
import type { Step, StepContext, StepRequest } from "./steps.ts";

export interface SandboxWorkersOptions {
	program: CommandLine;
	/** the program's own files: its folder, its libraries, Node.js */
	readable: readonly string[];
	environment: Readonly<Record<string, string>>;
	containment: ContainmentLevel;
	/** ends all workers, and refuses later calls */
	halt?: AbortSignal;
	/** how long an idle worker is kept */
	keepMs?: number;
}

export interface StepCall<I> {
	stepContext: StepContext;
	input: I;
	/** the step's own if absent */
	timeoutMs?: number | undefined;
	signal?: AbortSignal | undefined;
	/** takes the bytes that come before the answer */
	bytes?: ((chunk: Buffer) => Promise<void>) | undefined;
}

/** Git failed in the sandbox, or the worker did. */
export class SandboxFault extends Error {
	override readonly name = "SandboxFault";
}

/** The caller cancelled the step, or the daemon stops. It says nothing about the workspace, and may be retried. */
export class Cancelled extends Error {
	override readonly name = "Cancelled";
	readonly refusalCode = "GIT_FAILED";
}

const keepMsDefault = 5000;
const idleMax = 8;
const errorTailMax = 2000;

export class SandboxWorkers implements AsyncDisposable {
	readonly #options: SandboxWorkersOptions;
	readonly #open = new Map<string, Worker>();

	constructor(options: SandboxWorkersOptions) {
		this.#options = options;
		options.halt?.addEventListener("abort", () => void this[Symbol.asyncDispose](), { once: true });
	}

	async ask<I, A>(
		mounts: SandboxMounts,
		{ name, answer, timeoutMs }: Step<I, A>,
		{ stepContext, input, ...options }: StepCall<I>,
	): Promise<A> {
		if (options.signal?.aborted === true || this.#options.halt?.aborted === true)
			throw new Cancelled("The step was cancelled.");
		const worker = await this.#workerIn(mounts, stepContext.workspace.path);
		const text = await worker.ask(
			{ step: name, stepContext, input },
			{ ...options, timeoutMs: options.timeoutMs ?? timeoutMs },
		);
		const parsed = answer.safeParse(parseJson(text));
		if (parsed.success) return parsed.data;
		worker.end("its answer does not have the right shape");
		throw new SandboxFault(`The step ${name} answered something that it may not answer.`);
	}

	async #workerIn(mounts: SandboxMounts, folder: string): Promise<Worker> {
		const key = JSON.stringify([mounts, folder]);
		// a worker that is being ended takes no more steps
		for (let open = this.#open.get(key); open !== undefined; open = this.#open.get(key)) {
			if (!open.isEnding) return open;
			await open.over;
		}
		return this.#begin(key, mounts, folder);
	}

	/** Ends the workers that have a folder mounted, before it is moved or made again. */
	async leave(folder: string): Promise<void> {
		const found = [...this.#open.values()].filter((worker) => worker.folder === folder || worker.sees(folder));
		for (const worker of found) worker.cancel("its folder goes");
		await Promise.all(found.map(({ over }) => over));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const all = [...this.#open.values()];
		for (const worker of all) worker.cancel("the daemon stops");
		await Promise.all(all.map(({ over }) => over));
	}

	#begin(key: string, mounts: SandboxMounts, folder: string): Worker {
		const { readable, containment } = this.#options;
		if (containment !== "bubblewrap") throw new SandboxFault("There is no sandbox without bubblewrap.");
		const worker = new Worker({ ...mounts, readable: [...readable, ...mounts.readable] }, folder, this.#options);
		this.#open.set(key, worker);
		void worker.over.then(() => (this.#open.get(key) === worker ? this.#open.delete(key) : undefined));
		const idle = [...this.#open.values()].filter((each) => each.isIdle && each !== worker);
		for (const each of idle.slice(0, Math.max(0, idle.length - idleMax))) each.end("too many are idle");
		return worker;
	}
}

interface PendingStep {
	resolve(text: string): void;
	reject(error: Error): void;
	bytes?: StepCall<unknown>["bytes"];
	timer: NodeJS.Timeout;
}

class Worker {
	readonly folder: string;
	readonly over: Promise<void>;
	readonly #mounts: SandboxMounts;
	readonly #child: ChildProcess;
	readonly #pending = new Map<number, PendingStep>();
	readonly #keepMs: number;
	#reading: Promise<void> = Promise.resolve();
	#idle: NodeJS.Timeout | undefined;
	#last = 0;
	#reason: string | null = null;
	#cancelled = false;
	#errors = "";

	constructor(
		mounts: SandboxMounts,
		folder: string,
		{ program, environment, keepMs = keepMsDefault }: Pick<SandboxWorkersOptions, "program" | "environment" | "keepMs">,
	) {
		this.folder = folder;
		this.#mounts = mounts;
		this.#keepMs = keepMs;
		// the lifeline stays open: if the daemon dies, the worker ends
		const { child, output } = startContained({
			...{ ...program, containment: "bubblewrap", mounts, folder },
			environment: sandboxEnvironment(environment, mounts),
		});
		this.#child = child;
		child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
			this.#errors = (this.#errors + chunk).slice(-errorTailMax);
		});
		this.#listen(output);
		this.over = new Promise((resolve) => {
			const done = (how: string): void => {
				this.#fail(this.#reason ?? how);
				resolve();
			};
			this.#child.once("error", (error) => done(error.message));
			this.#child.once("close", (code) => done(`it exited with ${code}`));
		});
	}

	get isIdle(): boolean {
		return this.#pending.size === 0;
	}

	get isEnding(): boolean {
		return this.#reason !== null;
	}

	sees(folder: string): boolean {
		return (this.#mounts.bound ?? []).some(({ to }) => to.startsWith(`${folder}/`));
	}

	async ask(
		request: Omit<StepRequest, "id">,
		{ timeoutMs, signal, bytes }: { timeoutMs: number } & Pick<StepCall<unknown>, "signal" | "bytes">,
	): Promise<string> {
		if (signal?.aborted === true) throw new Cancelled("The step was cancelled.");
		clearTimeout(this.#idle);
		const id = ++this.#last;
		const stop = (): void => this.cancel("the step was cancelled");
		signal?.addEventListener("abort", stop, { once: true });
		try {
			return await new Promise<string>((resolve, reject) => {
				const timer = setTimeout(() => this.end(`no answer within ${timeoutMs} ms`), timeoutMs);
				this.#pending.set(id, { resolve, reject, bytes, timer });
				this.#child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`);
			});
		} finally {
			signal?.removeEventListener("abort", stop);
			this.#settled(id);
		}
	}

	/** Ends it, and rejects its steps with `Cancelled`: the workspace is not at fault. */
	cancel(reason: string): void {
		this.#cancelled ||= this.#reason === null;
		this.end(reason);
	}

	/** Kills the sandbox and everything in it. */
	end(reason: string): void {
		this.#reason ??= reason;
		clearTimeout(this.#idle);
		// the whole group: bwrap's inner process waits for its outer one without end if that is killed during the start
		signalGroup(this.#child.pid, "SIGKILL");
		for (const pipe of this.#child.stdio) pipe?.destroy();
	}

	#listen(output: Readable): void {
		const frames = new Frames();
		output.on("data", (chunk: Buffer) => {
			// one chunk at a time: the consumer may be slower than the sandbox
			output.pause();
			this.#reading = this.#reading
				.then(async () => {
					for (const frame of frames.put(chunk)) await this.#receive(frame);
				})
				.catch((error: unknown) => this.end(messageOf(error)))
				.finally(() => output.resume());
		});
	}

	async #receive({ kind, id, bytes }: { kind: number; id: number; bytes: Buffer }): Promise<void> {
		const pending = this.#pending.get(id);
		if (pending === undefined) throw new Error("an answer that nobody asked for");
		if (kind === frameKinds.bytes) {
			if (pending.bytes === undefined) throw new Error("bytes that nobody asked for");
			return await pending.bytes(bytes);
		}
		if (kind === frameKinds.answer) pending.resolve(bytes.toString());
		else pending.reject(new SandboxFault(bytes.toString("utf8", 0, 4000)));
		this.#settled(id);
	}

	#settled(id: number): void {
		clearTimeout(this.#pending.get(id)?.timer);
		this.#pending.delete(id);
		clearTimeout(this.#idle);
		if (this.#pending.size === 0) this.#idle = setTimeout(() => this.end("nobody needs it"), this.#keepMs).unref();
	}

	#fail(how: string): void {
		this.#reason ??= how;
		const errors = this.#errors.trim();
		for (const { reject, timer } of this.#pending.values()) {
			clearTimeout(timer);
			const text = `The sandbox's program ended: ${how}${errors === "" ? "" : ` (${errors})`}.`;
			reject(this.#cancelled ? new Cancelled(text) : new SandboxFault(text));
		}
		this.#pending.clear();
	}
}
