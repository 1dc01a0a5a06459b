// A copy of the rows that a screen shows, kept up to date. Runs in Node and in a browser.
//
//   rows at one event ─▶ the event stream from there ─▶ fold ─▶ what changed
//        ▲                        │ the connection broke: from the last event
//        └────────────────────────┘ other threads or boards are shown, or the journal is another one
//
// It folds events with the store's reducers and shows rows with the server's views, so it differs from the server by at
// most the events that have not arrived yet. An event costs what it changes, however many rows there are.
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

/** What changed: everything, some rows, a thread, or a running message. */
export type Changed =
	| { all: true }
	/** `item` is of a shown thread, `line` of an agent that is only followed */
	| { rows: readonly RowName[]; item: Item | null; line?: Item }
	| { message: AgentId }
	| { unjournaled: true };

/** Where the rows and events come from: a client, or something that shares one connection among several mirrors. */
export type MirrorSource = Pick<Client, "call" | "stream" | "findAgain">;

export interface MirrorOptions {
	changed?(changed: Changed): void;
	/** how many items of each thread are kept; `older` loads more */
	itemsMax?: number;
	/** the time on the client's clock */
	now(): number;
	/** waits before a reconnection */
	pause?(): Promise<unknown>;
	/** called before a reconnection, to start a daemon that died */
	mend?(): Promise<unknown>;
}

const noRows = {
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
	readonly #client: MirrorSource;
	readonly #options: Required<MirrorOptions>;
	#shown: Shown = { boards: [], threads: [] };
	#view = new Mirrored(noRows, this.#shown);
	#threads = new Map<AgentId, Item[]>();
	#followed: readonly AgentId[] = [];
	/** how many items of a thread are kept, where older ones were loaded */
	readonly #lengths = new Map<AgentId, number>();
	#deltas = new Map<AgentId, Map<string, Delta>>();
	#unjournaled: Unjournaled = { phases: {}, projects: {}, subscriptions: {} };
	#journal: string | null = null;
	#turnsMax = 0;
	/** how far the daemon's clocks are ahead of the client's */
	#ahead = { now: 0, monotonic: 0 };
	#at = 0;
	#state: "connecting" | "live" | "lost" = "connecting";
	#connection = new AbortController();

	constructor(
		client: MirrorSource,
		{ changed = () => {}, itemsMax = 500, pause = quarterSecond, mend = async () => {}, now }: MirrorOptions,
	) {
		this.#client = client;
		this.#options = { changed, itemsMax, pause, mend, now };
	}

	/** every event up to this one is folded in */
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

	/** The items of a shown thread, oldest first: the last ones, and those that `older` has loaded. */
	thread(agent: AgentId): readonly Item[] {
		return this.#threads.get(agent) ?? [];
	}

	/** The messages that the agent is writing and that are no items yet. */
	messages(agent: AgentId): readonly Delta[] {
		return [...(this.#deltas.get(agent)?.values() ?? [])];
	}

	/** Follows one thread more. Rows stay as they are; turns and mails that were over before are not loaded. */
	async open(agent: AgentId): Promise<void> {
		if (this.#threads.has(agent)) return;
		this.#threads.set(agent, []);
		this.#shown = { ...this.#shown, threads: [...this.#threads.keys()] };
		// The stream continues where it was, with the items of this thread too. Reconnect first: an item that is said
		// between the answer to `items` and a later reconnection would be in neither.
		this.#connection.abort();
		const items = await this.#client.call("items", { params: { agent }, query: { last: this.#options.itemsMax } });
		const last = items.at(-1)?.id ?? 0;
		const newer = this.#threads.get(agent)?.filter(({ id }) => id > last) ?? [];
		this.#threads.set(agent, [...items, ...newer]);
		this.#options.changed({ all: true });
	}

	/** Receives the messages and items of these agents as well, without keeping their threads. */
	follow(agents: readonly AgentId[]): void {
		const isSame = agents.length === this.#followed.length && agents.every((id) => this.#followed.includes(id));
		if (isSame) return;
		this.#followed = agents;
		this.#connection.abort();
	}

	/** Shows other boards and threads. All rows are loaded again, so that they are of one moment. */
	show(shown: Shown): void {
		this.#shown = shown;
		this.#journal = null;
		this.#connection.abort();
	}

	/** Loads older items of a thread; false if there are none. */
	async older(agent: AgentId, last = 200): Promise<boolean> {
		const items = this.#threads.get(agent);
		const first = items?.[0]?.id;
		if (items === undefined || first === undefined) return false;
		const found = await this.#client.call("items", { params: { agent }, query: { last, before: first } });
		if (items[0]?.id === first) items.unshift(...found);
		// whoever reads old items keeps them, whatever is added
		this.#lengths.set(agent, Number.POSITIVE_INFINITY);
		return found.length > 0;
	}

	/** Keeps only the last items of a thread again. */
	shorten(agent: AgentId): void {
		this.#lengths.delete(agent);
		const items = this.#threads.get(agent);
		items?.splice(0, Math.max(0, items.length - this.#options.itemsMax));
	}

	/** Follows the events until the signal is aborted. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			this.#connection = new AbortController();
			const both = AbortSignal.any([signal, this.#connection.signal]);
			try {
				if (this.#journal === null) await this.#load(both);
				for await (const message of this.#client.stream(
					{ after: this.#at, deltas: true, threads: this.#streamed() },
					both,
				)) {
					if (!this.#receive(message)) break;
				}
			} catch (error) {
				// this journal does not reach our position: it is another one
				if (error instanceof Refused && error.refusal.code === "VALIDATION_ERROR") this.#journal = null;
				else if (error instanceof Refused) throw error;
			}
			if (signal.aborted) return;
			if (this.#connection.signal.aborted) continue;
			this.#state = "lost";
			this.#deltas.clear();
			this.#options.changed({ all: true });
			await this.#options.pause();
			await this.#options.mend();
			this.#client.findAgain();
		}
	}

	#streamed(): string {
		return [...new Set([...this.#shown.threads, ...this.#followed])].join(",");
	}

	async #load(signal: AbortSignal): Promise<void> {
		const shown = this.#shown;
		const query = { boards: shown.boards.join(","), threads: shown.threads.join(","), items: this.#options.itemsMax };
		const { journal, now, monotonic, turnsMax, rows, unjournaled } = await this.#client.call("rows", { query });
		if (signal.aborted) return;
		const { last, items, ...kept } = rows;
		this.#view = new Mirrored(kept, shown);
		this.#threads = new Map(shown.threads.map((agent): [AgentId, Item[]] => [agent, []]));
		this.#lengths.clear();
		for (const item of items) if (item.agent !== null) this.#threads.get(item.agent)?.push(itemView(item));
		this.#deltas.clear();
		[this.#unjournaled, this.#turnsMax, this.#at, this.#journal] = [unjournaled, turnsMax, last, journal];
		this.#ahead = { now: now - this.#options.now(), monotonic: monotonic - this.#options.now() };
		this.#options.changed({ all: true });
	}

	/** False if the rows have to be loaded again. */
	#receive(message: StreamMessage): boolean {
		if ("event" in message) this.#fold(message.event);
		else if ("delta" in message) this.#addDelta(message.delta);
		else if ("whole" in message) this.#setMessage(message.whole);
		else if ("at" in message) this.#arrive(message.at);
		else if ("unjournaled" in message) {
			const { journal = this.#journal, phases = this.#unjournaled.phases } = message.unjournaled;
			const { projects = this.#unjournaled.projects, subscriptions = this.#unjournaled.subscriptions } =
				message.unjournaled;
			if (journal !== this.#journal) {
				this.#journal = null;
				return false;
			}
			this.#unjournaled = { phases, projects, subscriptions };
			this.#options.changed({ unjournaled: true });
		}
		return true;
	}

	#arrive(at: number): void {
		this.#at = Math.max(this.#at, at);
		if (this.#state === "live") return;
		this.#state = "live";
		this.#options.changed({ unjournaled: true });
	}

	#fold(item: Item): void {
		// a reconnection may repeat events
		if (item.id <= this.#at) return;
		this.#at = item.id;
		const event = { ...item, at: Date.parse(item.at) };
		this.#view.fold(event);
		if (item.agent !== null && item.kind === "turn.ended") this.#deltas.delete(item.agent);
		const known = item.agent !== null && isItem(item) ? this.#threads.get(item.agent) : undefined;
		// a thread that has just been opened may have it already
		const thread = known === undefined || item.id <= (known.at(-1)?.id ?? 0) ? undefined : known;
		if (thread !== undefined && item.agent !== null) this.#append(thread, item.agent, item);
		this.#options.changed({
			...{ rows: touched(event), item: thread === undefined ? null : item },
			...(thread === undefined && isItem(item) && { line: item }),
		});
	}

	#append(thread: Item[], agent: AgentId, item: Item): void {
		thread.push(item);
		// rarely, so that the cost per item does not depend on the thread's length
		const { itemsMax } = this.#options;
		if (thread.length > (this.#lengths.get(agent) ?? 2 * itemsMax)) thread.splice(0, thread.length - itemsMax);
		const running = this.#deltas.get(agent);
		for (const [message, { kind }] of running ?? []) if (kind === item.kind) running?.delete(message);
	}

	#addDelta(delta: Delta): void {
		const before = this.#deltas.get(delta.agent)?.get(delta.message);
		this.#setMessage({ ...delta, text: (before?.text ?? "") + delta.text });
	}

	#setMessage(message: Delta): void {
		const running = this.#deltas.get(message.agent) ?? new Map<string, Delta>();
		running.set(message.message, message);
		this.#deltas.set(message.agent, running);
		this.#options.changed({ message: message.agent });
	}
}

const quarterSecond = (): Promise<unknown> => new Promise((resume) => setTimeout(resume, 250));
