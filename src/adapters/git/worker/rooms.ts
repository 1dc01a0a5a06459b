// Our own program inside of sandboxes, which does there what git has to do in an agent's tree. The daemon touches no file in
// such a tree: it asks, and believes what comes back only if it has the right shape.
//
// One process per sandbox, kept for a few seconds because steps come in groups (look, snapshot, look). A process that does not
// answer in time, or says anything that is not our protocol, is ended whole.
import { type ChildProcess, spawn } from "node:child_process";
import { Readable } from "node:stream";
import type { Room } from "#adapters/system/mounts.ts";
import { type Command, contained, inRoom } from "#adapters/system/walls.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { expected } from "#contract/log.ts";
import { Frames, frameKinds } from "./frames.ts";
import type { Request, Scene, Step } from "./steps.ts";

export interface RoomsOptions {
	/** how our program is started */
	program: Command;
	/** what it needs to see of itself: its folder, its libraries, Node */
	readable: readonly string[];
	environment: Readonly<Record<string, string>>;
	containment: ContainmentLevel;
	/** ends all that run, and whatever is asked for later */
	halt?: AbortSignal;
	/** how long an idle one is kept */
	keepMs?: number;
}

export interface Asked<W> {
	scene: Scene;
	wish: W;
	timeoutMs?: number;
	signal?: AbortSignal;
	/** takes the bytes that come in front of the answer */
	bytes?(chunk: Buffer): Promise<void>;
}

/** What our program could not do: git failed there, or it failed itself. */
export class RoomFault extends Error {
	override readonly name = "RoomFault";
}

/** Nobody waits for it any more, or the daemon stops: that says nothing of the workspace, and whoever asks again may well get it. */
export class CalledOff extends Error {
	override readonly name = "CalledOff";
	readonly refusalCode = "GIT_FAILED";
}

const timeoutMsDefault = 2 * 60_000;
const keepMsDefault = 5000;
/** each takes some memory */
const idleMax = 8;
const errorTailMax = 2000;

export class Rooms implements AsyncDisposable {
	readonly #options: RoomsOptions;
	readonly #open = new Map<string, Worker>();

	constructor(options: RoomsOptions) {
		this.#options = options;
		options.halt?.addEventListener("abort", () => void this[Symbol.asyncDispose](), { once: true });
	}

	async ask<W, A>(room: Room, { name, answer }: Step<W, A>, { scene, wish, timeoutMs = timeoutMsDefault, signal, bytes }: Asked<W>): Promise<A> {
		if (signal?.aborted === true || this.#options.halt?.aborted === true) throw new CalledOff("The step was called off.");
		const worker = await this.#workerIn(room, scene.workspace.path);
		const text = await worker.ask({ step: name, scene, wish }, { timeoutMs, ...(signal && { signal }), ...(bytes && { bytes }) });
		const parsed = answer.safeParse(jsonOf(text));
		if (parsed.success) return parsed.data;
		worker.end("its answer does not have the right shape");
		throw new RoomFault(`The step ${name} answered something that it may not answer.`);
	}

	async #workerIn(room: Room, folder: string): Promise<Worker> {
		const key = JSON.stringify([room, folder]);
		// one that was told to end takes nothing any more, also before it is gone
		for (let open = this.#open.get(key); open !== undefined; open = this.#open.get(key)) {
			if (!open.isEnding) return open;
			await open.over;
		}
		return this.#begin(key, room, folder);
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

	#begin(key: string, room: Room, folder: string): Worker {
		const { program, readable, environment, containment, keepMs = keepMsDefault } = this.#options;
		if (containment !== "bubblewrap") throw new RoomFault("There is no sandbox without bubblewrap.");
		const worker = new Worker({ ...room, readable: [...readable, ...room.readable] }, { program, folder, environment, keepMs });
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
	readonly #room: Room;
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
		room: Room,
		{ program, folder, environment, keepMs }: { program: Command; folder: string; environment: Readonly<Record<string, string>>; keepMs: number },
	) {
		this.folder = folder;
		this.#room = room;
		this.#keepMs = keepMs;
		const { command, args, pipes } = contained("bubblewrap", program, room);
		this.#child = spawn(command, [...args], { cwd: folder, env: inRoom(environment, room), stdio: [...pipes.stdio], detached: true });
		// the lifeline stays in our hand: if we die, it does
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
		return (this.#room.bound ?? []).some(({ to }) => to.startsWith(`${folder}/`));
	}

	async ask(
		request: Omit<Request, "id">,
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
			// one piece after the other: whoever takes them may be slower than the room
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
		else waiting.reject(new RoomFault(bytes.toString("utf8", 0, 4000)));
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
			reject(this.#calledOff ? new CalledOff(text) : new RoomFault(text));
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
