// The output of the command line. With --json, standard output has one document with data, or standard error has one
// with an error, and nothing else.
//
// All output goes through these functions, which escape control characters: it contains text from agents, repositories
// and strangers.

import { Refused } from "#client/client.ts";
import { messageOf } from "#contract/message-of.ts";
import { propertiesOf, type Refusal, refuse } from "#contract/refusal.ts";
import { asJson, indented, inline, visible } from "#contract/visible.ts";
import { ageOf } from "#views/age.ts";
import { refusedFiles } from "#views/refused-files.ts";
import { fitColumns, joined } from "./fit-columns.ts";

export const printJson = (value: unknown): void => void process.stdout.write(`${asJson(value)}\n`);
export const printData = (data: unknown): void => printJson({ data });
export const printPiece = (text: string): void => void process.stdout.write(visible(text));
export const print = (text: string): void =>
	void process.stdout.write(visible(text === "" || text.endsWith("\n") ? text : `${text}\n`));
/** Text with our own colours, whose parts were escaped one by one (`style.ts`). */
export const printPainted = (text: string): void => void process.stdout.write(text);
export const printPaintedToStderr = (text: string): void => {
	if (!isScreenOpen) process.stderr.write(text);
};
/** A note for people, on standard error. */
export const printToStderr = (text: string): void => printPaintedToStderr(visible(`${text}\n`));

let isScreenOpen = false;

/** While a screen is open it says everything itself: a note would land in the middle of it. */
export function leaveNotesTo(screen: "screen" | "stderr"): void {
	isScreenOpen = screen === "screen";
}

/** The end of what a program printed that failed, such as the check of a project. */
function outputOf({ details }: Refusal): string[] {
	const output = details["output"];
	return typeof output === "string" && output.trim() !== ""
		? output
				.trimEnd()
				.split("\n")
				.slice(-20)
				.map((line) => `  | ${line}`)
		: [];
}

/** Arguments that the parser accepts but that do not fit together; the daemon was not called. */
export class UsageError extends Refused {
	constructor(message: string) {
		super(refuse("VALIDATION_ERROR", message));
	}
}

/** When the terminal has taken everything; a screen lets writes wait on their own. */
export async function printed(timeoutMs: number): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	setTimeout(resolve, timeoutMs);
	process.stdout.write("", () => resolve());
	await promise;
}

/** Returns the exit code. */
export function printError(error: unknown, json: boolean): number {
	const refusal: Refusal = error instanceof Refused ? error.refusal : refusalOf(error);
	if (json) process.stderr.write(`${asJson({ error: refusal })}\n`);
	else
		printToStderr(
			[
				`${refusal.code}: ${indented(refusal.message, "  | ")}`,
				...refusedFiles(refusal),
				...outputOf(refusal),
				...refusal.suggestions.map((suggestion) => `  try: ${inline(suggestion)}`),
			].join("\n"),
		);
	return error instanceof UsageError ? 2 : propertiesOf(refusal.code).exit;
}

/** The message of a local failure: the file system, or the connection to the daemon. Anything else is a bug. */
function refusalOf(error: unknown): Refusal {
	const message = messageOf(error);
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	if (error instanceof Error && "syscall" in error && error.syscall === "uv_cwd")
		return refuse("VALIDATION_ERROR", "The current directory was deleted; run this in another one.");
	if (code === "ENOSPC" || code === "EDQUOT")
		return refuse("DISK_FULL", `The disk is full: ${message}.`, { suggestions: ["df -h"] });
	if (["EACCES", "EPERM", "EROFS", "ENOTDIR"].includes(code))
		return refuse("HOME_UNUSABLE", `${message}.`, { suggestions: ["brood doctor"] });
	if (
		["ECONNRESET", "EPIPE", "ECONNREFUSED", "ENOENT"].includes(code) ||
		(error instanceof Error && error.name === "WrongDaemon")
	)
		return refuse(
			"DAEMON_UNREACHABLE",
			"The daemon ended before it answered: whether the command took effect is not known.",
			{ details: { reason: message }, suggestions: ["brood status", "brood logs"] },
		);
	return refuse("INTERNAL_ERROR", message);
}

/** The width of the terminal. A terminal without a size says 0. */
export const outputWidth = (otherwise: number): number => process.stdout.columns || otherwise;

/** Null if the output is not a terminal: nothing is wrapped or cut then. */
export const terminalColumns = (): number | null => (process.stdout.isTTY ? outputWidth(80) : null);

/** Columns as wide as their content; one of them, by default the last, is cut where the terminal is too narrow. */
export function table(
	head: readonly string[],
	rows: readonly (readonly string[])[],
	{ cut = head.at(-1) ?? "", columns = terminalColumns() }: { cut?: string; columns?: number | null } = {},
): string {
	if (rows.length === 0) return "";
	return fitColumns([head, ...rows.map((row) => row.map(inline))], { columns, leftOut: [], cut: [[cut, 12]] })
		.map((row) => joined(row, columns))
		.join("\n");
}

/** As `7d`: tables have no room for more. */
export const age = (since: string): string => ageOf(since, localNow()).replace(" ", "");

export const localNow = (): number => performance.timeOrigin + performance.now();

export const details = (lines: readonly [string, string | number | null][]): string =>
	lines
		.flatMap(([name, value]) => (value === null || value === "" ? [] : `${name.padEnd(20)} ${inline(String(value))}`))
		.join("\n");

export function size(bytes: number): string {
	if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024)} kB`;
	return bytes < 10 * 1024 ** 3 ? `${Math.ceil(bytes / 1024 ** 2)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
