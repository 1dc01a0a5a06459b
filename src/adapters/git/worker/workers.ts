// The workers inside of sandboxes: our own program, which runs git in an agent's tree. The daemon touches no file in
// such a tree: it asks, and believes what comes back only if it has the right shape.
//
// One process per sandbox, kept for a few seconds because steps come in groups (look, snapshot, look). A process that
// does not answer in time, or says anything that is not our protocol, is ended whole.
import { type ChildProcess, spawn } from "node:child_process";
import { Readable } from "node:stream";
import { type CommandLine, containedCommand, sandboxEnvironment } from "#adapters/system/containment.ts";
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { expected } from "#contract/log.ts";
import { Frames, frameKinds } from "./frames.ts";
import type { Step, StepContext, StepRequest } from "./steps.ts";

export interface SandboxWorkersOptions {
	/** how our program is started */
	program: CommandLine;
	/** what it needs to see of itself: its folder, its libraries, Node */
	readable: readonly string[];
	environment: Readonly<Record<string, string>>;
	containment: ContainmentLevel;
	/** ends all that run, and whatever is asked for later */
	halt?: AbortSignal;
	/** how long an idle one is kept */
	keepMs?: number;
}

export interface StepCall<W> {
	scene: StepContext;
	input: W;
	timeoutMs?: number;
	signal?: AbortSignal;
	/** takes the bytes that come in front of the answer */
	bytes?(chunk: Buffer): Promise<void>;
}

/** What our program could not do: git failed there, or it failed itself. */
export class SandboxFault extends Error {
	override readonly name = "RoomFault";
}

/**
 * Nobody waits for it any more, or the daemon stops: that says nothing of the workspace, and whoever asks again may
 * well get it.
 */
export class CalledOff extends Error {
	override readonly name = "CalledOff";
	readonly refusalCode = "GIT_FAILED";
}

const timeoutMsDefault = 2 * 60_000;
const keepMsDefault = 5000;
/** each takes some memory */
const idleMax = 8;
const errorTailMax = 2000;

export class SandboxWorkers implements AsyncDisposable {
	readonly #options: SandboxWorkersOptions;
	readonly #open = new Map<string, Worker>();

	constructor(options: SandboxWorkersOptions) {
		this.#options = options;
		options.halt?.addEventListener("abort", () => void this[Symbol.asyncDispose](), { once: true });
	}

	async ask<W, A>(
		mounts: SandboxMounts,
		{ name, answer }: Step<W, A>,
		{ scene, input, timeoutMs = timeoutMsDefault, signal, bytes }: StepCall<W>,
	): Promise<A> {
		if (signal?.aborted === true || this.#options.halt?.aborted === true)
			throw new CalledOff("The step was called off.");
		const worker = await this.#workerIn(mounts, scene.workspace.path);
		const text = await worker.ask(
			{ step: name, scene, input },
			{ timeoutMs, ...(signal && { signal }), ...(bytes && { bytes }) },
		);
		const parsed = answer.safeParse(jsonOf(text));
		if (parsed.success) return parsed.data;
		worker.end("its answer does not have the right shape");
		throw new SandboxFault(`The step ${name} answered something that it may not answer.`);
	}

	async #workerIn(mounts: SandboxMounts, folder: string): Promise<Worker> {
		const key = JSON.stringify([mounts, folder]);
		// one that was told to end takes nothing any more, also before it is gone
		for (let open = this.#open.get(key); open !== undefined; open = this.#open.get(key)) {
			if (!open.isEnding) return open;
			await open.over;
		}
		return this.#begin(key, mounts, folder);
	}

	/** Ends those that see a folder: it is about to be moved, or to be made anew. */
	async leave(folder: string): Promise<void> {
		const found = [...this.#open.values()].filter((worker) => worker.folder === folder || worker.sees(folder));
		for (const worker of found) worker.callOff("its folder goes");
		await Promise.all(found.map(({ over }) => over));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const all = [...this.#open.values()];
		for (const worker of all) worker.callOff("the daemon stops");
		await Promise.all(all.map(({ over }) => over));
	}

	#begin(key: string, mounts: SandboxMounts, folder: string): Worker {
		const { program, readable, environment, containment, keepMs = keepMsDefault } = this.#options;
		if (containment !== "bubblewrap") throw new SandboxFault("There is no sandbox without bubblewrap.");
		const worker = new Worker(
			{ ...mounts, readable: [...readable, ...mounts.readable] },
			{ program, folder, environment, keepMs },
		);
		this.#open.set(key, worker);
		void worker.over.then(() => (this.#open.get(key) === worker ? this.#open.delete(key) : undefined));
		const idle = [...this.#open.values()].filter((each) => each.isIdle && each !== worker);
		for (const each of idle.slice(0, Math.max(0, idle.length - idleMax))) each.end("others need its place");
		return worker;
	}
}

interface Waiting {
	resolve(text: string): void;
	reject(error: Error): void;
	bytes?: ((chunk: Buffer) => Promise<void>) | undefined;
	timer: NodeJS.Timeout;
}

class Worker {
	readonly folder: string;
	readonly over: Promise<void>;
	readonly #mounts: SandboxMounts;
	readonly #child: ChildProcess;
	readonly #waiting = new Map<number, Waiting>();
	readonly #keepMs: number;
	#reading: Promise<void> = Promise.resolve();
	#idle: NodeJS.Timeout | undefined;
	#last = 0;
	#reason: string | null = null;
	#calledOff = false;
	#errors = "";

	constructor(
		mounts: SandboxMounts,
		{
			program,
			folder,
			environment,
			keepMs,
		}: { program: CommandLine; folder: string; environment: Readonly<Record<string, string>>; keepMs: number },
	) {
		this.folder = folder;
		this.#mounts = mounts;
		this.#keepMs = keepMs;
		const { command, args, pipes } = containedCommand("bubblewrap", program, mounts);
		this.#child = spawn(command, [...args], {
			cwd: folder,
			env: sandboxEnvironment(environment, mounts),
			stdio: [...pipes.stdio],
			detached: true,
		});
		// we hold the lifeline open: if the daemon dies, the worker ends
		for (const pipe of this.#child.stdio) pipe?.on("error", expected("its end is heard of"));
		this.#child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
			this.#errors = (this.#errors + chunk).slice(-errorTailMax);
		});
		const output = this.#child.stdio[pipes.output];
		if (output instanceof Readable) this.#listen(output);
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
		return this.#waiting.size === 0;
	}

	get isEnding(): boolean {
		return this.#reason !== null;
	}

	sees(folder: string): boolean {
		return (this.#mounts.bound ?? []).some(({ to }) => to.startsWith(`${folder}/`));
	}

	async ask(
		request: Omit<StepRequest, "id">,
		{ timeoutMs, signal, bytes }: { timeoutMs: number; signal?: AbortSignal; bytes?: Waiting["bytes"] },
	): Promise<string> {
		if (signal?.aborted === true) throw new CalledOff("The step was called off.");
		clearTimeout(this.#idle);
		const id = ++this.#last;
		const stop = (): void => this.callOff("the step was called off");
		signal?.addEventListener("abort", stop, { once: true });
		try {
			return await new Promise<string>((resolve, reject) => {
				const timer = setTimeout(() => this.end(`no answer within ${timeoutMs} ms`), timeoutMs);
				this.#waiting.set(id, { resolve, reject, bytes, timer });
				this.#child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`);
			});
		} finally {
			signal?.removeEventListener("abort", stop);
			this.#settled(id);
		}
	}

	/** Whoever waits for it is told that it is not the workspace's fault. */
	callOff(reason: string): void {
		this.#calledOff ||= this.#reason === null;
		this.end(reason);
	}

	/** At once, with everything inside. */
	end(reason: string): void {
		this.#reason ??= reason;
		clearTimeout(this.#idle);
		this.#child.kill("SIGKILL");
		// one that has hardly begun may leave its inner process without a parent; that one ends with the lifeline
		for (const pipe of this.#child.stdio) pipe?.destroy();
	}

	#listen(output: Readable): void {
		const frames = new Frames();
		output.on("data", (chunk: Buffer) => {
			// one piece after the other: the reader may be slower than the sandbox
			output.pause();
			this.#reading = this.#reading
				.then(async () => {
					for (const frame of frames.put(chunk)) await this.#hear(frame);
				})
				.catch((error: unknown) => this.end(error instanceof Error ? error.message : String(error)))
				.finally(() => output.resume());
		});
	}

	async #hear({ kind, id, bytes }: { kind: number; id: number; bytes: Buffer }): Promise<void> {
		const waiting = this.#waiting.get(id);
		if (waiting === undefined) throw new Error("an answer that nobody asked for");
		if (kind === frameKinds.bytes) {
			if (waiting.bytes === undefined) throw new Error("bytes that nobody asked for");
			return await waiting.bytes(bytes);
		}
		if (kind === frameKinds.answer) waiting.resolve(bytes.toString());
		else waiting.reject(new SandboxFault(bytes.toString("utf8", 0, 4000)));
		this.#settled(id);
	}

	#settled(id: number): void {
		clearTimeout(this.#waiting.get(id)?.timer);
		this.#waiting.delete(id);
		clearTimeout(this.#idle);
		if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.end("nobody needs it"), this.#keepMs).unref();
	}

	#fail(how: string): void {
		this.#reason ??= how;
		const words = this.#errors.trim();
		for (const { reject, timer } of this.#waiting.values()) {
			clearTimeout(timer);
			const text = `The sandbox's program ended: ${how}${words === "" ? "" : ` (${words})`}.`;
			reject(this.#calledOff ? new CalledOff(text) : new SandboxFault(text));
		}
		this.#waiting.clear();
	}
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
