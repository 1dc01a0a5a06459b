// What the screens show: the mirror's rows as views. A view is computed when a screen asks for it, and again only after
// rows have changed. Screens are told at most once per frame, and less often if the views are expensive.
import { type Client, Refused } from "#client/client.ts";
import { Mirror } from "#client/mirror.ts";
import type { Changed } from "#client/mirror-options.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Item } from "#contract/wire.ts";
import { localNow } from "./connection.ts";
import { Conversations, itemsLoaded } from "./conversations.ts";
import { type Connection, Seen } from "./seen.ts";
import type { OpenStream } from "./shared-stream.ts";

/** What a screen needs beside the rows that all screens have. */
export interface Needs {
	threads: readonly AgentId[];
	boards: readonly ProjectSlug[];
	/** only the last line of these */
	lines: readonly AgentId[];
}

/** waits before a reconnection, by the number of failures in a row */
const backoffMs = [250, 500, 1000, 2000, 4000];

export class Store {
	readonly client: Client;
	readonly conversations: Conversations;
	readonly #mirror: Mirror;
	readonly #listeners = new Set<() => void>();
	readonly #needs = new Set<Needs>();
	#seen: Seen;
	#connection: Connection = { state: "connecting" };
	#isScheduled = false;
	/** rows have changed since the screens were told */
	#isStale = true;
	#costMs = 0;
	/** when the screens were told last */
	#toldAt = 0;
	#failures = 0;
	#shown = "";

	constructor(client: Client, stream: OpenStream) {
		this.client = client;
		this.#mirror = new Mirror(
			{ call: (...args) => client.call(...args), stream, findAgain: () => client.findAgain() },
			{
				...{ now: localNow, itemsMax: itemsLoaded, changed: (changed) => this.#changed(changed) },
				pause: () => wait(backoffMs[Math.min(this.#failures++, backoffMs.length - 1)] ?? 0),
			},
		);
		this.conversations = new Conversations(client, this.#mirror, () => this.#tell());
		this.#seen = new Seen(this.#mirror, this.#connection);
	}

	/** Follows the daemon until the page is closed, or the daemon refuses this browser. */
	async run(): Promise<void> {
		try {
			await this.#mirror.run(new AbortController().signal);
		} catch (error) {
			const refusal = error instanceof Refused ? error.refusal : null;
			if (refusal === null) throw error;
			this.#connection = { state: "refused", refusal };
			this.#isStale = true;
			this.#tell();
		}
	}

	get seen(): Seen {
		return this.#seen;
	}

	readonly subscribe = (listener: () => void): (() => void) => {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	};

	/** A screen is open; the answer closes it. */
	need(needs: Needs): () => void {
		this.#needs.add(needs);
		this.#show();
		return () => {
			this.#needs.delete(needs);
			// the next screen is opened right after: one change instead of two
			queueMicrotask(() => this.#show());
		};
	}

	#show(): void {
		const all = [...this.#needs];
		const threads = [...new Set(all.flatMap((need) => need.threads))];
		const boards = [...new Set(all.flatMap((need) => need.boards))];
		const lines = [...new Set(all.flatMap((need) => need.lines))].filter((id) => !threads.includes(id));
		const shown = JSON.stringify([threads, boards]);
		this.#mirror.follow(lines.toSorted());
		// what is no longer shown stays until something else is
		if (shown === this.#shown || (threads.length === 0 && boards.length === 0)) return;
		this.#shown = shown;
		void this.#mirror.show({ threads, boards });
	}

	#changed(changed: Changed): void {
		if ("message" in changed) this.conversations.touch(changed.message);
		else if ("all" in changed) this.conversations.reload();
		else if ("rows" in changed) this.#addToConversations(changed);
		// words that an agent says change no row: only who shows them is told
		this.#isStale ||= !("message" in changed) && !("rows" in changed && changed.rows.length === 0);
		this.#tell();
	}

	#addToConversations({ item, followedItem }: { item: Item | null; followedItem?: Item }): void {
		if (item !== null) this.conversations.add(item);
		if (followedItem !== undefined) this.conversations.addLine(followedItem);
	}

	#tell(): void {
		if (this.#isScheduled) return;
		this.#isScheduled = true;
		// a page in the background gets no frames
		if (document.hidden) setTimeout(() => this.#flush(), 250);
		else
			setTimeout(() => requestAnimationFrame(() => this.#flush()), this.#toldAt + this.#costMs * 3 - performance.now());
	}

	#flush(): void {
		this.#isScheduled = false;
		const began = performance.now();
		this.conversations.flush();
		if (this.#isStale) this.#renew();
		this.#toldAt = performance.now();
		this.#costMs = Math.min(500, this.#toldAt - began);
	}

	#renew(): void {
		this.#isStale = false;
		this.#connection = this.#connectionNow();
		this.#seen = new Seen(this.#mirror, this.#connection);
		for (const listener of this.#listeners) listener();
	}

	#connectionNow(): Connection {
		const { state, lost } = this.#mirror;
		if (this.#connection.state === "refused") return this.#connection;
		if (state === "live") this.#failures = 0;
		return state === "lost" && lost !== null ? { state, ...lost } : { state: state === "live" ? state : "connecting" };
	}
}

const wait = (ms: number): Promise<unknown> => new Promise((resume) => setTimeout(resume, ms));
