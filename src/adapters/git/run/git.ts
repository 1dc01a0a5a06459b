// The one place where git is run. The user's own configuration is trusted and works (identity, credentials, filters);
// programs that a repository configures never run (config-guard.ts).
//
// `folder` is the top of a working tree or a bare repository, or any folder for verbs that need no repository. Git
// never searches the parent folders, so a worktree that lost its `.git` does not become part of a repository around it.
// Names never become options: put `--end-of-options` before a ref and `--` before a path, or use refs.ts.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import { Readable, type Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { attempt } from "#adapters/system/errors.ts";
import { endGroup } from "#adapters/system/process-group.ts";
import { expected } from "#contract/log.ts";
import { ConfigGuard } from "./config-guard.ts";
import { environmentOfGit } from "./environment.ts";

export interface GitOptions {
	input?: Uint8Array | string | Readable;
	/** takes standard output in chunks, instead of collecting it */
	sink?(chunk: Buffer): Promise<void>;
	environment?: Readonly<Record<string, string>>;
	timeoutMs?: number;
	/** exit codes that are not failures, besides 0 */
	answers?: readonly number[];
	signal?: AbortSignal | undefined;
	/** runs with low priority */
	background?: boolean;
}

export interface GitResult {
	exit: number;
	/** standard output */
	bytes: Buffer;
	/** the same as text, without the last newline */
	text: string;
	errors: string;
}

export type Git = (folder: string, args: readonly string[], options?: GitOptions) => Promise<GitResult>;

export class GitFailed extends Error {
	readonly args: readonly string[];
	readonly exit: number | null;
	readonly errors: string;
	readonly refusalCode: "REPOSITORY_UNUSABLE" | "GIT_FAILED";
	/** it was cancelled, which says nothing about the repository */
	readonly cancelled: boolean;

	constructor(args: readonly string[], exit: number | null, errors: string, { cancelled = false } = {}) {
		const why = errors.trim().slice(0, 2000);
		// a folder that is gone says enough: nobody asked for the git command that met it
		super(/ is gone$/.test(why) ? why : `git ${verbOf(args)} failed${exit === null ? "" : ` (${exit})`}: ${why}`);
		this.name = "GitFailed";
		this.args = args;
		this.exit = exit;
		this.errors = errors;
		this.cancelled = cancelled;
		this.refusalCode = repositoryGone.test(errors) ? "REPOSITORY_UNUSABLE" : "GIT_FAILED";
	}
}

/** After options like `--literal-pathspecs` and `-c name=value`. */
const verbOf = (args: readonly string[]): string =>
	args.find((word, at) => !word.startsWith("-") && args[at - 1] !== "-c" && args[at - 1] !== "-C") ?? "";

const repositoryGone = /^fatal: (not a git repository|cannot change to)|is not a working tree of git$| is gone$/m;

interface Ran {
	folder: string;
	args: readonly string[];
	/** with a temporary index, so that its changes are not visible */
	ownIndex: boolean;
	exit: number | null;
	durationMs: number;
}

/** The files that git lists in an error message, one indented line each. */
export const filesIn = (errors: string): string[] =>
	errors.split("\n").flatMap((line) => (line.startsWith("\t") ? [line.trim()] : []));

const timeoutMsDefault = 60_000;
/** for listing the configuration */
const listTimeoutMs = 15_000;
const lockWaitMsMax = 10_000;
const outputBytesMax = 256 * 1024 * 1024;
const errorBytesMax = 64 * 1024;
/** between SIGTERM, on which git removes its lock files, and SIGKILL */
const graceMs = 2000;
const cancelledReason = "cancelled";

export function makeGit(parts: {
	environment: NodeJS.ProcessEnv;
	/** more configuration for every command */
	settings?: readonly (readonly [string, string])[];
	/** called for every command; arguments only, never file contents */
	record?(entry: Ran): void;
	/** ends all commands, and refuses later ones */
	halt?: AbortSignal;
	/** how long a server may be silent in a transfer */
	stallSeconds?: number;
}): Git {
	const plain = environmentOfGit(parts.environment, parts);
	const run = async (
		folder: string,
		args: readonly string[],
		asked: GitOptions,
		environment: Record<string, string>,
	): Promise<GitResult> => {
		const signals = [asked.signal, parts.halt].filter((signal) => signal !== undefined);
		const options = signals.length === 0 ? asked : { ...asked, signal: AbortSignal.any(signals) };
		const start = performance.now();
		let exit: number | null = null;
		try {
			const result = await runOnce(folder, args, options, environment);
			exit = result.exit;
			return result;
		} finally {
			parts.record?.({
				folder,
				args,
				ownIndex: environment["GIT_INDEX_FILE"] !== undefined,
				exit,
				durationMs: performance.now() - start,
			});
		}
	};
	const configGuard = new ConfigGuard(
		plain,
		async (folder, environment) => {
			const args = ["config", "--list", "-z", "--show-scope", "--includes"];
			const { exit, bytes, errors } = await run(folder, args, { timeoutMs: listTimeoutMs }, environment);
			if (exit !== 0) throw new GitFailed(args, exit, errors);
			return bytes;
		},
		parts.settings,
	);
	return async (folder, args, options = {}) => {
		const guarded = await configGuard.guard(folder, args, options.environment ?? {});
		if ("refused" in guarded) throw new GitFailed(args, null, guarded.refused);
		const environment = { ...plain, ...guarded.environment, ...options.environment };
		const deadline = performance.now() + Math.min(lockWaitMsMax, options.timeoutMs ?? timeoutMsDefault);
		for (let attempt = 0; ; attempt++) {
			const result = await run(folder, guarded.args, options, environment);
			if (result.exit === 0 || options.answers?.includes(result.exit) === true) return result;
			if (!lockInTheWay.test(result.errors) || performance.now() > deadline)
				throw new GitFailed(args, result.exit, result.errors);
			await pause(Math.min(20 * 2 ** attempt, 500), undefined, { signal: options.signal }).catch(
				expected("the next attempt sees that it was cancelled"),
			);
		}
	};
}

/** Another process is writing. Not "cannot lock ref … is at … but expected …", which is final. */
const lockInTheWay =
	/Unable to create '[^']*\.lock': File exists|could not lock config file [^\n]*: File exists|failed to read [^\n]*commondir/;

async function runOnce(
	folder: string,
	args: readonly string[],
	options: GitOptions,
	environment: Record<string, string>,
): Promise<GitResult> {
	if (options.signal?.aborted === true) throw new GitFailed(args, null, cancelledReason, { cancelled: true });
	const timeoutMs = options.timeoutMs ?? timeoutMsDefault;
	return await new Promise((resolve, reject) => {
		// in its own process group, so that its helpers end with it, and without a terminal to prompt on
		const child = spawn("git", args, {
			cwd: folder,
			env: environment,
			stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
			detached: true,
		});
		if (options.background === true && child.pid !== undefined) lowerPriority(child.pid);
		const stop = stopper(child.pid);
		const output = new Bounded(outputBytesMax, () => stop("more output than we can hold"));
		const errors = new Bounded(errorBytesMax);
		const timer = setTimeout(() => stop(`no answer within ${timeoutMs} ms`), timeoutMs);
		const cancelled = (): void => stop(cancelledReason);
		options.signal?.addEventListener("abort", cancelled, { once: true });
		const settle = (end: () => void): void => {
			clearTimeout(timer);
			stop.done();
			options.signal?.removeEventListener("abort", cancelled);
			end();
		};
		const drained =
			options.sink === undefined ? null : pour(child.stdout, options.sink, () => stop("nobody took its output"));
		if (drained === null) child.stdout?.on("data", (chunk: Buffer) => output.put(chunk));
		child.stderr?.on("data", (chunk: Buffer) => errors.put(chunk));
		child.stdin?.on("error", expected("git may exit before it has read everything; its exit code says if it failed"));
		feed(child.stdin, options.input);
		// ENOENT means that the program or the folder is missing
		child.on("error", (error) =>
			settle(() => reject(new GitFailed(args, null, existsSync(folder) ? error.message : `${folder} is gone`))),
		);
		const closed = (code: number | null): void =>
			settle(() => {
				const [bytes, stderr] = [output.bytes(), errors.bytes().toString()];
				const { reason } = stop;
				if (reason !== null)
					reject(new GitFailed(args, null, `${reason}\n${stderr}`, { cancelled: reason === cancelledReason }));
				else resolve({ exit: code ?? 128, bytes, text: bytes.toString().replace(/\n$/, ""), errors: stderr });
			});
		child.on("close", (code) => (drained === null ? closed(code) : void drained.then(() => closed(code))));
	});
}

/** Without effect if the process has ended, or the system does not allow it. */
const lowerPriority = (pid: number): void =>
	attempt(() => os.setPriority(pid, os.constants.priority.PRIORITY_LOW), undefined);

function feed(stdin: Writable | null, input: GitOptions["input"]): void {
	if (!(input instanceof Readable)) return void stdin?.end(input);
	if (stdin !== null) input.pipe(stdin);
	// the writer must not wait for a git that has exited
	stdin?.once("close", () => void input.unpipe().resume());
}

/** Resolves at the end of the output. */
async function pour(stdout: Readable | null, sink: NonNullable<GitOptions["sink"]>, failed: () => void): Promise<void> {
	try {
		for await (const chunk of stdout ?? []) await sink(chunk);
	} catch {
		failed();
	}
}

interface Stop {
	(reason: string): void;
	reason: string | null;
	done(): void;
}

function stopper(pid: number | undefined): Stop {
	let ended = (): void => {};
	const stop: Stop = Object.assign(
		(reason: string): void => {
			if (stop.reason !== null) return;
			stop.reason = reason;
			ended = endGroup(pid, graceMs);
		},
		{ reason: null, done: () => ended() },
	);
	return stop;
}

/** Output up to a limit. The rest is dropped, and `full` is called once. */
class Bounded {
	readonly #chunks: Buffer[] = [];
	readonly #max: number;
	readonly #full: () => void;
	#length = 0;

	constructor(max: number, full: () => void = () => {}) {
		this.#max = max;
		this.#full = full;
	}

	put(chunk: Buffer): void {
		if (this.#length > this.#max) return;
		this.#length += chunk.length;
		if (this.#length > this.#max) this.#full();
		else this.#chunks.push(chunk);
	}

	bytes(): Buffer {
		return Buffer.concat(this.#chunks);
	}
}
