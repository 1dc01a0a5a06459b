// Until when a daemon that stops lets its turns run: what the latest signals say.
import { drainSignal, upgradeSignal } from "#local/signals.ts";

/** for SIGTERM and SIGINT */
const turnsMs = 10_000;

export class StopDeadline {
	readonly #passed = Promise.withResolvers<void>();
	readonly #taken = new Set<NodeJS.Signals>();
	#timer: NodeJS.Timeout | undefined;
	#latest: NodeJS.Signals | null = null;

	/** Resolves when the turns that still run are to be interrupted. */
	get passed(): Promise<void> {
		return this.#passed.promise;
	}

	/** Whether a successor starts: not if somebody stops the daemon during its upgrade. */
	get isUpgrade(): boolean {
		return this.#latest === upgradeSignal;
	}

	/** The drain signal replaces an earlier deadline, and a later SIGTERM sets one again. */
	take(signal: NodeJS.Signals): void {
		this.#latest = signal;
		if (signal === drainSignal || signal === upgradeSignal) {
			clearTimeout(this.#timer);
			this.#timer = undefined;
			this.#taken.clear();
		} else {
			this.#timer ??= setTimeout(() => this.pass(), turnsMs).unref();
			// `brood down` sends SIGTERM, `--now` SIGTERM and SIGINT, which may arrive in any order
			if (this.#taken.size > 0 && (signal === "SIGINT" || this.#taken.has("SIGINT"))) this.pass();
		}
		this.#taken.add(signal);
	}

	pass(): void {
		clearTimeout(this.#timer);
		this.#passed.resolve();
	}
}
