// The git commands that changed something, on their way into the journal: several at a time, and nobody waits for it.
import { system } from "#contract/ids.ts";
import type { GitRun } from "#contract/project.ts";
import type { Dispatch } from "./ports.ts";

/** Commands that only look are not written down: there are dozens for every turn. */
const changing: readonly string[] = [
	...["add", "apply", "branch", "checkout", "cherry-pick", "clone", "commit", "commit-tree", "config", "fetch", "init", "merge", "mv", "pull", "push"],
	...["read-tree", "rebase", "remote", "reset", "restore", "rm", "switch", "tag", "update-index", "update-ref", "worktree"],
];

const flushMs = 500;
const runsMax = 100;
/** More than this waiting means that nothing can be written; then the oldest are let go. */
const waitingMax = 10_000;

export class GitJournal implements AsyncDisposable {
	#dispatch: Dispatch | null = null;
	#waiting: GitRun[] = [];
	#timer: ReturnType<typeof setTimeout> | undefined;
	#writing: Promise<void> = Promise.resolve();

	/** What was run before there was a journal to write to follows now. */
	connect(dispatch: Dispatch): void {
		this.#dispatch = dispatch;
		this.#soon();
	}

	add(run: { folder: string; args: readonly string[]; code: number | null; ms: number }): void {
		if (!run.args.some((word) => changing.includes(word))) return;
		const args = run.args.slice(0, 64).map((word) => word.slice(0, 500).toWellFormed());
		this.#waiting.push({ folder: run.folder.slice(0, 4096), args, code: run.code, ms: Math.round(run.ms) });
		this.#waiting.splice(0, Math.max(0, this.#waiting.length - waitingMax));
		this.#soon();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearTimeout(this.#timer);
		this.#flush();
		await this.#writing;
	}

	#soon(): void {
		if (this.#dispatch !== null && this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#flush(), flushMs);
	}

	#flush(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const dispatch = this.#dispatch;
		if (dispatch === null) return;
		this.#writing = this.#writing.then(async () => {
			while (this.#waiting.length > 0) {
				const runs = this.#waiting.splice(0, runsMax);
				await dispatch({ actor: system, key: null, command: { type: "git.record", runs } }).catch(() => {});
			}
		});
	}
}
