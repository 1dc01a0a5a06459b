// Long-lived things share one lifecycle: started in order, stopped in reverse, restarted with a limit.
//
// A part may rely on those started before it. So when one ends by itself, the ones after it are stopped
// too and all of them start again, in order. More than `restartsMax` restarts within `periodMs` means that
// restarting does not help: the supervisor stops everything and says why.
import type { Clock } from "./ports.ts";

export interface Running extends AsyncDisposable {
	/** settles when the part ends by itself, with its error if it failed; stopping it is idempotent */
	readonly ended: Promise<void>;
}

export interface Part {
	readonly name: string;
	start(): Promise<Running>;
}

export interface Intensity {
	restartsMax: number;
	periodMs: number;
	clock: Clock;
}

export class Supervisor implements AsyncDisposable {
	/** settles when the supervisor gives up, and never while it holds */
	readonly failed: Promise<Error>;
	readonly #parts: readonly Part[];
	readonly #intensity: Intensity;
	readonly #giveUp = Promise.withResolvers<Error>();
	#running: Running[] = [];
	#restarts: number[] = [];
	#stopping = false;
	#work: Promise<void> = Promise.resolve();

	private constructor(parts: readonly Part[], intensity: Intensity) {
		this.#parts = parts;
		this.#intensity = intensity;
		this.failed = this.#giveUp.promise;
	}

	/** Starts all parts in order; if one cannot start, those before it are stopped again. */
	static async start(parts: readonly Part[], intensity: Intensity): Promise<Supervisor> {
		const supervisor = new Supervisor(parts, intensity);
		try {
			await supervisor.#startFrom(0);
		} catch (error) {
			await supervisor[Symbol.asyncDispose]();
			throw error;
		}
		return supervisor;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopping = true;
		await this.#work.catch(() => {});
		await this.#stopFrom(0);
	}

	async #startFrom(index: number): Promise<void> {
		for (const [at, part] of this.#parts.entries()) {
			if (at < index || this.#stopping) continue;
			const running = await part.start();
			this.#running[at] = running;
			running.ended.then(
				() => this.#onEnd(at, running, new Error(`${part.name} ended`)),
				(cause: unknown) => this.#onEnd(at, running, new Error(`${part.name} failed`, { cause })),
			);
		}
	}

	async #stopFrom(index: number): Promise<void> {
		const stopping = this.#running.splice(index);
		for (const running of stopping.reverse()) await running[Symbol.asyncDispose]();
	}

	#onEnd(at: number, running: Running, why: Error): void {
		// a part that we stopped, or replaced meanwhile, ends as it should
		if (this.#stopping || this.#running[at] !== running) return;
		this.#work = this.#work.then(() => this.#restartFrom(at, running, why));
	}

	async #restartFrom(at: number, running: Running, why: Error): Promise<void> {
		if (this.#stopping || this.#running[at] !== running) return;
		const { restartsMax, periodMs, clock } = this.#intensity;
		const now = clock.now();
		this.#restarts = [...this.#restarts.filter((then) => then > now - periodMs), now];
		await this.#stopFrom(at);
		if (this.#restarts.length > restartsMax) {
			await this.#fail(why);
			return;
		}
		await this.#startFrom(at).catch((error: unknown) => this.#fail(error instanceof Error ? error : why));
	}

	async #fail(why: Error): Promise<void> {
		this.#stopping = true;
		await this.#stopFrom(0);
		this.#giveUp.resolve(why);
	}
}
