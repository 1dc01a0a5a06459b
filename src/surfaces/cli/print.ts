// What people and scripts see. With --json, standard output has one document with data or standard error one with an
// error, and nothing else.
import { Refused } from "#client/client.ts";
import { type Refusal, refusalCodes, refuse } from "#contract/refusal.ts";
import type { Agent, Item } from "#contract/wire.ts";

export const printData = (data: unknown): void => void process.stdout.write(`${JSON.stringify({ data })}\n`);
export const print = (text: string): void => void process.stdout.write(text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** Answers with the exit code. */
export function printError(error: unknown, json: boolean): number {
	const refusal: Refusal = error instanceof Refused ? error.refusal : refuse("INTERNAL_ERROR", error instanceof Error ? error.message : String(error));
	if (json) process.stderr.write(`${JSON.stringify({ error: refusal })}\n`);
	else process.stderr.write([`${refusal.code}: ${refusal.message}`, ...refusal.suggestions.map((suggestion) => `  try: ${suggestion}`), ""].join("\n"));
	return refusalCodes[refusal.code].exit;
}

/** Columns as wide as they need to be, the last one cut to the terminal. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	if (rows.length === 0) return "";
	const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
	const line = (cells: readonly string[]): string =>
		cells
			.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
			.join("  ")
			.slice(0, process.stdout.columns ?? 1000)
			.trimEnd();
	return [line(head), ...rows.map(line)].join("\n");
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export function agentTable(agents: readonly Agent[]): string {
	return table(
		["AGENT", "PROJECT", "TYPE", "LABEL", "QUEUE", "MAIL", "ID"],
		agents.map((agent) => [agent.handle, agent.project ?? "-", agent.type, agent.label, String(agent.queueLength), String(agent.unreadMail), agent.id]),
	);
}

/** Everything about one agent, a line each; what is not there is left out. */
export function agentDetails(agent: Agent): string {
	const { holds, lineage, turn, lastError, ...plain } = agent;
	const lines: [string, string | number | null][] = [
		...Object.entries(plain),
		["turn", turn && `${turn.id}, since ${turn.startedAt}`],
		["lineage", lineage && `${lineage.agent} up to item ${lineage.forkPoint}`],
		["lastError", lastError && `${lastError.code} at ${lastError.step}, ${lastError.at}`],
		...holds.map(({ kind, reason, by, at }): [string, string] => ["held", `${kind}${reason === "" ? "" : ` (${reason})`}, by ${by}, ${at}`]),
	];
	return lines.flatMap(([name, value]) => (value === null ? [] : `${name.padEnd(18)} ${value}`)).join("\n");
}

/** The forest of living supervisors and what is below them. */
export function tree(agents: readonly Agent[]): string {
	const below = Map.groupBy(agents, (agent) => agent.supervisor);
	const branch = (agent: Agent, indent: string, last: boolean): string[] => {
		const children = below.get(agent.id) ?? [];
		const own = `${indent}${last ? "└─ " : "├─ "}${agent.handle}  ${agent.label}  ${agent.type}${agent.project === null ? "" : `  ${agent.project}`}`;
		return [own, ...children.flatMap((child, at) => branch(child, `${indent}${last ? "   " : "│  "}`, at === children.length - 1))];
	};
	const known = new Set(agents.map((agent) => agent.id));
	const roots = agents.filter((agent) => agent.supervisor === null || !known.has(agent.supervisor));
	return roots.flatMap((root) => branch(root, "", true)).join("\n");
}

export function itemLine({ id, kind, text, data }: Pick<Item, "id" | "kind" | "text" | "data">): string {
	const words = text ?? (kind === "final" ? String(Reflect.get(Object(data), "state")) : data === null ? "" : JSON.stringify(data));
	return `${String(id).padStart(6)}  ${kind.padEnd(11)}  ${words.includes("\n") ? words.trimEnd().replaceAll("\n", `\n${" ".repeat(21)}`) : oneLine(words)}`;
}
