// The event stream of all tabs. Browsers allow six connections per host, so only one tab connects: it holds a lock,
// asks for what all tabs want and passes the messages on. When that tab closes, the next one gets the lock and takes
// over.
//
//   tab ──want {after, threads}──▶ leader ──one connection──▶ daemon
//   tab ◀──begin, messages, end─── leader
//
// A tab takes only messages of connections that serve its want: a connection that was opened before it may already be
// past the events that the tab lacks.
import { Refused, type StreamRequest } from "#client/client.ts";
import { DaemonNotAnswering } from "#client/stream-timeout.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { StreamMessage } from "#contract/stream.ts";

type Query = StreamRequest & { after: number };
export type OpenStream = (query: Query, signal: AbortSignal) => AsyncGenerator<StreamMessage>;

interface Want {
	id: string;
	after: number;
	threads: readonly string[];
}

export type TabMessage =
	| { want: Want }
	| { leave: string }
	/** a new leader asks what all tabs want */
	| { askAll: true }
	| { begin: string; wants: readonly string[] }
	| { message: StreamMessage; of: string }
	| ({ end: string; wants: readonly string[] } & End);

/** Why a connection ended. */
interface End {
	refusal: Refusal | null;
	/** nothing came from the daemon for too long */
	isTimeout: boolean;
	/** what came is no event stream of this version */
	isUnreadable: boolean;
}

/** The tabs of one browser; `BroadcastChannel` is one. */
export interface Channel {
	postMessage(said: TabMessage): void;
	addEventListener(kind: "message", receive: (event: { data: TabMessage }) => void): void;
}

export interface SharedStreamParts {
	/** unique among the tabs */
	tab: string;
	open: OpenStream;
	channel: Channel;
	/** resolves when this tab is the one that connects */
	lead(): Promise<unknown>;
}

interface Reader {
	want: Want;
	/** the connection that serves it; null before there is one */
	of: string | null;
	push(message: StreamMessage | { end: End }): void;
}

export class SharedStream {
	readonly #parts: SharedStreamParts;
	readonly #readers = new Map<string, Reader>();
	#count = 0;
	#leader: Leader | null = null;

	constructor(parts: SharedStreamParts) {
		this.#parts = parts;
		parts.channel.addEventListener("message", ({ data }) => this.#receive(data));
		void parts.lead().then(() => {
			this.#leader = new Leader(parts, (said) => this.#say(said));
			this.#say({ askAll: true });
		});
	}

	/** One connection, until it ends; like `Client.stream`. */
	async *stream({ after, threads = "" }: Query, signal: AbortSignal): AsyncGenerator<StreamMessage> {
		if (signal.aborted) return;
		const id = `${this.#parts.tab}.${++this.#count}`;
		const queue: (StreamMessage | { end: End })[] = [];
		let wake = (): void => {};
		const push: Reader["push"] = (message) => {
			queue.push(message);
			wake();
		};
		const reader: Reader = { want: { id, after, threads: threads.split(",").filter(Boolean) }, of: null, push };
		this.#readers.set(id, reader);
		const stop = (): void => push({ end: { refusal: null, isTimeout: false, isUnreadable: false } });
		signal.addEventListener("abort", stop);
		this.#say({ want: reader.want });
		try {
			for (;;) {
				const message = queue.shift();
				if (message === undefined) {
					await new Promise<void>((resume) => (wake = resume));
					continue;
				}
				if (signal.aborted) return;
				if ("end" in message) {
					if (message.end.refusal !== null) throw new Refused(message.end.refusal);
					if (message.end.isTimeout) throw new DaemonNotAnswering();
					if (message.end.isUnreadable) throw new SyntaxError("The event stream cannot be read.");
					return;
				}
				if ("event" in message) reader.want.after = Math.max(reader.want.after, message.event.id);
				if ("upTo" in message) reader.want.after = Math.max(reader.want.after, message.upTo);
				yield message;
			}
		} finally {
			signal.removeEventListener("abort", stop);
			this.#readers.delete(id);
			this.#say({ leave: id });
		}
	}

	#say(said: TabMessage): void {
		this.#parts.channel.postMessage(said);
		this.#receive(said);
	}

	#receive(said: TabMessage): void {
		this.#leader?.receive(said);
		for (const reader of this.#readers.values()) {
			if ("askAll" in said) this.#answer(reader);
			else if ("begin" in said && said.wants.includes(reader.want.id)) reader.of = said.begin;
			else if ("message" in said && said.of === reader.of) reader.push(said.message);
			else if ("end" in said && said.wants.includes(reader.want.id)) reader.push({ end: said });
		}
	}

	/** Later messages of the old leader's connection are not taken: the new one begins where this reader stands. */
	#answer(reader: Reader): void {
		reader.of = null;
		this.#say({ want: { ...reader.want } });
	}
}

/** The part of the tab that connects. */
class Leader {
	readonly #parts: SharedStreamParts;
	readonly #say: (said: TabMessage) => void;
	readonly #wants = new Map<string, Want & { served: boolean }>();
	#connection = new AbortController();
	#position = 0;
	#count = 0;
	#scheduled = false;

	constructor(parts: SharedStreamParts, say: (said: TabMessage) => void) {
		this.#parts = parts;
		this.#say = say;
	}

	receive(said: TabMessage): void {
		if ("leave" in said) this.#wants.delete(said.leave);
		if (!("want" in said)) return;
		this.#wants.set(said.want.id, { ...said.want, served: false });
		if (this.#scheduled) return;
		// several tabs answer the question at once: one connection for all
		this.#scheduled = true;
		setTimeout(() => {
			this.#scheduled = false;
			void this.#connect();
		}, 5);
	}

	async #connect(): Promise<void> {
		this.#connection.abort();
		this.#connection = new AbortController();
		const { signal } = this.#connection;
		if (this.#wants.size === 0) return;
		const wants = [...this.#wants.keys()];
		const all = [...this.#wants.values()];
		const after = Math.min(...all.map((want) => (want.served ? this.#position : want.after)));
		for (const want of all) want.served = true;
		const connection = `${this.#parts.tab}/${++this.#count}`;
		const threads = [...new Set(all.flatMap((want) => want.threads))].join(",");
		this.#position = after;
		this.#say({ begin: connection, wants });
		const end: End = { refusal: null, isTimeout: false, isUnreadable: false };
		try {
			for await (const message of this.#parts.open({ after, deltas: true, threads }, signal)) {
				if (signal.aborted) return;
				if ("event" in message) this.#position = Math.max(this.#position, message.event.id);
				if ("upTo" in message) this.#position = Math.max(this.#position, message.upTo);
				this.#say({ message, of: connection });
			}
		} catch (error) {
			if (error instanceof Refused) end.refusal = error.refusal;
			end.isTimeout = error instanceof DaemonNotAnswering;
			end.isUnreadable = error instanceof SyntaxError;
		}
		if (signal.aborted) return;
		for (const want of wants) this.#wants.delete(want);
		this.#say({ end: connection, wants, ...end });
	}
}
