// A copy of the rows that a screen shows, which keeps itself up to date. The same in Node and in a browser.
//
//   rows at one event ─▶ the event stream from there ─▶ fold ─▶ what changed
//        ▲                        │ the line broke: on from the last event
//        └────────────────────────┘ other threads or boards are shown, or it is another journal
//
// It folds events with the changes that the store uses, and shows rows with the views that the server uses, so it
// cannot disagree with either for longer than an event takes. An event costs what it changes, however many rows there
// are.
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { isItem } from "#contract/item.ts";
import type { Unjournaled } from "#contract/rows.ts";
import type { Delta, StreamMessage } from "#contract/stream.ts";
import type { Item } from "#contract/wire.ts";
import { Mirrored, type Surroundings } from "#views/mirrored.ts";
import { type RowName, touched } from "#views/rows.ts";
import { itemView } from "#views/wire.ts";
import { type Client, Refused } from "./client.ts";

export interface Shown {
	boards: readonly ProjectSlug[];
	threads: readonly AgentId[];
}

/** What has changed: everything, some rows, a thread, or what is being said. */
export type Changed =
	| { all: true }
	| { rows: readonly RowName[]; item: Item | null }
	| { said: AgentId }
	| { unjournaled: true };

export interface MirrorOptions {
	changed?(changed: Changed): void;
	/** of each thread that are kept; older ones are asked for */
	itemsMax?: number;
	/** the time on the client's clock */
	now(): number;
	/** before a broken line is picked up again */
	pause?(): Promise<unknown>;
	/** does what it can for a daemon that is gone */
	mend?(): Promise<unknown>;
}

const none = {
	agents: [],
	projects: [],
	subscriptions: [],
	leases: [],
	prompts: [],
	turns: [],
	approvals: [],
	waits: [],
	mails: [],
	issues: [],
	runs: [],
};

export class Mirror {
	readonly #client: Client;
	readonly #options: Required<MirrorOptions>;
	#shown: Shown = { boards: [], threads: [] };
	#view = new Mirrored(none, this.#shown);
	#threads = new Map<AgentId, Item[]>();
	#deltas = new Map<AgentId, Map<string, Delta>>();
	#unjournaled: Unjournaled = { heard: {}, projects: {}, subscriptions: {} };
	#journal: string | null = null;
	#turnsMax = 0;
	/** what the daemon's clocks are ahead of the client's */
	#ahead = { now: 0, monotonic: 0 };
	#at = 0;
	#state: "connecting" | "live" | "lost" = "connecting";
	#line = new AbortController();

	constructor(
		client: Client,
		{ changed = () => {}, itemsMax = 500, pause = quarterSecond, mend = async () => {}, now }: MirrorOptions,
	) {
		this.#client = client;
		this.#options = { changed, itemsMax, pause, mend, now };
	}

	/** everything up to this event is in it */
	get at(): number {
		return this.#at;
	}

	get state(): "connecting" | "live" | "lost" {
		return this.#state;
	}

	get view(): Mirrored {
		return this.#view;
	}

	/** What the views need beside the rows. */
	get surroundings(): Surroundings {
		const now = this.#options.now();
		return {
			...this.#unjournaled,
			now: now + this.#ahead.now,
			monotonic: now + this.#ahead.monotonic,
			turnsMax: this.#turnsMax,
		};
	}

	/** The items of a thread that is shown, oldest first: the last ones, and what was loaded before them. */
	thread(agent: AgentId): readonly Item[] {
		return this.#threads.get(agent) ?? [];
	}

	/** What is being said and is no item yet. */
	saying(agent: AgentId): readonly Delta[] {
		return [...(this.#deltas.get(agent)?.values() ?? [])];
	}

	/** Shows other boards and threads: rows are taken anew, so that all are of one moment. */
	show(shown: Shown): void {
		this.#shown = shown;
		this.#journal = null;
		this.#line.abort();
	}

	/** Loads older items of a thread in front of those that it has; false if there are none. */
	async older(agent: AgentId, last = 200): Promise<boolean> {
		const items = this.#threads.get(agent);
		const first = items?.[0]?.id;
		if (items === undefined || first === undefined) return false;
		const found = await this.#client.call("items", { params: { agent }, query: { last, before: first } });
		if (items[0]?.id === first) items.unshift(...found);
		return found.length > 0;
	}

	/** Keeps itself up to date until it is told to stop. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			this.#line = new AbortController();
			const both = AbortSignal.any([signal, this.#line.signal]);
			try {
				if (this.#journal === null) await this.#begin(both);
				for await (const message of this.#client.stream(
					{ after: this.#at, deltas: true, threads: this.#shown.threads.join(",") },
					both,
				)) {
					if (!this.#take(message)) break;
				}
			} catch (error) {
				// behind the end of this journal there is another one's
				if (error instanceof Refused && error.refusal.code === "VALIDATION_ERROR") this.#journal = null;
				else if (error instanceof Refused) throw error;
			}
			if (signal.aborted) return;
			if (this.#line.signal.aborted) continue;
			this.#state = "lost";
			this.#deltas.clear();
			this.#options.changed({ all: true });
			await this.#options.pause();
			await this.#options.mend();
			this.#client.findAgain();
		}
	}

	async #begin(signal: AbortSignal): Promise<void> {
		const shown = this.#shown;
		const query = { boards: shown.boards.join(","), threads: shown.threads.join(","), items: this.#options.itemsMax };
		const { journal, now, monotonic, turnsMax, rows, unjournaled } = await this.#client.call("rows", { query });
		if (signal.aborted) return;
		const { last, items, ...kept } = rows;
		this.#view = new Mirrored(kept, shown);
		this.#threads = new Map(shown.threads.map((agent): [AgentId, Item[]] => [agent, []]));
		for (const item of items) if (item.agent !== null) this.#threads.get(item.agent)?.push(itemView(item));
		this.#deltas.clear();
		[this.#unjournaled, this.#turnsMax, this.#at, this.#journal] = [unjournaled, turnsMax, last, journal];
		this.#ahead = { now: now - this.#options.now(), monotonic: monotonic - this.#options.now() };
		this.#options.changed({ all: true });
	}

	/** False if it has to begin anew. */
	#take(message: StreamMessage): boolean {
		if ("event" in message) this.#fold(message.event);
		else if ("delta" in message) this.#hear(message.delta);
		else if ("at" in message) [this.#at, this.#state] = [Math.max(this.#at, message.at), "live"];
		else if ("unjournaled" in message) {
			const { journal = this.#journal, heard = this.#unjournaled.heard } = message.unjournaled;
			const { projects = this.#unjournaled.projects, subscriptions = this.#unjournaled.subscriptions } =
				message.unjournaled;
			if (journal !== this.#journal) {
				this.#journal = null;
				return false;
			}
			this.#unjournaled = { heard, projects, subscriptions };
			this.#options.changed({ unjournaled: true });
		}
		return true;
	}

	#fold(item: Item): void {
		// a line that was picked up again may repeat itself
		if (item.id <= this.#at) return;
		this.#at = item.id;
		const event = { ...item, at: Date.parse(item.at) };
		this.#view.fold(event);
		if (item.agent !== null && item.kind === "turn.ended") this.#deltas.delete(item.agent);
		const thread = item.agent !== null && isItem(item) ? this.#threads.get(item.agent) : undefined;
		if (thread !== undefined && item.agent !== null) this.#append(thread, item.agent, item);
		this.#options.changed({ rows: touched(event), item: thread === undefined ? null : item });
	}

	#append(thread: Item[], agent: AgentId, item: Item): void {
		thread.push(item);
		// seldom, so that an item costs the same however long its thread is
		if (thread.length > 2 * this.#options.itemsMax) thread.splice(0, thread.length - this.#options.itemsMax);
		const saying = this.#deltas.get(agent);
		for (const [message, { kind }] of saying ?? []) if (kind === item.kind) saying?.delete(message);
	}

	#hear(delta: Delta): void {
		const saying = this.#deltas.get(delta.agent) ?? new Map<string, Delta>();
		const before = saying.get(delta.message);
		saying.set(delta.message, { ...delta, text: (before?.text ?? "") + delta.text });
		this.#deltas.set(delta.agent, saying);
		this.#options.changed({ said: delta.agent });
	}
}

const quarterSecond = (): Promise<unknown> => new Promise((resume) => setTimeout(resume, 250));
