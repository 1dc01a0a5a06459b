// Notifies the person: through the desktop, and through a program of the person's own. Nothing waits for either. Text
// of agents is passed as arguments, variables and JSON, never through a shell.
import { type ChildProcess, spawn } from "node:child_process";
import { expected } from "#contract/log.ts";
import type { Notice, NotifyConfig } from "#contract/notice.ts";
import { withoutOwn } from "#contract/own-variables.ts";
import type { Log } from "#engine/ports/log.ts";
import { isOnPath } from "./on-path.ts";
import { signalGroup } from "./process-group.ts";

interface NotifierOptions {
	config: NotifyConfig;
	environment: NodeJS.ProcessEnv;
	log: Log;
	/** notices per period; the rest are summed up in one */
	countMax?: number;
	periodMs?: number;
}

const runningMax = 8;
const programMs = 10_000;

export class Notifier implements Disposable {
	readonly #options: Required<NotifierOptions>;
	readonly #running = new Set<ChildProcess>();
	readonly #failing = new Set<string>();
	#sent = 0;
	#left = 0;
	#period: NodeJS.Timeout | undefined;

	constructor(options: NotifierOptions) {
		this.#options = { countMax: 12, periodMs: 60_000, ...options };
	}

	notify(notice: Notice): void {
		const { countMax, periodMs } = this.#options;
		this.#period ??= setTimeout(() => this.#nextPeriod(), periodMs).unref();
		if (this.#sent >= countMax || this.#running.size >= runningMax) {
			this.#left += 1;
			return;
		}
		this.#sent += 1;
		this.#send(notice);
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#period);
		for (const child of this.#running) signalGroup(child.pid, "SIGKILL");
	}

	/** Sends one notice for all that were left out. */
	#nextPeriod(): void {
		const left = this.#left;
		[this.#sent, this.#left, this.#period] = [0, 0, undefined];
		if (left > 0)
			this.notify({
				...{
					kind: "review",
					title: `${left} more ${left === 1 ? "notice" : "notices"}`,
					text: "",
					next: "brood inbox",
				},
				...{ agent: null, issue: null, approval: null, project: null },
			});
	}

	#send(notice: Notice): void {
		const { config, environment } = this.#options;
		if (config.desktop === true) {
			const desktop = desktopCommand(notice, environment["PATH"]);
			if (desktop === null) this.#failed("desktop", "notify-send or osascript is not on the daemon's PATH");
			else this.#run("desktop", desktop, notice);
		}
		if (config.command !== undefined) this.#run("command", config.command, notice);
	}

	#run(what: string, [program = "", ...args]: readonly string[], notice: Notice): void {
		const child = spawn(program, args, {
			detached: true,
			stdio: ["pipe", "ignore", "pipe"],
			env: { ...withoutOwn(this.#options.environment), ...variablesOf(notice) },
		});
		this.#running.add(child);
		let errors = "";
		child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
			errors = (errors + chunk).slice(-1000);
		});
		const limit = setTimeout(() => {
			errors += `\nIt took longer than ${programMs / 1000} s and was ended.`;
			signalGroup(child.pid, "SIGKILL");
		}, programMs);
		limit.unref();
		const over = (problem: string | null): void => {
			clearTimeout(limit);
			this.#running.delete(child);
			if (problem === null) this.#failing.delete(what);
			else this.#failed(what, `${program}: ${problem} ${errors}`.trim());
		};
		child.once("error", (error) => over(error.message));
		// processes that it left running may hold its pipes open
		child.once("exit", (code) => {
			signalGroup(child.pid, "SIGKILL");
			over(code === 0 ? null : `it ended with ${code}.`);
		});
		child.stdin.on("error", expected("the program does not read what it is given"));
		child.stdin.end(`${JSON.stringify(notice)}\n`);
	}

	/** Logs a failure once, until it works again. */
	#failed(what: string, why: string): void {
		if (this.#failing.has(what)) return;
		this.#failing.add(what);
		this.#options.log.warn("notify", `The ${what} of notify: in config.yaml does not work: ${why}`);
	}
}

/** Null if this machine has neither program. */
function desktopCommand({ title, text, next }: Notice, searchPath: string | undefined): readonly string[] | null {
	const body = [text, next].filter((line) => line !== "").join("\n");
	if (isOnPath("notify-send", searchPath)) return ["notify-send", "--app-name=Brood", "--", title, withoutMarkup(body)];
	if (!isOnPath("osascript", searchPath)) return null;
	const lines = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
	return ["osascript", ...lines.flatMap((line) => ["-e", line]), "--", title, body];
}

/** Desktops read the body as markup. */
const withoutMarkup = (text: string): string =>
	text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const variablesOf = ({ kind, title, text, next, agent, issue, approval, project }: Notice) => ({
	BROOD_NOTICE: kind,
	BROOD_NOTICE_TITLE: title,
	BROOD_NOTICE_TEXT: text,
	BROOD_NOTICE_NEXT: next,
	BROOD_NOTICE_AGENT: agent ?? "",
	BROOD_NOTICE_ISSUE: issue ?? "",
	BROOD_NOTICE_APPROVAL: approval === null ? "" : String(approval),
	BROOD_NOTICE_PROJECT: project ?? "",
});
