// What is being written to each agent: it stays with the agent, also over a restart.
import type { AgentId } from "#contract/ids.ts";
import type { Saved } from "#contract/terminal-file.ts";
import type { Effect, Seen, State } from "./model.ts";
import type { Draft } from "./pi/draft.ts";
import { agentIn } from "./saved.ts";

export const recallText = "↑ at the start of the input brings your text back.";
const leftText = "The prompt that you edited has left the queue; your text is in the input.";

export class Drafts {
	readonly #saved: Saved;
	readonly #make: () => Draft;
	readonly #drafts = new Map<AgentId, Draft>();
	/** prompts of a queue that are being edited, beside what was being written */
	readonly #edits = new Map<number, Draft>();
	#isRestored = false;

	constructor(saved: Saved, make: () => Draft) {
		this.#saved = saved;
		this.#make = make;
	}

	of(agent: AgentId): Draft {
		const known = this.#drafts.get(agent);
		if (known !== undefined) return known;
		const draft = this.#make();
		const saved = this.#saved.drafts[agent];
		if (saved !== undefined) draft.set(saved.text, saved.cursor);
		this.#drafts.set(agent, draft);
		return draft;
	}

	/** In the input now: a prompt of the queue while it is edited. */
	shown({ current, editing }: Pick<State, "current" | "editing">): Draft {
		const prompt = editing.get(current);
		return prompt === undefined ? this.of(current) : this.#edited(prompt);
	}

	/** What was written before any agent was known goes to the first one that is shown. */
	move(from: AgentId, to: AgentId): void {
		const { text } = this.of(from);
		this.of(from).set("");
		if (text !== "") this.of(to).insert(text);
	}

	/** What was sent and not answered, before what has been written since. */
	giveBack(agent: AgentId, sent: string): void {
		const draft = this.of(agent);
		if (sent !== "") draft.set([sent, draft.text].filter(Boolean).join("\n"));
	}

	#edited(prompt: number): Draft {
		const draft = this.#edits.get(prompt) ?? this.#make();
		this.#edits.set(prompt, draft);
		return draft;
	}

	/** What was refused is in the input again, unless something else has been written since. */
	bringBack(agent: AgentId, typed: string): boolean {
		const draft = this.of(agent);
		const isFree = draft.text === "";
		if (isFree) draft.set(typed);
		return isFree;
	}

	/**
	 * With the edits of the last time, once the queues are known. If the prompt does not wait any more, its text is part
	 * of what is written to the agent.
	 */
	withEdits(state: State, seen: Pick<Seen, "queue">): State {
		if (this.#isRestored) return state;
		this.#isRestored = true;
		const editing = new Map<AgentId, number>();
		let { status } = state;
		for (const [id, { prompt, text, cursor }] of Object.entries(this.#saved.edits)) {
			const agent = agentIn(id);
			if (agent === null) continue;
			const isQueued = seen.queue(agent).some((each) => each.id === prompt);
			if (isQueued) {
				editing.set(agent, prompt);
				this.#edited(prompt).set(text, cursor);
			} else {
				this.giveBack(agent, text);
				if (agent === state.current) status = { text: leftText, style: "wait" };
			}
		}
		return { ...state, editing, status };
	}

	/** Puts the texts as they are now into what is saved. */
	keep({ editing }: Pick<State, "editing">): void {
		if (this.#isRestored)
			this.#saved.edits = Object.fromEntries(
				[...editing].map(([agent, prompt]) => {
					const { text, cursor } = this.#edited(prompt);
					return [agent, { prompt, text, cursor }];
				}),
			);
		for (const [agent, { text, cursor }] of this.#drafts) {
			if (text === "") delete this.#saved.drafts[agent];
			else this.#saved.drafts[agent] = { text, cursor };
		}
	}
}

/** What a key does to the input. */
export function changeDraft(draft: Draft, effect: Extract<Effect, { do: "edit" | "draft" | "remember" }>): void {
	if (effect.do === "edit") draft.input(effect.data);
	else if (effect.do === "draft") draft.set(effect.text, effect.cursor);
	else draft.remember(effect.text);
}

/** prompts that the arrow keys bring back */
const recalledMax = 100;

/** What people sent to an agent, oldest first, as far as its conversation is loaded. */
export const sentTo = (seen: Seen, agent: AgentId): string[] =>
	seen
		.blocks(agent)
		.filter(({ kind, author }) => kind === "prompt" && author === "")
		.slice(-recalledMax)
		.map(({ text }) => text);
