// The project's own commands: setup, check, teardown. They are shell commands, and run only if they are in the
// project's configuration or somebody approved the repository's.
import { startContained } from "#adapters/system/contained-process.ts";
import { sandboxEnvironment } from "#adapters/system/containment.ts";
import { endGroup, signalGroup } from "#adapters/system/process-group.ts";
import { endAll, findProcesses, innerPid, type Process } from "#adapters/system/processes.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { CommandRun } from "#contract/workspace.ts";
import { caught, type Log, noLog } from "#engine/ports/log.ts";
import type { AgentIdentity, ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import { agentIdentity, type GitContext } from "./git-context.ts";
import { mountsFor } from "./sandbox-mounts.ts";

const timeoutMs = 30 * 60 * 1000;
const graceMs = 2000;
/** a shell's exit code for a command that cannot be run */
const notStarted = 126;
const tailMax = 64 * 1024;
const lineMax = 16 * 1024;
/** bounds what a caller that keeps each line has to store */
const linesMax = 20_000;
const charactersMax = 8 * 1024 * 1024;

interface Where {
	project: ProjectRepository;
	folder: string;
	/** the project's `env:` list */
	env: readonly string[];
	/** the author of commits that the command makes */
	agent?: AgentIdentity;
}

/** Resolves when the command and all processes that it started have ended. */
export async function runProjectCommand(
	context: GitContext,
	command: string,
	{ project, folder, env, agent }: Where,
	control: StepControl,
): Promise<CommandRun> {
	const { containment = "groups" } = context;
	const asked = (await context.variables?.(env)) ?? {};
	if (typeof asked === "string") return { command, exit: notStarted, output: asked };
	const last = { ...asked, ...control.environment, ...(agent && agentIdentity(agent)) };
	const mounts = await mountsFor(context, project, folder, null);
	if (mounts !== null && isRefusal(mounts)) return { command, exit: notStarted, output: mounts.message };
	if (mounts !== null && containment !== "bubblewrap")
		return { command, exit: notStarted, output: "The project asks for a sandbox, which needs bubblewrap." };
	// the daemon holds the lifeline open for as long as the command runs
	const { child, output, lifeline } = startContained({
		...{ containment, mounts, folder, noInput: true, command: "/bin/sh", args: ["-c", command] },
		environment: { ...sandboxEnvironment(context.environment, mounts), ...last },
	});
	const ending = new Ending(child.pid, lifeline !== null, context.log ?? noLog);
	const limit = setTimeout(() => ending.ask(), timeoutMs);
	const stop = (): void => ending.ask();
	control.signal?.addEventListener("abort", stop, { once: true });
	if (control.signal?.aborted === true) stop();
	const tail = new Tail((line) => control.line?.(line));
	for (const stream of [output, child.stderr])
		stream?.setEncoding("utf8").on("data", (chunk: string) => tail.put(chunk));
	try {
		const exit = await new Promise<number | null>((resolve, reject) => {
			child.once("error", reject);
			// processes that it left running may hold its output open
			child.once("exit", () => ending.force());
			child.once("close", (code) => resolve(code));
		});
		await ending.over();
		return { command, exit: ending.asked ? null : exit, output: tail.end() };
	} finally {
		clearTimeout(limit);
		control.signal?.removeEventListener("abort", stop);
	}
}

/** Ends a command and all processes that it started. */
class Ending {
	asked = false;
	readonly #pid: number | undefined;
	readonly #contained: boolean;
	readonly #log: Log;
	#ended = (): void => {};
	#done: Promise<unknown> = Promise.resolve();

	constructor(pid: number | undefined, contained: boolean, log: Log) {
		this.#log = log;
		this.#pid = pid;
		this.#contained = contained;
	}

	/** SIGTERM first, but never to the wrapper: it would take everything inside with it at once. */
	ask(): void {
		if (this.asked) return;
		this.asked = true;
		const pid = this.#pid;
		if (this.#contained && pid !== undefined) {
			const options = {
				signals: [{ name: "SIGTERM", waitMs: graceMs }] as const,
				killOnly: (each: Process) => each.pid === pid || innerPid(each.pid) === 1,
			};
			this.#done = endAll(() => findProcesses({}, [pid]), options).catch(
				caught(this.#log, "git", "The processes of a project's command could not be ended", { pid }),
			);
		} else {
			this.#ended = endGroup(this.#pid, graceMs);
		}
	}

	/** In a PID namespace the kernel has already killed them. */
	force(): void {
		signalGroup(this.#pid, "SIGKILL");
	}

	async over(): Promise<void> {
		this.#ended();
		await this.#done;
	}
}

/** Passes on each line, up to a limit, and keeps the end of the output. */
class Tail {
	readonly #line: (line: string) => void;
	#open = "";
	#all = "";
	#lines = 0;
	#characters = 0;
	constructor(line: (line: string) => void) {
		this.#line = line;
	}
	put(chunk: string): void {
		this.#all = (this.#all + chunk).slice(-tailMax);
		if (this.#isFull()) return;
		const lines = (this.#open + chunk).split("\n");
		this.#open = lines.pop() ?? "";
		for (; this.#open.length > lineMax; this.#open = this.#open.slice(lineMax))
			lines.push(this.#open.slice(0, lineMax));
		for (const line of lines) this.#pass(line);
	}
	end(): string {
		if (this.#open !== "") this.#pass(this.#open);
		return this.#all;
	}
	#pass(line: string): void {
		if (this.#isFull()) return;
		this.#lines += 1;
		this.#characters += line.length;
		this.#line(this.#isFull() ? "[truncated]" : line);
	}
	#isFull(): boolean {
		return this.#lines > linesMax || this.#characters > charactersMax;
	}
}

/** Runs before the setup command, as part of it. */
export const initSubmodules = "git submodule update --init --recursive";

export function commandFailed(step: string, ran: CommandRun): Refusal {
	const how = ran.exit === null ? "was stopped" : `ended with ${ran.exit}`;
	const also = ran.command.startsWith(initSubmodules) ? ", which also fetches the submodules," : "";
	const what =
		ran.command === initSubmodules ? `Fetching the submodules (${initSubmodules})` : `The ${step} command${also}`;
	return refuse("CONFLICT", `${what} ${how}.`, { details: { step, ...ran } });
}
