// The resumable event stream: the journal from where the reader left off, then everything as it happens.
//
// An event is encoded once and the same bytes go to every reader that wants it. A reader that does not keep up is cut
// and told where to resume; the journal has everything, so nothing is lost and other readers do not wait.
import type { ServerResponse } from "node:http";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import type { Unjournaled } from "#contract/rows.ts";
import type { Delta, LiveMessage } from "#contract/stream.ts";
import { extended, isFinishedBy, keyOf } from "#contract/unfinished.ts";
import type { Engine } from "#engine/engine.ts";
import type { EventReader } from "#engine/loop/publish.ts";
import { eventView } from "#views/wire.ts";
import { drained } from "./exchange.ts";
import { type EventQuery, StreamFilter } from "./stream-filter.ts";
import { clocksOf } from "./unjournaled.ts";

const pageEvents = 1000;
const keepAliveMs = 5000;
/** bytes that may wait in a reader's socket before it is cut */
const waitingBytesMax = 8 * 1024 * 1024;

interface Reader {
	out: ServerResponse;
	/** the last event that was sent to it */
	after: number;
	isCaughtUp: boolean;
	deltas: boolean;
	filter: StreamFilter;
}

export class EventStream implements AsyncDisposable {
	readonly readersMax: number;
	readonly #engine: Engine;
	readonly #readers = new Set<Reader>();
	readonly #keepAliveTimer: NodeJS.Timeout;
	#following: EventReader;
	#closed = false;
	readonly #ended: Promise<void>;
	readonly #unjournaled: () => Promise<Unjournaled>;
	/** what has been sent of items that are not finished, by agent */
	readonly #unfinished = new Map<AgentId, Map<string, Delta>>();
	/** the phases of the last `unjournaled` message */
	#phases = "{}";
	#last: number;
	#cuts = 0;

	constructor(
		engine: Engine,
		{ last, readersMax, unjournaled }: { last: number; readersMax: number; unjournaled: () => Promise<Unjournaled> },
	) {
		this.#unjournaled = unjournaled;
		this.#engine = engine;
		this.readersMax = readersMax;
		this.#last = last;
		this.#following = this.#follower();
		this.#keepAliveTimer = setInterval(() => this.#keepAlive(), keepAliveMs).unref();
		this.#ended = this.#follow();
	}

	get full(): boolean {
		return this.#readers.size >= this.readersMax;
	}

	/** how often all readers have been cut; a reader is served with the number from when it was authenticated */
	get cuts(): number {
		return this.#cuts;
	}

	/** Serves one reader until it leaves. */
	async serve(
		out: ServerResponse,
		{ after, deltas, cuts, ...wanted }: EventQuery & { after: number; deltas: boolean; cuts: number },
	): Promise<void> {
		const reader: Reader = {
			out,
			after,
			deltas,
			isCaughtUp: false,
			filter: await StreamFilter.of(wanted, this.#engine.reads),
		};
		if (out.destroyed) return;
		// what authenticated it may be gone: it asks again
		if (cuts !== this.#cuts) return void out.end();
		this.#readers.add(reader);
		// before there was a reader, items were left out of what was published
		this.#last = Math.max(this.#last, this.#engine.publisher.lastPublished);
		out.on("close", () => this.#readers.delete(reader));
		out.on("error", () => this.#readers.delete(reader));
		out.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" });
		out.write(": the journal follows\n\n");
		await this.#catchUp(reader);
	}

	/** Ends every reader's stream; a reader with a valid token resumes where it was. */
	cutAll(): void {
		this.#cuts++;
		for (const { out } of this.#readers) out.end();
		this.#readers.clear();
	}

	/** Sends the journal page by page until the reader has everything that was published: then it has caught up. */
	async #catchUp(reader: Reader): Promise<void> {
		while (this.#readers.has(reader)) {
			const { filter, after } = reader;
			const known = this.#last;
			const range = filter.range(after, known, pageEvents);
			const found = await this.#engine.reads.events(range);
			const events = filter.isOpen ? found : found.filter((event) => filter.takes(event));
			// a page that is not full covered the whole range
			const seen = found.length < pageEvents ? (range.upTo ?? known) : after;
			this.#send(reader, Buffer.from(events.map(encode).join("")), Math.max(seen, found.at(-1)?.id ?? after, after));
			// no event can be published between this check and `isCaughtUp`: nothing is awaited in between
			if (reader.after >= this.#last) {
				reader.isCaughtUp = true;
				reader.out.write(upTo(reader.after));
				if (reader.deltas) this.#sendUnfinished(reader);
				if (filter.isMirror) await this.#sendUnjournaled([reader]);
				return;
			}
			await drained(reader.out);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		clearInterval(this.#keepAliveTimer);
		this.#following[Symbol.dispose]();
		await this.#ended;
		this.cutAll();
	}

	/** Items are wanted while anybody reads, and to know which messages are finished. */
	#follower(): EventReader {
		const items = (): boolean => this.#readers.size > 0 || this.#unfinished.size > 0;
		const reader = this.#engine.publisher.follow({ items });
		reader.onLive(() => this.#sendDeltas());
		return reader;
	}

	async #follow(): Promise<void> {
		while (!this.#closed) {
			for (let events = await this.#following.next(); events !== null; events = await this.#following.next())
				this.#sendEvents(events);
			if (this.#closed) return;
			// this reader itself was cut: all readers catch up from the journal
			this.#following = this.#follower();
			this.#last = await this.#engine.reads.lastEvent();
			for (const reader of [...this.#readers].filter(({ isCaughtUp }) => isCaughtUp)) {
				reader.isCaughtUp = false;
				this.#catchUp(reader).catch(() => reader.out.destroy());
			}
		}
	}

	#sendEvents(events: readonly Event[]): void {
		const first = events[0]?.id ?? 0;
		const last = events.at(-1)?.id ?? this.#last;
		// readers may have been given what other nodes wrote before it was published here
		this.#last = Math.max(this.#last, last);
		for (const event of events) this.#forgetFinished(event);
		const texts = events.map(encode);
		const all = Buffer.from(texts.join(""));
		for (const reader of this.#readers) {
			if (!reader.isCaughtUp || reader.after >= last) continue;
			// a reader that has just caught up may already have the first of these events
			if (reader.filter.isOpen && reader.after < first) this.#send(reader, all, last);
			else this.#send(reader, Buffer.from(wantedOf(reader, events, texts)), last);
		}
		this.#sendPhases();
	}

	/** Sends mirrors the phases of open turns if they have changed. */
	#sendPhases(): void {
		const phases = JSON.stringify(this.#engine.reportedPhases());
		if (phases === this.#phases) return;
		this.#phases = phases;
		for (const { isCaughtUp, filter, out } of this.#readers)
			if (isCaughtUp && filter.isMirror) out.write(`event: unjournaled\ndata: {"phases":${phases}}\n\n`);
	}

	async #sendUnjournaled(readers: readonly Reader[]): Promise<void> {
		if (readers.length === 0) return;
		const unjournaled = await this.#unjournaled();
		const update = { journalId: this.#engine.agentZero.id, clocks: clocksOf(this.#engine), ...unjournaled };
		const text = `event: unjournaled\ndata: ${JSON.stringify(update)}\n\n`;
		for (const { out } of readers) if (!out.destroyed) out.write(text);
	}

	#send(reader: Reader, bytes: Buffer, last: number): void {
		if (reader.isCaughtUp && reader.out.writableLength > waitingBytesMax) {
			this.#readers.delete(reader);
			reader.out.end(`event: cut\ndata: ${JSON.stringify({ after: reader.after })}\n\n`);
			return;
		}
		reader.out.write(bytes);
		reader.after = last;
	}

	#sendUnfinished({ out, filter }: Reader): void {
		for (const messages of this.#unfinished.values())
			for (const message of messages.values())
				if (filter.takesDelta(message)) out.write(encodeLive({ soFar: message }));
	}

	/** An item finishes the message that it came from, the end of a turn all messages of the agent. */
	#forgetFinished(event: Event): void {
		const { agent, kind } = event;
		const messages = agent === null ? undefined : this.#unfinished.get(agent);
		if (agent === null || messages === undefined) return;
		for (const [key, message] of messages) if (isFinishedBy(message, event)) messages.delete(key);
		if (kind === "turn.ended" || messages.size === 0) this.#unfinished.delete(agent);
	}

	#keepUnfinished(message: LiveMessage): void {
		const delta = deltaOf(message);
		const messages = this.#unfinished.get(delta.agent) ?? new Map<string, Delta>();
		const before = "soFar" in message ? undefined : messages.get(keyOf(delta));
		messages.set(keyOf(delta), extended(before, delta));
		this.#unfinished.set(delta.agent, messages);
	}

	#sendDeltas(): void {
		const messages = this.#following.takeLive();
		for (const message of messages) this.#keepUnfinished(message);
		const encoded = messages.map((message) => ({ delta: deltaOf(message), text: encodeLive(message) }));
		for (const { isCaughtUp, deltas, out, filter } of this.#readers) {
			if (!isCaughtUp || !deltas || out.writableLength >= waitingBytesMax) continue;
			const text = encoded.flatMap((each) => (filter.takesDelta(each.delta) ? each.text : [])).join("");
			if (text !== "") out.write(text);
		}
	}

	#keepAlive(): void {
		for (const { out } of this.#readers) out.write(": still here\n\n");
		this.#sendUnjournaled([...this.#readers].filter(({ isCaughtUp, filter }) => isCaughtUp && filter.isMirror)).catch(
			expected("the next keep-alive sends it again"),
		);
	}
}

const encode = (event: Event): string => `id: ${event.id}\ndata: ${JSON.stringify(eventView(event))}\n\n`;

const deltaOf = (message: LiveMessage): Delta => ("delta" in message ? message.delta : message.soFar);

const encodeLive = (message: LiveMessage): string =>
	`event: ${"delta" in message ? "delta" : "soFar"}\ndata: ${JSON.stringify(deltaOf(message))}\n\n`;

/** Says how far a reader is, even if the last event was not sent to it. */
const upTo = (event: number): string => `event: upTo\ndata: ${event}\n\n`;

/** The events that a reader wants and does not have, and how far it is then. */
function wantedOf({ after, filter }: Reader, events: readonly Event[], texts: readonly string[]): string {
	const taken = texts.filter((_, index) => {
		const event = events[index];
		return event !== undefined && event.id > after && filter.takes(event);
	});
	return `${taken.join("")}${upTo(events.at(-1)?.id ?? after)}`;
}
