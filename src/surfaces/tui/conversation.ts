// The part of an agent's conversation that is in memory: at first the end, as the mirror has it. Whoever reads further
// back has a window that is loaded in both directions and never grows beyond a bound, however long the conversation is.
import type { AgentId } from "#contract/ids.ts";
import type { Item } from "#contract/wire.ts";
import { type Block, Blocks } from "#views/conversation.ts";
import type { ThreadRange } from "#views/ranges.ts";

/** Where items come from. */
export interface ConversationSource {
	/** the last items of the agent's own thread */
	live(): readonly Item[];
	/** the agent and those whose conversation it inherited, itself first */
	ranges(): readonly ThreadRange[];
	/** items of one thread, oldest first: the newest before one, or the first after one */
	read(of: AgentId, where: { before: number } | { after: number }): Promise<readonly Item[]>;
}

/** items in memory while the reader is somewhere in the middle */
const windowMax = 3000;

/** items that fill a page of the screen */
const pageMin = 200;

export class Conversation {
	readonly #agent: AgentId;
	readonly #source: ConversationSource;
	#items: Item[];
	#blocks = new Blocks();
	/** newer items than the last one exist that are not in memory */
	#isDetached = false;
	#hasOlder = true;

	constructor(agent: AgentId, source: ConversationSource) {
		this.#agent = agent;
		this.#source = source;
		this.#items = [];
		this.#reset(source.live());
	}

	get blocks(): readonly Block[] {
		return this.#blocks.list;
	}

	get hasOlder(): boolean {
		return this.#hasOlder;
	}

	get isDetached(): boolean {
		return this.#isDetached;
	}

	add(item: Item): void {
		if (this.#isDetached || item.id <= this.#last) return;
		this.#items.push(item);
		this.#blocks.add(item, { isInherited: false });
	}

	/** The mirror has other items. What was read stays. */
	refresh(): void {
		const live = this.#source.live();
		const isGap = this.#items.length > 0 && (live[0]?.id ?? 0) > this.#last;
		if (this.#items.length === 0) this.#reset(live);
		else if (isGap) this.#isDetached = true;
		else for (const item of live) this.add(item);
	}

	/** The reader is at the end again: only the end is kept. */
	follow(): void {
		if (this.#isDetached || this.#items.length > windowMax) this.#reset(this.#source.live());
	}

	/** Whether the item of this id would be in memory. */
	covers(id: number): boolean {
		return (this.#items[0]?.id ?? 0) <= id && (!this.#isDetached || id <= this.#last);
	}

	async older(): Promise<void> {
		const first = this.#items[0]?.id ?? Number.MAX_SAFE_INTEGER;
		const found = await this.#before(first);
		if ((this.#items[0]?.id ?? Number.MAX_SAFE_INTEGER) !== first) return;
		const all = [...found, ...this.#items];
		const isCut = all.length > windowMax;
		this.#show(all.slice(0, windowMax), { isDetached: this.#isDetached || isCut, hasOlder: found.length > 0 });
	}

	async newer(): Promise<void> {
		const last = this.#last;
		const found = this.#isDetached ? await this.#pageAfter(last) : [];
		if (this.#isDetached && this.#last === last) this.#extend(found, this.#hasOlder);
	}

	/** The beginning of the whole conversation. */
	async top(): Promise<void> {
		if (!this.#hasOlder) return;
		const found = await this.#pageAfter(0);
		this.#items = [];
		this.#extend(found, false);
	}

	/** The surroundings of one item. */
	async around(id: number): Promise<void> {
		const [older, newer] = await Promise.all([this.#before(id + 1), this.#pageAfter(id)]);
		this.#items = [...older];
		this.#extend(newer, true);
	}

	/** From its beginning to its end, beside the window; without the oldest items if there are more than so many. */
	async whole(itemsMax: number): Promise<{ blocks: readonly Block[]; isCut: boolean }> {
		let items = [...this.#source.live()];
		let isStart = false;
		while (!isStart && items.length <= itemsMax) {
			const older = await this.#before(items[0]?.id ?? Number.MAX_SAFE_INTEGER);
			isStart = older.length === 0;
			items = [...older, ...items];
		}
		return { blocks: this.#blocksOf(items.slice(-itemsMax)).list, isCut: items.length > itemsMax };
	}

	/** Appends items to the window, and joins it with the end where it reaches it. */
	#extend(found: readonly Item[], hasOlder: boolean): void {
		const all = [...this.#items, ...found];
		const last = all.at(-1)?.id ?? 0;
		const live = this.#source.live();
		const isJoined = found.length === 0 || last >= (live[0]?.id ?? Number.MAX_SAFE_INTEGER);
		const rest = isJoined ? live.filter(({ id }) => id > last) : [];
		const kept = [...all, ...rest].slice(-windowMax);
		const isCut = kept.length < all.length + rest.length;
		this.#show(kept, { isDetached: !isJoined, hasOlder: hasOlder || isCut });
	}

	#reset(items: readonly Item[]): void {
		this.#show([...items], { isDetached: false, hasOlder: true });
	}

	#show(items: Item[], { isDetached, hasOlder }: { isDetached: boolean; hasOlder: boolean }): void {
		this.#items = items;
		[this.#isDetached, this.#hasOlder] = [isDetached, hasOlder];
		this.#blocks = this.#blocksOf(items);
	}

	#blocksOf(items: readonly Item[]): Blocks {
		const blocks = new Blocks();
		for (const item of items) blocks.add(item, { isInherited: item.agent !== this.#agent });
		return blocks;
	}

	get #last(): number {
		return this.#items.at(-1)?.id ?? 0;
	}

	async #before(id: number): Promise<readonly Item[]> {
		for (const { of, upTo } of this.#source.ranges()) {
			const found = await this.#source.read(of, { before: Math.min(id, upTo + 1) });
			if (found.length > 0) return found;
		}
		return [];
	}

	/** At least a page of the screen, also where a fork inherited only a few items. */
	async #pageAfter(id: number): Promise<readonly Item[]> {
		const found = [...(await this.#after(id))];
		while (found.length > 0 && found.length < pageMin) {
			const more = await this.#after(found.at(-1)?.id ?? id);
			if (more.length === 0) break;
			found.push(...more);
		}
		return found;
	}

	async #after(id: number): Promise<readonly Item[]> {
		for (const { of, upTo } of this.#source.ranges().toReversed()) {
			const found = await this.#source.read(of, { after: id });
			const inside = found.filter((item) => item.id <= upTo);
			if (inside.length > 0) return inside;
		}
		return [];
	}
}
