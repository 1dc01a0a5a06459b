// Questions that wait for an answer. Whoever answers answers what was shown: a call that becomes another one is asked
// about anew.
import type { ApprovalQuestion } from "#contract/approval.ts";
import type { PermissionAnswer, TurnWatch } from "#engine/ports/driver.ts";
import type { Question } from "./acp/question.ts";

/** so often a call may become another one while somebody is asked about it */
const changesMax = 10;

export class PendingQuestions {
	readonly #watch: Pick<TurnWatch, "ask">;
	readonly #complete: (question: Question) => Promise<ApprovalQuestion>;
	readonly #open = new Map<string, { words: string; now(): Question; changed: AbortController }>();

	/** `complete` adds what only the disk knows: once for each question, however much is heard of its call. */
	constructor(watch: Pick<TurnWatch, "ask">, complete: (question: Question) => Promise<ApprovalQuestion>) {
		this.#watch = watch;
		this.#complete = complete;
	}

	/** `now` says what is asked, as far as it is known at that moment. */
	async ask(call: string, now: () => Question): Promise<PermissionAnswer | null> {
		for (let changes = 0; changes <= changesMax; changes++) {
			const question = now();
			const changed = new AbortController();
			this.#open.set(call, { words: JSON.stringify(question), now, changed });
			const whole = await this.#complete(question);
			const answer = changed.signal.aborted ? null : await this.#watch.ask(whole, changed.signal);
			this.#open.delete(call);
			// an answer that came in the same moment was to another question
			if (!changed.signal.aborted) return answer;
		}
		return null;
	}

	/** Something was heard of a call. */
	look(call: string): void {
		const open = this.#open.get(call);
		if (open !== undefined && JSON.stringify(open.now()) !== open.words) open.changed.abort();
	}
}
