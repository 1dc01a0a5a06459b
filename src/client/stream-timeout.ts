// Notices a connection that is dead although nobody closed it: a daemon that stands still, a laptop that slept, a
// tunnel that is gone. The daemon sends something every few seconds, if only a comment.

/** Three times what the daemon lets pass (`server/event-stream.ts`). */
const timeoutMs = 15_000;

/** The daemon sent nothing for so long. */
export class DaemonNotAnswering extends Error {
	readonly timeoutMs = timeoutMs;

	constructor() {
		super("The daemon does not answer.");
	}
}

/** Waits for each step of a connection; aborts the connection if one takes too long. */
export class StreamTimeout {
	readonly #dead = new AbortController();
	readonly #ended: AbortSignal;

	constructor(ended: AbortSignal) {
		this.#ended = ended;
	}

	/** what the connection has to be opened with */
	get signal(): AbortSignal {
		return AbortSignal.any([this.#ended, this.#dead.signal]);
	}

	/** Also rejects where the transport does not notice that it was aborted. */
	async within<T>(step: Promise<T>): Promise<T> {
		const { promise, reject } = Promise.withResolvers<never>();
		const timer = setTimeout(() => {
			const reason = new DaemonNotAnswering();
			this.#dead.abort(reason);
			reject(reason);
		}, timeoutMs);
		try {
			return await Promise.race([step, promise]);
		} finally {
			clearTimeout(timer);
		}
	}

	async *chunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
		const chunks = body[Symbol.asyncIterator]();
		try {
			for (;;) {
				const { done, value } = await this.within(chunks.next());
				if (done === true) return;
				yield value;
			}
		} finally {
			// a body that waits for its next chunk ends only when that comes
			if (!this.#dead.signal.aborted) await chunks.return?.();
		}
	}
}
