// Questions that wait for an answer. An answer is only valid for what was shown: if the call changes, it is asked
// again.
import type { ApprovalQuestion } from "#contract/approval.ts";
import type { ExistingFile } from "#contract/file-check.ts";
import type { ApprovalChoice, TurnWatch } from "#engine/ports/driver.ts";
import type { Question } from "./acp/question.ts";

/** The question as it is currently known, with what is on the disk. */
export type QuestionNow = (existing: readonly ExistingFile[]) => Question;

/** how often a call may change while its question is open */
const changesMax = 10;

export class PendingQuestions {
	readonly #watch: Pick<TurnWatch, "ask">;
	readonly #complete: (now: QuestionNow) => Promise<ApprovalQuestion>;
	readonly #open = new Map<string, { words: string; now: QuestionNow; changed: AbortController }>();

	/** `complete` reads the disk, once for each question. */
	constructor(watch: Pick<TurnWatch, "ask">, complete: (now: QuestionNow) => Promise<ApprovalQuestion>) {
		this.#watch = watch;
		this.#complete = complete;
	}

	async ask(call: string, now: QuestionNow): Promise<ApprovalChoice | null> {
		for (let changes = 0; changes <= changesMax; changes++) {
			const changed = new AbortController();
			this.#open.set(call, { words: JSON.stringify(now([])), now, changed });
			const whole = await this.#complete(now);
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
		if (open !== undefined && JSON.stringify(open.now([])) !== open.words) open.changed.abort();
	}
}
