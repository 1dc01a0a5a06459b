// Questions that wait for an answer. An answer is only valid for what was shown: if the call changes, it is asked
// again.
import type { ApprovalQuestion } from "#contract/approval.ts";
import type { ApprovalChoice, TurnWatch } from "#engine/ports/driver.ts";
import type { Question } from "./acp/question.ts";

/** how often a call may change while its question is open */
const changesMax = 10;

export class PendingQuestions {
	readonly #watch: Pick<TurnWatch, "ask">;
	readonly #complete: (question: Question) => Promise<ApprovalQuestion>;
	readonly #open = new Map<string, { words: string; now(): Question; changed: AbortController }>();

	/** `complete` reads the disk, once for each question. */
	constructor(watch: Pick<TurnWatch, "ask">, complete: (question: Question) => Promise<ApprovalQuestion>) {
		this.#watch = watch;
		this.#complete = complete;
	}

	/** `now` returns the question as it is currently known. */
	async ask(call: string, now: () => Question): Promise<ApprovalChoice | null> {
		for (let changes = 0; changes <= changesMax; changes++) {
			const question = now();
			const changed = new AbortController();
			this.#open.set(call, { words: JSON.stringify(question), now, changed });
			const whole = await this.#complete(question);
			const answer = changed.signal.aborted ? null : await this.#watch.ask(whole, changed.signal);
			this.#open.delete(call);
			// otherwise the answer was to the old question
			if (!changed.signal.aborted) return answer;
		}
		return null;
	}

	/** Called after an update of a call. */
	update(call: string): void {
		const open = this.#open.get(call);
		if (open !== undefined && JSON.stringify(open.now()) !== open.words) open.changed.abort();
	}
}
