// The project's own commands: setup, check, teardown. They are run by a shell, because a person wrote them for one, and
// only if that person, or somebody who approved the repository's configuration, wanted it.
import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { signalGroup } from "#adapters/system/process-group.ts";
import { endAll, family, innerPid, type Known } from "#adapters/system/processes.ts";
import { contained, inRoom } from "#adapters/system/walls.ts";
import { expected } from "#contract/log.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { CommandRun } from "#contract/workspace.ts";
import { caught, type Log, noLog } from "#engine/log.ts";
import type { Live, ProjectPlace } from "#engine/workspaces.ts";
import type { Ground } from "./ground.ts";
import { roomOf } from "./room.ts";

const timeoutMs = 30 * 60 * 1000;
const graceMs = 2000;
/** what a shell answers for a command that cannot be run */
const notStarted = 126;
const tailMax = 64 * 1024;
const lineMax = 16 * 1024;
/** whoever listens keeps each line: a command that never stops printing must not fill that place */
const linesMax = 20_000;
const charactersMax = 8 * 1024 * 1024;

/** Where a command runs, and with what. */
interface Where {
	project: ProjectPlace;
	folder: string;
	environment: Readonly<Record<string, string>>;
}

/** Resolves when the command has ended and nothing that it started is left; how it ended is in the answer. */
export async function runCommand(ground: Ground, command: string, { project, folder, environment }: Where, live: Live): Promise<CommandRun> {
	const { containment = "groups" } = ground;
	const room = await roomOf(ground, project, folder, null);
	if (room !== null && isRefusal(room)) return { command, exit: notStarted, output: room.message };
	if (room !== null && containment !== "bubblewrap") return { command, exit: notStarted, output: "The project asks for a sandbox, which needs bubblewrap." };
	const wall = contained(containment, { command: "/bin/sh", args: ["-c", command] }, room);
	// the lifeline stays in our hand: if we die, the command does, whatever the kernel had been asked for by then
	const stdio = ["ignore" as const, ...wall.pipes.stdio.slice(1)];
	const child = spawn(wall.command, [...wall.args], { cwd: folder, env: inRoom(environment, room), stdio, detached: true });
	for (const pipe of child.stdio) pipe?.on("error", expected("the end of the command is what counts"));
	const ending = new Ending(child.pid, wall.pipes.lifeline !== null, ground.log ?? noLog);
	const limit = setTimeout(() => ending.ask(), timeoutMs);
	const stop = (): void => ending.ask();
	live.signal?.addEventListener("abort", stop, { once: true });
	if (live.signal?.aborted === true) stop();
	const output = new Tail((line) => live.line?.(line));
	for (const stream of [child.stdio[wall.pipes.output], child.stderr])
		if (stream instanceof Readable) stream.setEncoding("utf8").on("data", (chunk: string) => output.put(chunk));
	try {
		const exit = await new Promise<number | null>((resolve, reject) => {
			child.once("error", reject);
			// what it left running may hold its output open
			child.once("exit", () => ending.force());
			child.once("close", (code) => resolve(code));
		});
		await ending.over();
		return { command, exit: ending.asked ? null : exit, output: output.end() };
	} finally {
		clearTimeout(limit);
		live.signal?.removeEventListener("abort", stop);
	}
}

/** How the end of a command and of everything that it started is brought about. */
class Ending {
	asked = false;
	readonly #pid: number | undefined;
	readonly #walled: boolean;
	readonly #log: Log;
	#timer: NodeJS.Timeout | undefined;
	#done: Promise<unknown> = Promise.resolve();

	constructor(pid: number | undefined, walled: boolean, log: Log) {
		this.#log = log;
		this.#pid = pid;
		this.#walled = walled;
	}

	/** Politely first. The wall itself is not asked: it would go at once, with everybody who is still tidying up. */
	ask(): void {
		if (this.asked) return;
		this.asked = true;
		const pid = this.#pid;
		if (this.#walled && pid !== undefined) {
			const manners = { ladder: [{ name: "SIGTERM", waitMs: graceMs }] as const, spare: (each: Known) => each.pid === pid || innerPid(each.pid) === 1 };
			this.#done = endAll(() => family({}, [pid]), manners).catch(caught(this.#log, "git", "The processes of a project's command could not be ended", { pid }));
		} else {
			signalGroup(this.#pid, "SIGTERM");
			this.#timer = setTimeout(() => this.force(), graceMs);
		}
	}

	/** Behind a wall the kernel has done it already. */
	force(): void {
		signalGroup(this.#pid, "SIGKILL");
	}

	async over(): Promise<void> {
		clearTimeout(this.#timer);
		await this.#done;
	}
}

/** Lines as they come, up to a limit, and the last part of everything. */
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
		for (; this.#open.length > lineMax; this.#open = this.#open.slice(lineMax)) lines.push(this.#open.slice(0, lineMax));
		for (const line of lines) this.#tell(line);
	}
	end(): string {
		if (this.#open !== "") this.#tell(this.#open);
		return this.#all;
	}
	#tell(line: string): void {
		if (this.#isFull()) return;
		this.#lines += 1;
		this.#characters += line.length;
		this.#line(this.#isFull() ? "[cut]" : line);
	}
	#isFull(): boolean {
		return this.#lines > linesMax || this.#characters > charactersMax;
	}
}

export function commandFailed(step: string, ran: CommandRun): Refusal {
	const how = ran.exit === null ? "was stopped" : `ended with ${ran.exit}`;
	return refuse("CONFLICT", `The ${step} command ${how}.`, { details: { step, ...ran } });
}
