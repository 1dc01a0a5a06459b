// Prints agents.
import { fullName } from "#contract/full-name.ts";
import type { Node } from "#contract/node-wire.ts";
import { indented, inline } from "#contract/visible.ts";
import type { Agent, Availability } from "#contract/wire.ts";
import { continueCommand } from "#views/holds.ts";
import { nodeName } from "#views/node-name.ts";
import { isHumanAgentsTurn } from "#views/state-style.ts";
import { budgetLine, spentLine } from "#views/usage-lines.ts";
import { details, table } from "./print.ts";

/** The command failed if the agent's workspace could not be made. */
export function withExitCode<A extends Agent>(agent: A): A {
	if (agent.life === "provisioning" && agent.label === "error") process.exitCode = 1;
	return agent;
}

/** A new agent; if it failed, the reason is on the next line. */
export function madeAgent(agent: Agent): string {
	const problem = agent.life === "provisioning" ? agent.holds.find(({ kind }) => kind === "error") : undefined;
	if (problem === undefined) return agentTable([agent]);
	const name = fullName(agent);
	// the log has what a setup command printed
	const hints = [`brood log ${name}`, `brood agent recover ${name}`, `brood agent delete ${name}`]
		.map((hint) => `\n  try: ${hint}`)
		.join("");
	return `${agentTable([agent])}\n${agent.lastError?.code}: ${indented(problem.reason, "  | ")}${hints}`;
}

/** After a recover: what was done to the workspace, or why it still cannot be made. */
export function repairedAgent(agent: Agent & { repaired?: string | null }): string {
	return agent.repaired == null ? madeAgent(agent) : `${agentTable([agent])}\n${indented(agent.repaired, "  | ")}`;
}

export function agentTable(agents: readonly Agent[]): string {
	const rows = agents.map((agent) => {
		return [
			agent.handle,
			agent.project ?? "-",
			agent.type,
			labelText(agent),
			String(agent.queueLength),
			String(agent.unreadMail),
			agent.id,
		];
	});
	return table(["AGENT", "PROJECT", "TYPE", "STATE", "QUEUE", "MAIL", "ID"], rows) || "no agents";
}

/** Why none of these agents is free, and when each is expected to be. */
export function busyTable(agents: readonly Availability[]): string {
	const rows = agents.map(({ handle, project, label, reason, availableAt }) => {
		return [handle, project ?? "-", label, inline(reason ?? "-"), availableAt ?? "-"];
	});
	return rows.length === 0
		? "no agents"
		: `no agent is free\n${table(["AGENT", "PROJECT", "STATE", "BECAUSE", "FREE AT"], rows)}`;
}

/** The label, and in brackets what a person should know: an open question, or a silent turn. */
export function labelText(agent: Agent): string {
	const { label, turn, holds } = agent;
	const why = label === "paused" || label === "error" ? holds.map(holdText).filter((text) => text !== label) : [];
	if (why.length > 0) return `${label} (${why.join(", ")})`;
	if (turn === null) return label;
	if (isHumanAgentsTurn(agent)) return `${label} (waits for you)`;
	const more =
		turn.silentSince !== null ? "silent" : turn.phase === "approval" || turn.phase === "wait" ? turn.phase : null;
	return more === null ? label : `${label} (${more})`;
}

/** A person's hold is what `paused` says; the daemon sets the same one where a project stops at a usage limit. */
const holdText = ({ kind, by }: Agent["holds"][number]): string =>
	kind !== "user" ? kind : by === "system" ? "on-limit stop" : "paused";

/** All fields of an agent that are set, one per line. */
export function agentDetails(agent: Agent, nodes: readonly Node[], agents: readonly Agent[] = []): string {
	const nameOf = (of: string): string => {
		const found = agents.find((each) => each.id === of);
		return found === undefined ? of : fullName(found);
	};
	// `waitingFor` already says how many turns are ahead
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
		turnsAhead: _,
		spent,
		budget,
		budgetLeft,
		...rest
	} = agent;
	const { name, project, type, model, policy, createdAt, createdBy, endedAt, endedBy, endReason, endNote, ...more } =
		rest;
	const { workspaceRemovedAt, deletedBy, deletedNote, node: _node, movable: _movable, ...others } = more;
	const { supervisor, totalTasksCompleted, ...plain } = others;
	const node = nodeName(agent, nodes);
	const lines: [string, string | number | null][] = [
		...Object.entries({ handle, id, label, name, project, node, type, model, policy }),
		...Object.entries({
			supervisor: supervisor && nameOf(supervisor),
			...plain,
			tasksCompleted: totalTasksCompleted,
			createdAt,
			createdBy,
			endedAt,
			endedBy,
			endReason,
			endNote,
			workspaceRemovedAt,
			deletedBy,
			deletedNote,
		}),
		[
			"workspace",
			workspace && `${workspace.kind} ${workspace.path}, branch ${workspace.branch}, base ${workspace.base}`,
		],
		["session", session && sessionLine(session)],
		["turn", turn && `${turn.id}, ${turn.phase}, since ${turn.startedAt}`],
		["silent", turn?.silentSince ? `no output from its turn since ${turn.silentSince}` : null],
		["usage", spentLine(spent)],
		["budget", budget && `${budgetLine(budget)}; left: ${budgetLine(budgetLeft ?? budget)}`],
		["lineage", lineage && `fork of ${nameOf(lineage.agent)} up to item ${lineage.forkPoint}`],
		["lastError", lastError && `${lastError.code} at ${lastError.step}, ${lastError.at}`],
		...holds.map(({ kind, reason, by, at }): [string, string] => [
			"held",
			`${kind}${reason === "" ? "" : ` (${reason})`}, by ${by}, ${at}`,
		]),
		["to continue", holds.length === 0 ? null : continueCommand(agent)],
	];
	return details(lines.map(([name, value]) => [inWords(name), value]));
}

function sessionLine({ sessionId, how, programVersion, capabilities }: NonNullable<Agent["session"]>): string {
	const program = programVersion === null ? "" : ` in ${programVersion}`;
	return `${sessionId}, ${how}${program}, can ${capabilities.join(", ")}`;
}

/** `lastActiveAt` is for scripts, `last active at` for people. */
const inWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
