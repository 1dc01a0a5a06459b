// What the screen sees of the daemon: the mirror's rows as views, computed again only when they have changed.
import type { Client } from "#client/client.ts";
import type { Mirror } from "#client/mirror.ts";
import type { Shown } from "#client/mirror-options.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Agent, Item } from "#contract/wire.ts";
import { nodeName } from "#views/node-name.ts";
import { treeOf } from "#views/overviews.ts";
import { rangesOf } from "#views/ranges.ts";
import { Conversation, type ConversationSource } from "./conversation.ts";
import type { Seen } from "./model.ts";
import { isIn } from "./moving.ts";
import type { Anchor } from "./page.ts";
import type { SlashAnswer } from "./slash.ts";
import type { TerminalOptions } from "./terminal-options.ts";

/** items of a thread that are loaded at first */
export const itemsMax = 1000;

/** threads that are kept up to date; those that were shown longest ago are forgotten first */
const threadsMax = 16;

/** loaded at a time */
const pageItems = 500;

export class MirroredScreen {
	readonly #mirror: Mirror;
	readonly #client: Client;
	readonly #project: ProjectSlug | null;
	readonly #isStopped: () => boolean;
	readonly #isRepository: boolean;
	#seen: Seen | null = null;
	readonly #conversations = new Map<AgentId, Conversation>();
	/** the threads that are kept, the last one shown first */
	#threads: AgentId[] = [];
	/** the projects whose issues are kept */
	#boards: readonly ProjectSlug[];
	#isLoaded = false;
	/** the thread that is being opened */
	#loading: AgentId | null = null;

	constructor(
		mirror: Mirror,
		{ client, ...here }: Pick<TerminalOptions, "client" | "project" | "isRepository" | "isStopped">,
	) {
		this.#mirror = mirror;
		[this.#client, this.#project, this.#isStopped] = [client, here.project, here.isStopped];
		this.#boards = here.project === null ? [] : [here.project];
		this.#isRepository = here.isRepository;
	}

	/** Rows have changed. */
	refresh(): void {
		this.#seen = null;
		this.#followProjects();
	}

	/** Everything has changed. */
	reload(): void {
		this.#seen = null;
		this.#followProjects();
		for (const each of this.#conversations.values()) each.refresh();
	}

	/** A new item. Old ones go only where the end is followed: nothing moves under a reader. */
	add(agent: AgentId, item: Item, isFollowed: boolean): void {
		const conversation = this.#conversations.get(agent);
		conversation?.add(item);
		if (isFollowed) conversation?.follow();
	}

	/** Keeps the thread of an agent up to date from now on. */
	async show(agent: AgentId): Promise<void> {
		this.#threads = [agent, ...this.#threads.filter((id) => id !== agent)].slice(0, threadsMax);
		if (!this.#isLoaded) return this.load();
		this.#loading = agent;
		try {
			await this.#mirror.show(this.#shown);
		} finally {
			if (this.#loading === agent) this.#loading = null;
		}
	}

	/** Begins with the rows of all agents, and the thread of the one that is shown. */
	load(): void {
		this.#isLoaded = true;
		void this.#mirror.show(this.#shown);
	}

	get #shown(): Shown {
		return { boards: this.#boards, threads: this.#threads };
	}

	/** Issues of every project may need a person; which projects there are is known only with the rows. */
	#followProjects(): void {
		const { project: projects } = this.#mirror.view.rows;
		const boards = [...projects.values()].filter(({ removedAt }) => removedAt === null).map(({ slug }) => slug);
		const isSame = boards.length === this.#boards.length && boards.every((slug) => this.#boards.includes(slug));
		if (!this.#isLoaded || projects.size === 0 || isSame) return;
		this.#boards = boards;
		void this.#mirror.show(this.#shown);
	}

	/** What is in memory of an agent's conversation. */
	conversation(agent: AgentId): Conversation {
		const known = this.#conversations.get(agent) ?? new Conversation(agent, this.#source(agent));
		this.#conversations.set(agent, known);
		return known;
	}

	/** To where its reader was: at the end only the end is kept; elsewhere the items around it are loaded. */
	async restoreAnchor(agent: AgentId, anchor: Anchor): Promise<SlashAnswer> {
		const conversation = this.conversation(agent);
		if (anchor === null) conversation.follow();
		else if (this.#isLoaded && !conversation.covers(anchor.block)) await conversation.around(anchor.block);
		return {};
	}

	#source(agent: AgentId): ConversationSource {
		return {
			live: () => this.#mirror.thread(agent),
			ranges: () => rangesOf(agent, (id) => this.#mirror.view.rows.agent.get(id)?.lineage ?? null),
			read: async (of, where) => {
				const query = "before" in where ? { last: pageItems, ...where } : { limit: pageItems, ...where };
				return await this.#client.ask("items", { params: { agent: of }, query });
			},
		};
	}

	get seen(): Seen {
		this.#seen ??= this.#look();
		return this.#seen;
	}

	#look(): Seen {
		const mirror = this.#mirror;
		const { view, viewInput } = mirror;
		const agents = view.agents(viewInput);
		const [everywhere, project, subscriptions] = [treeOf(agents), this.#project, view.subscriptions(viewInput)];
		const inbox = view.inbox(viewInput, { agents, subscriptions });
		return {
			connection: mirror.state === "lost" && this.#isStopped() ? "stopped" : mirror.state,
			refusal: mirror.lost?.refusal?.message ?? null,
			problem: mirror.lost?.problem ?? null,
			project,
			isRepository: this.#isRepository,
			tree: project === null ? everywhere : treeOf(agents.filter((agent) => isIn(agent, project))),
			everywhere,
			agents: new Map(agents.map((agent): [AgentId, Agent] => [agent.id, agent])),
			inbox,
			subscriptions,
			now: viewInput.now,
			blocks: (agent) => this.conversation(agent).blocks,
			messages: (agent) => mirror.messages(agent),
			nodeOf: (agent) => nodeName(agent, view.rows.node.values()),
			queue: (agent) => view.queue(agent),
			mail: (agent) => view.mail(agent),
			turns: (agent) => view.turns(agent),
			approvals: (agent) => inbox.approvals.filter((approval) => approval.agent === agent),
			hasOlder: (agent) => this.conversation(agent).hasOlder,
			isDetached: (agent) => this.conversation(agent).isDetached,
			isLoading: (agent) => this.#loading === agent,
		};
	}
}
