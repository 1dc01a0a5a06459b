// The conversations that are shown, as blocks, and the last line of each agent that is followed.
import type { Client } from "#client/client.ts";
import type { Mirror } from "#client/mirror.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { Delta } from "#contract/stream.ts";
import type { Item } from "#contract/wire.ts";
import { type Block, Blocks } from "#views/conversation.ts";
import { rangesOf } from "#views/ranges.ts";
import { lastLineOf, lineOf } from "./last-line.ts";
import { refusalOf } from "./refusal-of.ts";

export interface ConversationSeen {
	blocks: readonly Block[];
	/** what the agent is writing now */
	messages: readonly Delta[];
	/** false once everything has been loaded, the inherited part too */
	hasOlder: boolean;
	/** why older items could not be read; null if nobody tried, or they could */
	refusal: Refusal | null;
}

interface Conversation {
	blocks: Blocks;
	/** the newest item in it */
	last: number;
	/** where older items are: its own, then those of each ancestor; null if there are none */
	next: { of: AgentId; before: number } | null;
	/** why those could not be read */
	refusal: Refusal | null;
}

/** items that are loaded at once */
const olderItems = 300;
/** of a conversation, when it is opened */
export const itemsLoaded = 300;
const nothing: ConversationSeen = { blocks: [], messages: [], hasOlder: false, refusal: null };

export class Conversations {
	readonly #client: Client;
	readonly #mirror: Mirror;
	readonly #known = new Map<AgentId, Conversation>();
	readonly #seen = new Map<AgentId, ConversationSeen>();
	readonly #lines = new Map<AgentId, string>();
	readonly #listeners = new Map<AgentId, Set<() => void>>();
	readonly #lineListeners = new Set<() => void>();
	readonly #touched = new Set<AgentId>();
	readonly #loading = new Set<AgentId>();

	readonly #told: () => void;

	/** `told` is called when a line was read. */
	constructor(client: Client, mirror: Mirror, told: () => void) {
		this.#client = client;
		this.#mirror = mirror;
		this.#told = told;
	}

	seen(agent: AgentId): ConversationSeen {
		return this.#seen.get(agent) ?? nothing;
	}

	subscribe(agent: AgentId, listener: () => void): () => void {
		const all = this.#listeners.get(agent) ?? new Set();
		this.#listeners.set(agent, all.add(listener));
		this.#touched.add(agent);
		return () => {
			all.delete(listener);
			if (all.size === 0) this.#listeners.delete(agent);
		};
	}

	readonly subscribeLines = (listener: () => void): (() => void) => {
		this.#lineListeners.add(listener);
		return () => this.#lineListeners.delete(listener);
	};

	/** The end of what the agent is writing, or of what it said last; null if nothing has been heard of it yet. */
	lastLine(agent: AgentId): string | null {
		const message = this.#mirror.messages(agent).at(-1)?.text;
		// one that is no longer shown does not go on
		const last = this.#listeners.has(agent) ? this.#known.get(agent)?.blocks.list.at(-1) : undefined;
		return lastLineOf(message) ?? (last && lineOf(last.kind, last.text)) ?? this.#lines.get(agent) ?? null;
	}

	/**
	 * Reads the last line of an agent of which nothing was heard yet; what the stream says meanwhile is newer. Of an
	 * agent without a turn, which the stream may not follow, it is read `again`.
	 */
	async readLine(agent: AgentId, { again = false } = {}): Promise<void> {
		if (!again && this.lastLine(agent) !== null) return;
		const items = await this.#client.call("items", { params: { agent }, query: { last: 12 } }).catch(() => []);
		if (!again && this.#lines.has(agent)) return;
		for (const item of items) this.addLine(item);
		this.#told();
	}

	add(item: Item): void {
		const known = item.agent === null ? undefined : this.#known.get(item.agent);
		if (item.agent === null || known === undefined || item.id <= known.last) return;
		known.blocks.add(item);
		known.last = item.id;
		this.#touched.add(item.agent);
	}

	addLine({ agent, kind, text }: Item): void {
		const line = ["assistant", "tool_call", "user", "final"].includes(kind) ? lineOf(kind, text) : null;
		if (agent !== null && line !== null) this.#lines.set(agent, line);
	}

	touch(agent: AgentId): void {
		this.#touched.add(agent);
	}

	/** Rows were loaded again. A conversation continues where it was, unless too much has happened meanwhile. */
	reload(): void {
		for (const [agent, known] of this.#known) {
			const items = this.#mirror.thread(agent);
			const first = items[0]?.id ?? 0;
			const isGap = items.length > 0 && first > known.last && items.length >= itemsLoaded;
			if (isGap || !this.#listeners.has(agent)) this.#known.delete(agent);
			else for (const item of items) this.add(item);
		}
		for (const agent of this.#listeners.keys()) this.#touched.add(agent);
	}

	/** Loads older items, at last those of the ancestors. */
	async older(agent: AgentId): Promise<void> {
		const known = this.#known.get(agent);
		if (known === undefined || this.#loading.has(agent)) return;
		this.#loading.add(agent);
		try {
			while (known.next !== null) {
				const { of, before } = known.next;
				const query = { last: olderItems, before };
				const found = before <= 1 ? [] : await this.#client.call("items", { params: { agent: of }, query });
				const [first] = found;
				known.next = first === undefined ? this.#inherited(agent, of) : { of, before: first.id };
				known.blocks.prepend(found, { isInherited: of !== agent });
				if (first !== undefined) break;
			}
			known.refusal = null;
		} catch (error) {
			known.refusal = refusalOf(error);
		} finally {
			this.#loading.delete(agent);
			this.#touched.add(agent);
			this.flush();
		}
	}

	flush(): void {
		for (const agent of this.#touched) {
			this.#look(agent);
			for (const listener of this.#listeners.get(agent) ?? []) listener();
		}
		this.#touched.clear();
		for (const listener of this.#lineListeners) listener();
	}

	#look(agent: AgentId): void {
		const { blocks, next, refusal } = this.#conversation(agent);
		const messages = this.#mirror.messages(agent);
		this.#seen.set(agent, { blocks: [...blocks.list], messages, hasOlder: next !== null, refusal });
	}

	#conversation(agent: AgentId): Conversation {
		const known = this.#known.get(agent);
		if (known !== undefined && (known.last > 0 || this.#mirror.thread(agent).length === 0)) return known;
		const items = this.#mirror.thread(agent);
		const blocks = new Blocks();
		for (const item of items) blocks.add(item);
		const first = items[0];
		const next = first === undefined ? this.#inherited(agent, agent) : { of: agent, before: first.id };
		const made = { blocks, last: items.at(-1)?.id ?? 0, next, refusal: null };
		this.#known.set(agent, made);
		return made;
	}

	/** What an agent inherited from the ancestor above this one. */
	#inherited(agent: AgentId, below: AgentId): Conversation["next"] {
		const ranges = rangesOf(agent, (id) => this.#mirror.view.rows.agent.get(id)?.lineage ?? null);
		const next = ranges[ranges.findIndex(({ of }) => of === below) + 1];
		return next === undefined ? null : { of: next.of, before: next.upTo + 1 };
	}
}
