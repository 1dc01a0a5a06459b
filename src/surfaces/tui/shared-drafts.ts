// Unsent texts of all terminals on one home. Each writes what is in its own inputs beside what is in those of the
// others, so that none brings back what another has sent or changed. One that ends leaves its texts to later ones.
import type { Saved } from "#contract/terminal-file.ts";

type Drafts = Saved["drafts"];
type Shared = Pick<Saved, "drafts" | "writing">;

let opened = 0;

export class SharedDrafts {
	/** of this terminal, in the file; what one has written that was killed is shown like what others left */
	readonly #id = `${process.pid}.${++opened}`;
	readonly #first: Drafts;
	/** the texts in `#first`, by agent: whoever changes or sends them has taken them over */
	readonly #begun = new Map<string, readonly string[]>();
	/** the agents whose text was changed here */
	readonly #changed = new Set<string>();

	constructor({ drafts, writing }: Shared) {
		const all = [drafts, ...Object.values(writing)];
		const first: Drafts = {};
		for (const agent of new Set(all.flatMap((each) => Object.keys(each)))) {
			const texts = all.flatMap(({ [agent]: draft }) => draft ?? []);
			const draft = texts.reduce(joined);
			first[agent] = draft;
			this.#begun.set(
				agent,
				texts.map(({ text }) => text),
			);
		}
		this.#first = first;
	}

	/** What is in the inputs at the start. */
	get first(): Drafts {
		return structuredClone(this.#first);
	}

	/** The file as it is now, with the texts of this terminal. */
	written({ drafts, writing }: Shared, own: Drafts, isLeaving: boolean): Shared {
		const left = { ...drafts };
		const others = Object.entries(writing).filter(([id]) => id !== this.#id);
		const mine: Drafts = {};
		for (const agent of new Set([...Object.keys(this.#first), ...Object.keys(own)])) {
			const draft = own[agent];
			if (draft?.text !== this.#first[agent]?.text) this.#changed.add(agent);
			if (this.#changed.has(agent)) {
				const begun = this.#begun.get(agent) ?? [];
				for (const each of [left, ...others.map(([, theirs]) => theirs)])
					if (begun.includes(each[agent]?.text ?? "")) delete each[agent];
				this.#begun.delete(agent);
				if (draft !== undefined) mine[agent] = draft;
			} else if (draft !== undefined && left[agent]?.text === draft.text) left[agent] = draft;
		}
		if (isLeaving)
			for (const [agent, draft] of Object.entries(mine)) {
				const there = left[agent];
				left[agent] = there === undefined ? draft : joined(there, draft);
			}
		const now = isLeaving ? others : [...others, [this.#id, mine] as const];
		return { drafts: left, writing: Object.fromEntries(now.filter(([, texts]) => Object.keys(texts).length > 0)) };
	}
}

/** Both texts; one that is part of the other is not repeated. */
function joined(all: Drafts[string], each: Drafts[string]): Drafts[string] {
	if (all.text.includes(each.text)) return all;
	if (each.text.includes(all.text)) return each;
	return { text: `${all.text}\n${each.text}`, cursor: { line: 0, column: 0 } };
}
