// What the screen sees of the daemon: the mirror's rows as views, computed again only when they have changed.
import type { Client } from "#client/client.ts";
import type { Mirror } from "#client/mirror.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Agent, Item } from "#contract/wire.ts";
import { inboxOf, treeOf } from "#views/overviews.ts";
import { Blocks } from "#views/thread.ts";
import type { Seen } from "./model.ts";

/** items of a thread that are loaded at first */
export const itemsMax = 1000;

/** threads that are kept up to date when all rows are loaded again */
const threadsMax = 16;

/** blocks of a thread that is followed */
const blocksMax = itemsMax;

/** loaded at a time */
const olderItems = 500;

export class MirroredScreen {
	readonly #mirror: Mirror;
	readonly #client: Client;
	readonly #project: ProjectSlug | null;
	#seen: Seen | null = null;
	readonly #blocks = new Map<AgentId, Blocks>();
	/** the threads that are kept, the last one shown first */
	#threads: AgentId[] = [];
	#isLoaded = false;
	/** the items of ancestors that have been loaded, oldest first, and where older ones are; null if there are none */
	readonly #inherited = new Map<AgentId, { items: Item[]; next: { of: AgentId; before: number } | null }>();

	constructor(mirror: Mirror, client: Client, project: ProjectSlug | null) {
		this.#mirror = mirror;
		this.#client = client;
		this.#project = project;
	}

	/** Rows have changed. */
	refresh(): void {
		this.#seen = null;
	}

	/** Everything has changed. */
	reload(): void {
		this.#seen = null;
		this.#blocks.clear();
	}

	/** A new item. Old blocks go only where the end is followed: nothing moves under a reader. */
	add(agent: AgentId, item: Parameters<Blocks["add"]>[0], isFollowed: boolean): void {
		const blocks = this.#blocks.get(agent);
		blocks?.add(item);
		if (blocks === undefined || !isFollowed || blocks.list.length <= 2 * blocksMax) return;
		this.#inherited.delete(agent);
		this.#mirror.shorten(agent);
		blocks.keepLast(blocksMax);
	}

	/** Keeps the thread of an agent up to date from now on. */
	async show(agent: AgentId): Promise<void> {
		this.#threads = [agent, ...this.#threads.filter((id) => id !== agent)];
		if (this.#isLoaded) await this.#mirror.open(agent);
		else this.loadRows();
	}

	/** Forgets the threads that were shown longest ago. */
	loadRows(): void {
		this.#isLoaded = true;
		this.#threads = this.#threads.slice(0, threadsMax);
		void this.#mirror.show({ boards: this.#project === null ? [] : [this.#project], threads: this.#threads });
	}

	/** Loads older items, at last those of the ancestors; nothing moves under the reader. */
	async older(agent: AgentId): Promise<void> {
		if (this.#inherited.has(agent) || !(await this.#mirror.older(agent, olderItems)))
			await this.#olderOfAncestors(agent);
		this.#blocks.delete(agent);
		this.#seen = null;
	}

	async #olderOfAncestors(agent: AgentId): Promise<void> {
		const known = this.#inherited.get(agent) ?? { items: [], next: this.#forkOf(agent) };
		this.#inherited.set(agent, known);
		while (known.next !== null) {
			const { of, before } = known.next;
			const found = await this.#client.call("items", { params: { agent: of }, query: { last: olderItems, before } });
			const [first] = found;
			known.items.unshift(...found);
			known.next = first === undefined ? this.#forkOf(of) : { of, before: first.id };
			if (first !== undefined) return;
		}
	}

	/** Where the conversation of an agent comes from. */
	#forkOf(agent: AgentId): { of: AgentId; before: number } | null {
		const lineage = this.seen.agents.get(agent)?.lineage ?? null;
		return lineage === null ? null : { of: lineage.agent, before: lineage.forkPoint + 1 };
	}

	get seen(): Seen {
		this.#seen ??= this.#look();
		return this.#seen;
	}

	#look(): Seen {
		const mirror = this.#mirror;
		const { view, surroundings } = mirror;
		const agents = view.agents(surroundings);
		const [everywhere, project, subscriptions] = [treeOf(agents), this.#project, view.subscriptions(surroundings)];
		const issues = project === null ? [] : view.issues(project);
		const inbox = inboxOf({ approvals: view.approvals(), agents, issues, subscriptions });
		return {
			connection: mirror.state,
			project,
			tree:
				project === null
					? everywhere
					: treeOf(agents.filter((agent) => agent.project === project || agent.supervisor === null)),
			everywhere,
			agents: new Map(agents.map((agent): [AgentId, Agent] => [agent.id, agent])),
			inbox,
			subscriptions,
			now: surroundings.now,
			blocks: (agent) => this.#blocksOf(agent).list,
			messages: (agent) => mirror.messages(agent),
			queue: (agent) => view.queue(agent),
			mail: (agent) => view.mail(agent),
			turns: (agent) => view.turns(agent),
			approvals: (agent) => inbox.approvals.filter((approval) => approval.agent === agent),
			hasOlder: (agent) => this.#inherited.get(agent)?.next !== null,
		};
	}

	#blocksOf(agent: AgentId): Blocks {
		const known = this.#blocks.get(agent);
		if (known !== undefined) return known;
		const blocks = new Blocks();
		for (const item of this.#inherited.get(agent)?.items ?? []) blocks.add(item, { isInherited: true });
		for (const item of this.#mirror.thread(agent)) blocks.add(item);
		this.#blocks.set(agent, blocks);
		return blocks;
	}
}
