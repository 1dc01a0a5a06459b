// Records in the journal the git commands that changed something: several at a time, in the background.
import type { GitRun } from "#contract/project.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import { caught, type Log, noLog } from "../ports/log.ts";

/**
 * Commands that change refs, files or the repository itself. The others only read, or write objects that nothing refers
 * to yet: there are dozens of them in every turn.
 */
const changing: readonly string[] = [
	...["add", "apply", "branch", "checkout", "cherry-pick", "clone", "commit", "fetch", "gc", "init", "maintenance"],
	...["merge", "mv", "pack-refs", "pull", "push", "read-tree", "rebase", "repack", "reset", "restore", "rm", "switch"],
	...["tag", "update-ref"],
];
/** Commands that change something only in some forms. */
const forms: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
	config: (words) => !words.some((word) => /^(-l|--(list|get.*))$/.test(word)),
	remote: (words) => words.some((word) => !word.startsWith("-") && word !== "show" && word !== "get-url"),
	"symbolic-ref": (words) => words.filter((word) => !word.startsWith("-")).length > 1,
	worktree: (words) => words[0] !== "list",
};

export function changesSomething(args: readonly string[]): boolean {
	let at = 0;
	while (args[at]?.startsWith("-") === true) at += args[at] === "-c" || args[at] === "-C" ? 2 : 1;
	const verb = args[at] ?? "";
	return changing.includes(verb) || (Object.hasOwn(forms, verb) && forms[verb]?.(args.slice(at + 1)) === true);
}

const flushMs = 500;
const runsMax = 100;
/** If more wait, the store cannot be written; the oldest are dropped. */
const waitingMax = 10_000;

export class GitRecorder implements AsyncDisposable {
	readonly #log: Log;
	#dispatch: Dispatch | null = null;
	#waiting: GitRun[] = [];
	#timer: ReturnType<typeof setTimeout> | undefined;
	#writing: Promise<void> = Promise.resolve();

	constructor(log: Log = noLog) {
		this.#log = log;
	}

	/** Records also what was run before the engine was up. */
	connect(dispatch: Dispatch): void {
		this.#dispatch = dispatch;
		this.#soon();
	}

	/** `ownIndex` commands work on an index of our own, beside the repository. */
	add(run: {
		folder: string;
		args: readonly string[];
		ownIndex: boolean;
		exit: number | null;
		durationMs: number;
	}): void {
		if (run.ownIndex || !changesSomething(run.args)) return;
		const args = run.args.slice(0, 64).map((word) => word.slice(0, 500).toWellFormed());
		this.#waiting.push({
			folder: run.folder.slice(0, 4096),
			args,
			exit: run.exit,
			durationMs: Math.round(run.durationMs),
		});
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
				await dispatch(bySystem({ type: "git.record", runs })).catch(
					caught(this.#log, "git journal", "Git commands could not be recorded", { commands: runs.length }),
				);
			}
		});
	}
}
