// The one place where git is run. Git is a command interpreter: what the user's own configuration says is trusted and
// keeps working (identity, credentials, filters); what a repository brings along never runs (see config-guard.ts).
//
// `folder` is the top of a working tree or a bare repository, or any folder for verbs that need no repository: git
// never looks for one further up, so a worktree that lost its `.git` cannot become a part of whatever lies around it.
// Names never become options: put `--end-of-options` before a ref and `--` before a path, or use refs.ts.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import { Readable, type Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { signalGroup } from "#adapters/system/process-group.ts";
import { expected } from "#contract/log.ts";
import { ConfigGuard } from "./config-guard.ts";
import { environmentOfGit } from "./environment.ts";

export interface GitOptions {
	input?: Uint8Array | string | Readable;
	/** takes standard output piece by piece instead of keeping it */
	sink?(chunk: Buffer): Promise<void>;
	environment?: Readonly<Record<string, string>>;
	timeoutMs?: number;
	/** exit codes that are answers and not failures; 0 always is */
	answers?: readonly number[];
	signal?: AbortSignal;
	/** nobody waits for it: everybody else goes first */
	background?: boolean;
}

export interface GitResult {
	code: number;
	/** standard output as it came */
	bytes: Buffer;
	/** the same as text without the last line end */
	text: string;
	errors: string;
}

export type Git = (folder: string, args: readonly string[], options?: GitOptions) => Promise<GitResult>;

export class GitFailed extends Error {
	readonly args: readonly string[];
	readonly code: number | null;
	readonly errors: string;
	/** what it means for whoever asked */
	readonly refusalCode: "REPOSITORY_GONE" | "GIT_FAILED";
	/** nobody waits for it any more: that says nothing of the repository */
	readonly calledOff: boolean;

	constructor(args: readonly string[], code: number | null, errors: string, { calledOff = false } = {}) {
		super(`git ${args[0] ?? ""} failed${code === null ? "" : ` (${code})`}: ${errors.trim().slice(0, 2000)}`);
		this.name = "GitFailed";
		this.args = args;
		this.code = code;
		this.errors = errors;
		this.calledOff = calledOff;
		this.refusalCode = repositoryGone.test(errors) ? "REPOSITORY_GONE" : "GIT_FAILED";
	}
}

const repositoryGone = /^fatal: (not a git repository|cannot change to)|is no working tree of git$| is gone$/m;

interface Ran {
	folder: string;
	args: readonly string[];
	/** on an index of its own, so that nobody sees what it changes */
	aside: boolean;
	code: number | null;
	ms: number;
}

const timeoutMsDefault = 60_000;
/** to read the files of configuration, and what they include */
const listTimeoutMs = 15_000;
const lockWaitMsMax = 10_000;
const outputBytesMax = 256 * 1024 * 1024;
const errorBytesMax = 64 * 1024;
/** between asking and forcing: git removes its lock files when it is asked */
const graceMs = 2000;
const calledOffReason = "called off";

export function makeGit(parts: {
	environment: NodeJS.ProcessEnv;
	/** settings for every command, besides those that are always made */
	settings?: readonly (readonly [string, string])[];
	/** told of every command that was run; arguments only, never file contents */
	record?(entry: Ran): void;
	/** ends all that run, and whatever is asked for later */
	halt?: AbortSignal;
}): Git {
	const plain = environmentOfGit(parts.environment);
	const run = async (
		folder: string,
		args: readonly string[],
		asked: GitOptions,
		environment: Record<string, string>,
	): Promise<GitResult> => {
		const signals = [asked.signal, parts.halt].filter((signal) => signal !== undefined);
		const options = signals.length === 0 ? asked : { ...asked, signal: AbortSignal.any(signals) };
		const start = performance.now();
		let code: number | null = null;
		try {
			const result = await runOnce(folder, args, options, environment);
			code = result.code;
			return result;
		} finally {
			parts.record?.({
				folder,
				args,
				aside: environment["GIT_INDEX_FILE"] !== undefined,
				code,
				ms: performance.now() - start,
			});
		}
	};
	const configGuard = new ConfigGuard(
		plain,
		async (folder, environment) => {
			const args = ["config", "--list", "-z", "--show-scope", "--includes"];
			const { code, bytes, errors } = await run(folder, args, { timeoutMs: listTimeoutMs }, environment);
			if (code !== 0) throw new GitFailed(args, code, errors);
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
			if (result.code === 0 || options.answers?.includes(result.code) === true) return result;
			if (!lockInTheWay.test(result.errors) || performance.now() > deadline)
				throw new GitFailed(args, result.code, result.errors);
			await pause(Math.min(20 * 2 ** attempt, 500), undefined, { signal: options.signal });
		}
	};
}

/** Somebody else is writing. Not "cannot lock ref … is at … but expected …": that is an answer. */
const lockInTheWay =
	/Unable to create '[^']*\.lock': File exists|could not lock config file [^\n]*: File exists|failed to read [^\n]*commondir/;

async function runOnce(
	folder: string,
	args: readonly string[],
	options: GitOptions,
	environment: Record<string, string>,
): Promise<GitResult> {
	if (options.signal?.aborted === true) throw new GitFailed(args, null, calledOffReason, { calledOff: true });
	const timeoutMs = options.timeoutMs ?? timeoutMsDefault;
	return await new Promise((resolve, reject) => {
		// a group of its own, so that its helpers end with it, and no terminal to ask anything on
		const child = spawn("git", args, {
			cwd: folder,
			env: environment,
			stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
			detached: true,
		});
		if (options.background === true) yieldTo(child.pid);
		const stop = stopper(child.pid);
		const [output, errors] = [
			new Bounded(outputBytesMax, () => stop("more output than we can hold")),
			new Bounded(errorBytesMax),
		];
		const timer = setTimeout(() => stop(`no answer within ${timeoutMs} ms`), timeoutMs);
		const calledOff = (): void => stop(calledOffReason);
		options.signal?.addEventListener("abort", calledOff, { once: true });
		const settle = (end: () => void): void => {
			clearTimeout(timer);
			stop.done();
			options.signal?.removeEventListener("abort", calledOff);
			end();
		};
		const drained =
			options.sink === undefined ? null : pour(child.stdout, options.sink, () => stop("nobody took its output"));
		if (drained === null) child.stdout?.on("data", (chunk: Buffer) => output.put(chunk));
		child.stderr?.on("data", (chunk: Buffer) => errors.put(chunk));
		// a git that has heard enough closes its end; its exit code tells whether that was an error
		child.stdin?.on("error", expected("git may end before it has read everything; its exit says what came of it"));
		feed(child.stdin, options.input);
		// the system says the same of a program and of a folder that are not there
		child.on("error", (error) =>
			settle(() => reject(new GitFailed(args, null, existsSync(folder) ? error.message : `${folder} is gone`))),
		);
		const closed = (code: number | null): void =>
			settle(() => {
				const bytes = output.bytes();
				if (stop.reason !== null)
					reject(
						new GitFailed(args, null, `${stop.reason}\n${errors.bytes().toString()}`, {
							calledOff: stop.reason === calledOffReason,
						}),
					);
				else
					resolve({
						code: code ?? 128,
						bytes,
						text: bytes.toString().replace(/\n$/, ""),
						errors: errors.bytes().toString(),
					});
			});
		child.on("close", (code) => (drained === null ? closed(code) : void drained.then(() => closed(code))));
	});
}

/** Where that may not be asked for it runs like any other. */
function yieldTo(pid: number | undefined): void {
	try {
		if (pid !== undefined) os.setPriority(pid, os.constants.priority.PRIORITY_LOW);
	} catch {
		// it has ended already, or the system does not let us
	}
}

function feed(stdin: Writable | null, input: GitOptions["input"]): void {
	if (!(input instanceof Readable)) return void stdin?.end(input);
	if (stdin !== null) input.pipe(stdin);
	// whoever writes must not wait for a git that has gone
	stdin?.once("close", () => void input.unpipe().resume());
}

/** Resolves when everything was taken. */
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
	let effective: NodeJS.Timeout | undefined;
	const stop: Stop = Object.assign(
		(reason: string): void => {
			if (stop.reason !== null) return;
			stop.reason = reason;
			signalGroup(pid, "SIGTERM");
			effective = setTimeout(() => signalGroup(pid, "SIGKILL"), graceMs);
		},
		{ reason: null, done: () => clearTimeout(effective) },
	);
	return stop;
}

/** What was said, up to a limit; the rest is dropped and told of once. */
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
