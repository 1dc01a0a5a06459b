// Agents as people see them.
import { indented } from "#contract/visible.ts";
import type { Agent } from "#contract/wire.ts";
import { budgetLine, spentLine } from "#views/usage-lines.ts";
import { details, table } from "./print.ts";

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

/** The label, and behind it what somebody should know: that its turn waits for an answer, or is silent. */
export function labelOf({ label, turn, holds }: Agent): string {
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
