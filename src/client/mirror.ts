// A copy of the rows that a screen shows, kept up to date. Runs in Node and in a browser.
//
//   rows at one event ─▶ the event stream from there ─▶ fold ─▶ what changed
//        ▲                        │ the connection broke: from the last event
//        └────────────────────────┘ the journal is another one
//
// It folds events as the engine does (`domain/fold`) and shows rows with the server's views, so it differs from the
// server by at most the events that have not arrived yet. An event costs what it changes, however many rows there are.

import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item-kinds.ts";
import { messageOf } from "#contract/message-of.ts";
import type { AnswerOf } from "#contract/routes.ts";
import type { Unjournaled } from "#contract/rows.ts";
import type { Clocks, Delta, StreamMessage } from "#contract/stream.ts";
import type { Item, WireEvent } from "#contract/wire.ts";
import { Mirrored, type MirrorViewInput } from "#views/mirrored.ts";
import { touched } from "#views/rows.ts";
import { Refused } from "./client.ts";
import { Cursor } from "./cursor.ts";
import { KeptThreads } from "./kept-threads.ts";
import { type Lost, lostBy, pauseBetween } from "./lost.ts";
import { type MirrorOptions, type MirrorSource, noMirroredRows, type Shown } from "./mirror-options.ts";
import { RunningMessages } from "./running-messages.ts";

export class Mirror {
	readonly #client: MirrorSource;
	readonly #options: Required<MirrorOptions>;
	#shown: Shown = { boards: [], threads: [] };
	#view = new Mirrored(noMirroredRows, this.#shown);
	readonly #threads: KeptThreads;
	#followed: readonly AgentId[] = [];
	readonly #messages = new RunningMessages();
	#unjournaled: Unjournaled = { phases: {}, projectProblems: {}, subscriptionProblems: {} };
	#journal: string | null = null;
	#turnsMax = 0;
	/** how far the daemon's clocks are ahead of the client's */
	#ahead = { now: 0, monotonic: 0 };
	readonly #cursor = new Cursor();
	#state: "connecting" | "live" | "lost" = "connecting";
	#lost: Lost | null = null;
	/** attempts in a row to find or start a daemon */
	#failed = 0;
	#connection = new AbortController();

	constructor(
		client: MirrorSource,
		{ changed = () => {}, itemsMax = 500, pause = pauseBetween, beforeReconnect = async () => {}, now }: MirrorOptions,
	) {
		this.#client = client;
		this.#options = { changed, itemsMax, pause, beforeReconnect, now };
		this.#threads = new KeptThreads(itemsMax);
	}

	/** every event up to this one is folded in */
	get at(): number {
		return this.#cursor.at;
	}

	get state(): "connecting" | "live" | "lost" {
		return this.#state;
	}

	/** Null while it is not lost. */
	get lost(): Lost | null {
		return this.#lost;
	}

	get view(): Mirrored {
		return this.#view;
	}

	/** What the views need beside the rows. */
	get viewInput(): MirrorViewInput {
		const now = this.#options.now();
		return {
			...this.#unjournaled,
			now: now + this.#ahead.now,
			monotonic: now + this.#ahead.monotonic,
			turnsMax: this.#turnsMax,
		};
	}

	/** The last items of a shown thread, oldest first. */
	thread(agent: AgentId): readonly Item[] {
		return this.#threads.of(agent) ?? [];
	}

	/** What the agent is writing, and the output of its running calls: what is not an item yet. */
	messages(agent: AgentId): readonly Delta[] {
		return this.#messages.of(agent);
	}

	/** Receives the messages and items of these agents as well, without keeping their threads. */
	follow(agents: readonly AgentId[]): void {
		const isSame = agents.length === this.#followed.length && agents.every((id) => this.#followed.includes(id));
		if (isSame) return;
		// what ends while nobody follows is not heard of
		for (const agent of this.#followed)
			if (!agents.includes(agent) && !this.#shown.threads.includes(agent)) this.#messages.forget(agent);
		this.#followed = agents;
		this.#connection.abort();
	}

	/** Shows other boards and threads; resolves when the new ones are there. The other rows stay as they are. */
	async show(shown: Shown): Promise<void> {
		const before = this.#shown;
		this.#shown = shown;
		// the rows that are being loaded are not those that are to be shown
		if (this.#journal === null) return this.#connection.abort();
		const threads = shown.threads.filter((agent) => !before.threads.includes(agent));
		const boards = shown.boards.filter((project) => !before.boards.includes(project));
		this.#view.show(shown);
		for (const agent of before.threads)
			if (!shown.threads.includes(agent)) for (const kept of [this.#threads, this.#messages]) kept.forget(agent);
		for (const agent of threads) this.#threads.begin(agent);
		// The stream continues where it was, with the items of these threads. Reconnect first: an item that is said
		// between the answer and a later reconnection would be in neither.
		if (threads.length > 0) this.#connection.abort();
		if (threads.length > 0 || boards.length > 0) await this.#loadPart({ threads, boards });
	}

	/** Loads the rows of some threads and boards beside the others, which are of another event. */
	async #loadPart(added: Shown): Promise<void> {
		const view = this.#view;
		const began = added.threads.map((agent) => this.#threads.of(agent));
		using since = this.#cursor.record();
		try {
			const query = { ...this.#asked(added), part: "true" as const };
			const { journalId, rows } = await this.#client.call("rows", { query });
			if (journalId !== this.#journal) throw new Error("another journal");
			const { last, items, ...kept } = rows;
			// a thread that was closed and opened again meanwhile has a request of its own
			for (const [at, agent] of added.threads.entries())
				if (this.#threads.of(agent) === began[at]) this.#threads.load(agent, items);
			this.#options.changed({ all: true });
			await this.#cursor.reached(last);
			if (this.#view !== view) return;
			view.add(
				kept,
				since.events.filter(({ id }) => id > last),
			);
			this.#options.changed({ all: true });
		} catch {
			// all of it comes with the next connection, which also tells what is wrong
			this.#journal = null;
			this.#connection.abort();
		}
	}

	#asked({ boards, threads }: Shown) {
		return { boards: boards.join(","), threads: threads.join(","), items: this.#options.itemsMax };
	}

	/** Follows the events until the signal is aborted, or the daemon refuses them for good. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			this.#connection = new AbortController();
			const both = AbortSignal.any([signal, this.#connection.signal]);
			let failure: unknown = null;
			try {
				if (this.#journal === null) await this.#load(signal);
				// what is shown or followed has changed meanwhile, or everything is over
				if (both.aborted) continue;
				for await (const message of this.#client.stream(
					{ after: this.#cursor.at, deltas: true, threads: this.#streamed() },
					both,
				)) {
					if (!this.#receive(message)) break;
				}
			} catch (error) {
				// this journal does not reach our cursor: it is another one
				if (error instanceof Refused && error.refusal.code === "VALIDATION_ERROR") this.#journal = null;
				else if (error instanceof Refused && error.isForGood) throw error;
				else failure = error;
			}
			if (signal.aborted) return;
			if (this.#connection.signal.aborted) continue;
			this.#state = "lost";
			this.#lost = lostBy(failure, this.#lost, this.#options.now());
			this.#messages.clear();
			this.#options.changed({ all: true });
			await this.#options.pause(this.#failed, signal);
			// a daemon that refuses lives
			if (!(failure instanceof Refused) && !signal.aborted) await this.#findDaemon(signal);
		}
	}

	async #findDaemon(signal: AbortSignal): Promise<void> {
		try {
			await this.#options.beforeReconnect(signal);
			this.#told(null);
		} catch (error) {
			if (!signal.aborted) this.#told(messageOf(error));
		}
		this.#client.findAgain();
	}

	/** Why no daemon could be found or started; null if one was. */
	#told(problem: string | null): void {
		this.#failed = problem === null ? 0 : this.#failed + 1;
		if (this.#lost === null || this.#lost.problem === problem) return;
		this.#lost = { ...this.#lost, problem };
		this.#options.changed({ all: true });
	}

	#streamed(): string {
		return [...new Set([...this.#shown.threads, ...this.#followed])].join(",");
	}

	async #load(signal: AbortSignal): Promise<void> {
		const shown = this.#shown;
		const answer = await this.#client.call("rows", { query: this.#asked(shown) });
		// other rows are to be shown by now: those are asked for next
		if (signal.aborted || this.#shown !== shown) return;
		try {
			this.#begin(answer, shown);
		} catch (cause) {
			throw new SyntaxError("These are not the rows of this version.", { cause });
		}
	}

	#begin({ journalId, clocks, rows, unjournaled }: AnswerOf<"rows">, shown: Shown): void {
		const { last, items, ...kept } = rows;
		this.#view = new Mirrored(kept, shown);
		this.#threads.clear();
		for (const agent of shown.threads) {
			this.#threads.begin(agent);
			this.#threads.load(agent, items);
		}
		this.#messages.clear();
		[this.#unjournaled, this.#journal] = [unjournaled, journalId];
		this.#cursor.advance(last);
		this.#setClocks(clocks);
		this.#options.changed({ all: true });
	}

	/** False if the rows have to be loaded again. */
	#receive(message: StreamMessage): boolean {
		if ("event" in message) this.#fold(message.event);
		else if ("delta" in message) {
			this.#messages.add(message.delta);
			this.#options.changed({ message: message.delta.agent });
		} else if ("soFar" in message) {
			this.#messages.set(message.soFar);
			this.#options.changed({ message: message.soFar.agent });
		} else if ("upTo" in message) this.#arrive(message.upTo);
		else if ("unjournaled" in message) {
			const { journalId = this.#journal, clocks, phases = this.#unjournaled.phases } = message.unjournaled;
			const { projectProblems = this.#unjournaled.projectProblems } = message.unjournaled;
			const { subscriptionProblems = this.#unjournaled.subscriptionProblems } = message.unjournaled;
			if (journalId !== this.#journal) {
				this.#journal = null;
				return false;
			}
			if (clocks !== undefined) this.#setClocks(clocks);
			this.#unjournaled = { phases, projectProblems, subscriptionProblems };
			this.#options.changed({ unjournaled: true });
		}
		return true;
	}

	/** A message may have been on its way for a while: only a larger difference is that of the clocks. */
	#setClocks({ now, monotonic, turnsMax }: Clocks): void {
		const [here, before] = [this.#options.now(), this.#ahead];
		const ahead = { now: now - here, monotonic: monotonic - here };
		const isSame = Math.abs(ahead.now - before.now) < 1000 && Math.abs(ahead.monotonic - before.monotonic) < 1000;
		if (!isSame) this.#ahead = ahead;
		this.#turnsMax = turnsMax;
	}

	#arrive(at: number): void {
		this.#cursor.advance(Math.max(this.#cursor.at, at));
		if (this.#state === "live") return;
		[this.#state, this.#lost] = ["live", null];
		this.#options.changed({ unjournaled: true });
	}

	#fold(received: WireEvent): void {
		// a reconnection may repeat events
		if (received.id <= this.#cursor.at) return;
		const event = { ...received, at: Date.parse(received.at) };
		this.#view.fold(event);
		this.#cursor.advance(event.id, event);
		const boards = this.#view.takeLackingBoards();
		if (boards.length > 0) void this.#loadPart({ threads: [], boards });
		const { agent } = event;
		if (agent !== null && event.kind === "turn.ended") this.#messages.forget(agent);
		const item = isItem(received) ? received : null;
		const isShown = agent !== null && item !== null && this.#threads.append(agent, item);
		if (agent !== null && item !== null) this.#messages.end(agent, item);
		this.#options.changed({
			...{ rows: touched(event), item: isShown ? item : null },
			...(!isShown && item !== null && { followedItem: item }),
		});
	}
}
