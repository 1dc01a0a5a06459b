// Questions that take more than one read: which agent is meant, what its model sees, where words were said.
import { type AgentState, noAgent, type Settings } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { looseData } from "#contract/loose-data.ts";
import type { PageRequest } from "#contract/page.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Hit, SearchQuery } from "#contract/search.ts";
import { resolve } from "#domain/agent/reference.ts";
import { contextOf, rewoundSpans } from "#domain/history.ts";
import { outsideTurn } from "#domain/turn.ts";
import { settingsOf } from "./commands/agent.ts";
import { itemTextsAlong, type PageText } from "./loop/context-pages.ts";
import type { EngineParts } from "./parts.ts";
import type { Reads } from "./ports/store.ts";
import { indexAll } from "./reactors/index-items.ts";

/** how long a search waits for the index to catch up, which takes long only after an upgrade */
const searchTimeoutMs = 5000;

export class Queries {
	readonly #parts: Pick<EngineParts, "store" | "blobs">;
	readonly #reads: Reads;

	constructor(parts: Pick<EngineParts, "store" | "blobs">) {
		this.#parts = parts;
		this.#reads = parts.store.reads;
	}

	/** Finds an agent by its id, the beginning of its id, or its handle. */
	async resolve(reference: string, project: ProjectSlug | null = null): Promise<{ id: AgentId } | Refusal> {
		return resolve(reference, project, await this.#reads.agentsNamed(reference));
	}

	async outsideTurn(agent: AgentId): Promise<Refusal | null> {
		return outsideTurn(agent, await this.#reads.agent(agent));
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

	/** The newest items with these words; not `complete` if some were not indexed in time. */
	async search(params: SearchQuery): Promise<{ hits: Hit[]; complete: boolean }> {
		const complete = await indexAll(this.#parts.store, { timeoutMs: searchTimeoutMs });
		return { hits: await this.#reads.search(params), complete };
	}

	/** The whole text of an item: a long one is in a blob, and its row has only the beginning. */
	readonly wholeText = async ({
		id,
		text,
		data,
	}: Pick<Event, "id" | "text" | "data">): Promise<{ text: string | null } | Refusal> => {
		const blob: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "blob") : undefined;
		if (typeof blob !== "string") return { text };
		const whole = (await this.#parts.blobs?.get(blob)) ?? null;
		if (whole !== null) return { text: whole };
		const words = `The whole text of item ${id} is missing or damaged (blobs/${blob}); its beginning is in the log. Restore the file from a backup.`;
		return refuse("BLOB_GONE", words, { details: { item: id, blob } });
	};
}
