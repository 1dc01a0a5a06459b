// The resumable event stream: the journal from where the reader left off, then everything as it happens.
//
// An event is encoded once and the same bytes go to every reader. A reader that does not keep up is cut and told where to
// resume; the journal has everything, so nothing is lost, and nobody else waits for it.
import type { ServerResponse } from "node:http";
import type { Event } from "#contract/event.ts";
import type { Engine } from "#engine/engine.ts";
import type { Subscription } from "#engine/publish.ts";
import { itemView } from "#views/wire.ts";

const pageEvents = 1000;
const heartbeatMs = 15_000;
/** bytes that may wait in a reader's socket before it is cut */
const waitingBytesMax = 8 * 1024 * 1024;

interface Reader {
	out: ServerResponse;
	/** the last event that it was given */
	after: number;
	live: boolean;
	deltas: boolean;
}

export class EventStream implements AsyncDisposable {
	readonly watchersMax: number;
	readonly #engine: Engine;
	readonly #readers = new Set<Reader>();
	readonly #heartbeat: NodeJS.Timeout;
	#following: Subscription;
	#closed = false;
	readonly #ended: Promise<void>;
	#last: number;

	constructor(engine: Engine, { last, watchersMax }: { last: number; watchersMax: number }) {
		this.#engine = engine;
		this.watchersMax = watchersMax;
		this.#last = last;
		this.#following = engine.publisher.follow();
		this.#following.onLive(() => this.#passOn());
		this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
		this.#ended = this.#follow();
	}

	get full(): boolean {
		return this.#readers.size >= this.watchersMax;
	}

	/** Serves one reader until it leaves. */
	async serve(out: ServerResponse, { after, deltas }: { after: number; deltas: boolean }): Promise<void> {
		const reader: Reader = { out, after, deltas, live: false };
		this.#readers.add(reader);
		out.on("close", () => this.#readers.delete(reader));
		out.on("error", () => this.#readers.delete(reader));
		out.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" });
		out.write(": the journal follows\n\n");
		await this.#catchUp(reader);
	}

	/** Ends every reader's stream; one that still has a token that counts begins again where it was. */
	cutAll(): void {
		for (const { out } of this.#readers) out.end();
		this.#readers.clear();
	}

	/** The journal, page by page, until the reader has everything that was published; from there on it is live. */
	async #catchUp(reader: Reader): Promise<void> {
		while (this.#readers.has(reader)) {
			const events = await this.#engine.reads.events({ after: reader.after, limit: pageEvents });
			if (events.length > 0) this.#give(reader, encode(events), events.at(-1)?.id ?? reader.after);
			// nothing can come between this look and the next event: both happen here, one after the other
			if (reader.after >= this.#last) {
				reader.live = true;
				return;
			}
			await drained(reader.out);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		clearInterval(this.#heartbeat);
		this.#following[Symbol.dispose]();
		await this.#ended;
		this.cutAll();
	}

	async #follow(): Promise<void> {
		while (!this.#closed) {
			for (let events = await this.#following.next(); events !== null; events = await this.#following.next()) this.#pass(events);
			if (this.#closed) return;
			// we were cut off ourselves: everybody reads on in the journal
			this.#following = this.#engine.publisher.follow();
			this.#following.onLive(() => this.#passOn());
			this.#last = await this.#engine.reads.lastEvent();
			for (const reader of [...this.#readers].filter(({ live }) => live)) {
				reader.live = false;
				this.#catchUp(reader).catch(() => reader.out.destroy());
			}
		}
	}

	#pass(events: readonly Event[]): void {
		const first = events[0]?.id ?? 0;
		const last = events.at(-1)?.id ?? this.#last;
		this.#last = last;
		const bytes = encode(events);
		for (const reader of this.#readers) {
			if (!reader.live || reader.after >= last) continue;
			// a reader that has just caught up may have the beginning of this already
			this.#give(reader, reader.after < first ? bytes : encode(events.filter(({ id }) => id > reader.after)), last);
		}
	}

	#give(reader: Reader, bytes: Buffer, last: number): void {
		if (reader.live && reader.out.writableLength > waitingBytesMax) {
			this.#readers.delete(reader);
			reader.out.end(`event: cut\ndata: ${JSON.stringify({ after: reader.after })}\n\n`);
			return;
		}
		reader.out.write(bytes);
		reader.after = last;
	}

	#passOn(): void {
		const pieces = this.#following.takeLive();
		const bytes = Buffer.from(pieces.map((piece) => `event: delta\ndata: ${JSON.stringify(piece)}\n\n`).join(""));
		for (const { live, deltas, out } of this.#readers) if (live && deltas && out.writableLength < waitingBytesMax) out.write(bytes);
	}

	#beat(): void {
		for (const { out } of this.#readers) out.write(": still here\n\n");
	}
}

function encode(events: readonly Event[]): Buffer {
	return Buffer.from(events.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(itemView(event))}\n\n`).join(""));
}

/** Resolves when the socket has room again, or is gone. */
async function drained(out: ServerResponse): Promise<void> {
	if (!out.writableNeedDrain || out.destroyed) return;
	const { promise, resolve } = Promise.withResolvers<void>();
	const resume = (): void => resolve();
	out.once("drain", resume).once("close", resume);
	await promise;
	out.off("drain", resume).off("close", resume);
}
