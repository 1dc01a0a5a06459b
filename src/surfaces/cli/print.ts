// What people and scripts see. With --json, standard output has one document with data or standard error one with an
// error, and nothing else.
//
// Everything that the command line prints goes through the functions here, which make visible what a terminal would
// obey: the words of agents, repositories and strangers are in all of it.
import { Refused } from "#client/client.ts";
import { type Refusal, refusalCodes, refuse } from "#contract/refusal.ts";
import { asJson, indented, inline, visible } from "#contract/visible.ts";
import type { Agent, Found, Item, Mail, Prompt, Subscription, Turn } from "#contract/wire.ts";
import { budgetLine, spentLine, usageLine } from "#views/usage-lines.ts";

export const printJson = (value: unknown): void => void process.stdout.write(`${asJson(value)}\n`);
export const printData = (data: unknown): void => printJson({ data });
/** A part of a line. */
export const printPiece = (text: string): void => void process.stdout.write(visible(text));
export const print = (text: string): void =>
	void process.stdout.write(visible(text === "" || text.endsWith("\n") ? text : `${text}\n`));
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

/** An agent whose workspace could not be made: the command failed. */
export function noted(agent: Agent): Agent {
	if (agent.life === "provisioning" && agent.label === "error") process.exitCode = 1;
	return agent;
}

/** Made, or not: then what went wrong stands below it. */
export function madeAgent(agent: Agent): string {
	const problem = agent.life === "provisioning" ? agent.holds.find(({ kind }) => kind === "error") : undefined;
	if (problem === undefined) return agentTable([agent]);
	return `${agentTable([agent])}\n${agent.lastError?.code}: ${indented(problem.reason, "  | ")}\n  try: brood agent recover ${agent.handle}`;
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
			{
				details: { reason: message },
				suggestions: ["brood status", "brood logs"],
			},
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

export function agentTable(agents: readonly Agent[]): string {
	const rows = agents.map((agent) => {
		return [
			agent.handle,
			agent.project ?? "-",
			agent.type,
			labelOf(agent),
			String(agent.queueLength),
			String(agent.unreadMail),
			agent.id,
		];
	});
	return table(["AGENT", "PROJECT", "TYPE", "LABEL", "QUEUE", "MAIL", "ID"], rows) || "no agents";
}

export function promptTable(prompts: readonly Prompt[]): string {
	const when = ({ notBefore, manual, priority, editedBy }: Prompt): string =>
		[
			manual && "now",
			priority !== 0 && `priority ${priority}`,
			notBefore !== null && `not before ${notBefore}`,
			editedBy !== null && `edited by ${editedBy}`,
		]
			.filter((word) => typeof word === "string")
			.join(", ");
	const rows = prompts.map((prompt) => [
		String(prompt.position),
		String(prompt.id),
		prompt.createdBy,
		when(prompt),
		oneLine(prompt.text),
	]);
	return table(["#", "ID", "BY", "WHEN", "TEXT"], rows) || "nothing waits";
}

export function turnTable(turns: readonly Turn[]): string {
	const how = ({ state, reason, retriedAs }: Turn): string =>
		`${state}${reason === null || reason === state ? "" : ` (${oneLine(reason)})`}${retriedAs === null ? "" : `, run again by prompt ${retriedAs}`}`;
	const rows = turns.map((turn) => [String(turn.id), String(turn.prompt), turn.source, turn.startedAt, how(turn)]);
	return table(["TURN", "PROMPT", "SOURCE", "STARTED", "STATE"], rows) || "no turns yet";
}

export function mailTable(mails: readonly Mail[]): string {
	const rows = mails.map(({ id, from, state, body }) => [String(id), from, state, oneLine(body)]);
	return table(["ID", "FROM", "STATE", "BODY"], rows) || "no mail";
}

/** Whole mails: each line is behind a bar, so that no text can pass for the next mail. */
export const mailLines = (mails: readonly Mail[]): string =>
	mails
		.map(({ id, from, sentAt, body }) => `mail ${id} from ${from}, ${sentAt}\n  | ${indented(body.trimEnd(), "  | ")}`)
		.join("\n") || "no mail";

export function foundLines({ found, complete }: { found: readonly Found[]; complete: boolean }): string {
	const rows = found.map(({ id, project, handle, kind, at, snippet }) => [
		String(id),
		project === null ? handle : `${project}/${handle}`,
		kind,
		age(at),
		oneLine(snippet),
	]);
	const lines = table(["ITEM", "AGENT", "KIND", "AGE", "TEXT"], rows) || "nothing was found";
	return complete ? lines : `${lines}\nSome of the journal is not indexed yet: ask again in a while.`;
}

export function age(since: string): string {
	const seconds = Math.max(0, Math.floor((performance.timeOrigin + performance.now() - Date.parse(since)) / 1000));
	if (seconds < 60) return `${seconds}s`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
	return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** The label, and behind it what somebody should know: that its turn waits for an answer, or is silent. */
function labelOf({ label, turn, holds }: Agent): string {
	// that a person paused it, or that something failed, is what the word says
	const why =
		label === "paused" || label === "error"
			? holds.map(({ kind }) => kind).filter((kind) => kind !== "user" && kind !== label)
			: [];
	if (why.length > 0) return `${label} (${why.join(", ")})`;
	if (turn === null) return label;
	const more =
		turn.silentSince !== null ? "silent" : turn.phase === "approval" || turn.phase === "wait" ? turn.phase : null;
	return more === null ? label : `${label} (${more})`;
}

/** Everything about one agent, a line each; what is not there is left out. */
export function agentDetails(agent: Agent): string {
	// how many are ahead is part of the words that say what it waits for
	const {
		id,
		handle,
		label,
		holds,
		lineage,
		turn,
		lastError,
		workspace,
		session,
		ahead: _,
		spent,
		budget,
		left,
		...rest
	} = agent;
	const { name, project, type, model, policy, createdAt, createdBy, endedAt, endedBy, endReason, endNote, ...more } =
		rest;
	const { workspaceRemovedAt, removedBy, removedNote, ...plain } = more;
	const lines: [string, string | number | null][] = [
		...Object.entries({ handle, id, label, name, project, type, model, policy }),
		...Object.entries({
			...plain,
			createdAt,
			createdBy,
			endedAt,
			endedBy,
			endReason,
			endNote,
			workspaceRemovedAt,
			removedBy,
			removedNote,
		}),
		[
			"workspace",
			workspace && `${workspace.kind} ${workspace.path}, branch ${workspace.branch}, base ${workspace.base}`,
		],
		[
			"session",
			session &&
				`${session.session}, ${session.how}${session.program === null ? "" : ` in ${session.program}`}, can ${session.powers.join(", ")}`,
		],
		["turn", turn && `${turn.id}, ${turn.phase}, since ${turn.startedAt}`],
		["attention", turn?.silentSince ? `nothing was heard of its turn since ${turn.silentSince}` : null],
		["used", spentLine(spent)],
		["budget", budget && `${budgetLine(budget)}; left: ${budgetLine(left ?? budget)}`],
		["lineage", lineage && `${lineage.agent} up to item ${lineage.forkPoint}`],
		["lastError", lastError && `${lastError.code} at ${lastError.step}, ${lastError.at}`],
		...holds.map(({ kind, reason, by, at }): [string, string] => [
			"held",
			`${kind}${reason === "" ? "" : ` (${reason})`}, by ${by}, ${at}`,
		]),
	];
	return details(lines);
}

const details = (lines: readonly [string, string | number | null][]): string =>
	lines
		.flatMap(([name, value]) => (value === null || value === "" ? [] : `${name.padEnd(20)} ${inline(String(value))}`))
		.join("\n");

export function subscriptionTable(all: readonly Subscription[]): string {
	const rows = all.map(({ name, type, used, maxConcurrent, fallback, coolingUntil }) => {
		return [
			name,
			type,
			`${used}/${maxConcurrent}`,
			fallback ?? "-",
			coolingUntil === null ? "-" : `until ${coolingUntil}`,
		];
	});
	return (
		table(["SUBSCRIPTION", "TYPE", "USED", "FALLBACK", "COOLING"], rows) || "no subscriptions: agents need no slots"
	);
}

export function subscriptionDetails({ credential, quiet, spent, ...plain }: Subscription): string {
	const lines: [string, string | number | null][] = [
		...Object.entries(plain),
		["used in all", spentLine(spent)],
		[
			"credential",
			credential === null ? "your own login" : "envFile" in credential ? credential.envFile : credential.configDir,
		],
		["quiet", quiet && `${quiet.from}-${quiet.to} ${quiet.zone}`],
	];
	return details(lines);
}

/** The forest of living supervisors and what is below them. */
export function tree(agents: readonly Agent[]): string {
	const below = Map.groupBy(agents, (agent) => agent.supervisor);
	const branch = (agent: Agent, indent: string, last: boolean): string[] => {
		const children = below.get(agent.id) ?? [];
		const own = `${indent}${last ? "└─ " : "├─ "}${agent.handle}  ${labelOf(agent)}  ${agent.type}${agent.project === null ? "" : `  ${agent.project}`}`;
		return [
			own,
			...children.flatMap((child, at) => branch(child, `${indent}${last ? "   " : "│  "}`, at === children.length - 1)),
		];
	};
	const known = new Set(agents.map((agent) => agent.id));
	const roots = agents.filter((agent) => agent.supervisor === null || !known.has(agent.supervisor));
	return roots.flatMap((root) => branch(root, "", true)).join("\n");
}

export function itemLine({ id, kind, text, data }: Pick<Item, "id" | "kind" | "text" | "data">): string {
	const words = text ?? itemText(kind, data);
	return `${String(id).padStart(6)}  ${kind.padEnd(11)}  ${words.includes("\n") ? indented(words.trimEnd(), " ".repeat(21)) : oneLine(words)}`;
}

function itemText(kind: string, data: unknown): string {
	if (kind === "final") return String(Reflect.get(Object(data), "state"));
	return (kind === "usage" && usageLine(Object(data))) || (data === null ? "" : JSON.stringify(data));
}

/** One turn with what it used in all, and its items. */
export function turnLines({ turn, items }: { turn: Turn; items: readonly Item[] }): string {
	const used = turn.usage === null ? [] : [`used: ${usageLine(turn.usage)}`];
	return [turnTable([turn]), ...used, ...items.map(itemLine)].join("\n");
}
