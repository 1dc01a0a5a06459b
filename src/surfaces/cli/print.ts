// What people and scripts see. With --json, standard output has one document with data or standard error one with an
// error, and nothing else.
//
// Everything that the command line prints goes through the functions here, which make visible what a terminal would
// obey: the words of agents, repositories and strangers are in all of it.
import { Refused } from "#client/client.ts";
import { type Refusal, refusalCodes, refuse } from "#contract/refusal.ts";
import { asJson, indented, inline, visible } from "#contract/visible.ts";

export const printJson = (value: unknown): void => void process.stdout.write(`${asJson(value)}\n`);
export const printData = (data: unknown): void => printJson({ data });
/** A part of a line. */
export const printPiece = (text: string): void => void process.stdout.write(visible(text));
export const print = (text: string): void =>
	void process.stdout.write(visible(text === "" || text.endsWith("\n") ? text : `${text}\n`));
/** Text with our own colours in it, whose parts were made visible one by one (`style.ts`). */
export const printPainted = (text: string): void => void process.stdout.write(text);
export const printPaintedToStderr = (text: string): void => void process.stderr.write(text);
/** Beside the answer, for people only. */
export const printToStderr = (text: string): void => void process.stderr.write(visible(`${text}\n`));

/** The last of what a command printed that did not do what it should. */
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

/** The arguments do not fit together: the parser could not know, but nothing was asked of the daemon. */
export class UsageError extends Refused {
	constructor(message: string) {
		super(refuse("VALIDATION_ERROR", message));
	}
}

/** Answers with the exit code. */
export function printError(error: unknown, json: boolean): number {
	const refusal: Refusal = error instanceof Refused ? error.refusal : refusalOf(error);
	if (json) process.stderr.write(`${asJson({ error: refusal })}\n`);
	else
		printToStderr(
			[
				`${refusal.code}: ${indented(refusal.message, "  | ")}`,
				...outputOf(refusal),
				...refusal.suggestions.map((suggestion) => `  try: ${inline(suggestion)}`),
			].join("\n"),
		);
	return error instanceof UsageError ? 2 : refusalCodes[refusal.code].exit;
}

/** Of what failed on this side: the file system, or the line to the daemon. Anything else is a bug. */
function refusalOf(error: unknown): Refusal {
	const message = error instanceof Error ? error.message : String(error);
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
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

/** Columns as wide as they need to be, the last one cut to the terminal. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	if (rows.length === 0) return "";
	const shown = rows.map((row) => row.map(inline));
	const widths = head.map((name, at) => Math.max(name.length, ...shown.map((row) => row[at]?.length ?? 0)));
	const line = (cells: readonly string[]): string =>
		cells
			.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
			.join("  ")
			.slice(0, process.stdout.columns ?? 1000)
			.trimEnd();
	return [line(head), ...shown.map(line)].join("\n");
}

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export function age(since: string): string {
	const seconds = Math.max(0, Math.floor((performance.timeOrigin + performance.now() - Date.parse(since)) / 1000));
	if (seconds < 60) return `${seconds}s`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
	return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

export const details = (lines: readonly [string, string | number | null][]): string =>
	lines
		.flatMap(([name, value]) => (value === null || value === "" ? [] : `${name.padEnd(20)} ${inline(String(value))}`))
		.join("\n");
