// Queries that take more than one read: which agent is meant, what its model sees, where words were said, what was
// used since a moment, where two conversations part. The server makes them here and nowhere else; a handler by itself
// reads only the rows of its page, and those that their views show beside them.

import { type AgentState, noAgent, type Settings } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import { looseData } from "#contract/loose-data.ts";
import type { PageRequest } from "#contract/page.ts";
import { noProject } from "#contract/project.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { UsageRow } from "#contract/routes/usage.ts";
import type { Hit, SearchQuery } from "#contract/search.ts";
import { resolve } from "#domain/agent/reference.ts";
import { contextOf, rewoundSpans } from "#domain/history.ts";
import { withoutCredentialsAt } from "#domain/slots.ts";
import { outsideTurn } from "#domain/turn.ts";
import { divergence, type LastCommonItem } from "#views/divergence.ts";
import { settingsOf } from "./commands/agent.ts";
import { itemTextsAlong, type PageText } from "./loop/context-pages.ts";
import type { EngineDependencies } from "./parts.ts";
import type { Reads } from "./ports/store.ts";
import { indexAll } from "./reactors/index-items.ts";
import { type UsageWanted, usageSince } from "./usage-since.ts";

/** how long a search waits for the index to catch up, which takes long only after an upgrade */
const searchTimeoutMs = 5000;

export class Queries {
	readonly #parts: Pick<EngineDependencies, "store" | "blobs">;
	readonly #reads: Reads;

	constructor(parts: Pick<EngineDependencies, "store" | "blobs">) {
		this.#parts = parts;
		this.#reads = parts.store.reads;
	}

	/**
	 * Finds an agent by its id, the beginning of its id, or its handle, in this project first. A mistyped project is
	 * refused: the name would be found in another one.
	 */
	async resolve(reference: string, project: ProjectSlug | null = null): Promise<{ id: AgentId } | Refusal> {
		const candidates = await this.#reads.agentsNamed(reference);
		const isThere = project === null || candidates.some((agent) => agent.project === project);
		if (!isThere && (await this.#reads.project(project)) === undefined) return noProject(project);
		return resolve(reference, project, candidates);
	}

	async outsideTurn(agent: AgentId): Promise<Refusal | null> {
		return outsideTurn(agent, await this.#reads.agent(agent));
	}

	/** The subscriptions that the agent could use, if its node has no credentials of any of them; else none. */
	async withoutCredentials(agent: AgentState): Promise<SubscriptionName[]> {
		const [subscriptions, projects] = await Promise.all([this.#reads.subscriptions(), this.#reads.projects()]);
		return withoutCredentialsAt(agent, { subscriptions, projects }).map(({ name }) => name);
	}

	async settings(agent: AgentState): Promise<Settings> {
		return await settingsOf(this.#reads, agent.settings);
	}

	/** The items that the agent's model sees, oldest first. */
	async context(id: AgentId): Promise<{ items: Event[] } | Refusal> {
		const { items, whole } = await this.#reads.history(id);
		return whole ? { items: contextOf(items) } : await this.#noContext(id);
	}

	/** The same as JSON, one page at a time. */
	async contextPage(id: AgentId, page: PageRequest): Promise<PageText | Refusal> {
		const [{ ranges, whole }, controls] = await Promise.all([this.#reads.ranges(id), this.#reads.controls(id)]);
		if (!whole) return await this.#noContext(id);
		return await itemTextsAlong(this.#reads, ranges, rewoundSpans(controls), page);
	}

	async #noContext(id: AgentId): Promise<Refusal> {
		if ((await this.#reads.agent(id)) === undefined) return noAgent(id);
		return refuse(
			"HISTORY_BROKEN",
			`An ancestor of ${id} is missing from the store or is its own ancestor: its context cannot be rebuilt.`,
			{ details: { agent: id }, suggestions: ["brood doctor"] },
		);
	}

	/** Tokens and cost that were reported since a moment, the largest first. */
	async usageSince(wanted: UsageWanted): Promise<UsageRow[]> {
		return await usageSince(this.#reads, wanted);
	}

	/**
	 * The last item that two conversations share; found in the rows of both agents and of those that they were forked
	 * from.
	 */
	async divergence(one: AgentId, other: AgentId): Promise<LastCommonItem | null> {
		const rows = new Map<AgentId, AgentState>();
		for (const id of [one, other])
			for (let at: AgentId | null = id; at !== null && !rows.has(at); ) {
				const row: AgentState | undefined = await this.#reads.agent(at);
				if (row !== undefined) rows.set(at, row);
				at = row?.lineage?.agent ?? null;
			}
		return divergence(one, other, (id) => rows.get(id));
	}

	/** The newest items with these words; not `complete` if some were not indexed in time. */
	async search(params: SearchQuery): Promise<{ hits: Hit[]; complete: boolean }> {
		const complete = await indexAll(this.#parts.store, { timeoutMs: searchTimeoutMs });
		return { hits: await this.#reads.search(params), complete };
	}

	/** The whole text of an item: a long one is in a blob, and its row has only the beginning. */
	readonly wholeText = async (
		item: Pick<Event, "id" | "text" | "data">,
	): Promise<{ text: string | null } | Refusal> => {
		const { id, text } = item;
		const { blob } = looseData(item.data);
		if (typeof blob !== "string") return { text };
		const whole = (await this.#parts.blobs?.get(blob)) ?? null;
		if (whole !== null) return { text: whole };
		const words = `The whole text of item ${id} is missing or damaged (blob ${blob}); its beginning is in the journal. Restore it from a backup.`;
		return refuse("BLOB_GONE", words, { details: { item: id, blob } });
	};
}
