// Which operation is legal under which label: one table, read by the deciders, printed into the docs and
// tested cell by cell. A cell is either the label that the operation leads to or the refusal it meets.
import { type AgentState, type Label, labels } from "#contract/agent.ts";
import { type Refusal, type RefusalCode, refuse } from "#contract/refusal.ts";
import { labelOf } from "./label.ts";

export const operations = [
	"say",
	"fork",
	"prompt",
	"start",
	"interrupt",
	"pause",
	"resume",
	"recover",
	"kill",
	"delete",
	"reap",
] as const;
export type Operation = (typeof operations)[number];

type Suggestion = "status" | "wait" | "interrupt" | "recover" | "queue" | "turns";
export type Cell = { to: Label } | { refuse: RefusalCode; suggest: Suggestion };
type Row = Record<Label, Cell>;

const to = (label: Label): Cell => ({ to: label });
const no = (code: RefusalCode, suggest: Suggestion): Cell => ({ refuse: code, suggest });
const gone = no("AGENT_INVALID_STATE", "status");
const busy = no("AGENT_BUSY", "wait");

/** An operation that changes no label while the agent has not ended. */
const stays: Row = {
	init: to("init"),
	idle: to("idle"),
	checkout: to("checkout"),
	running: to("running"),
	done: to("done"),
	paused: to("paused"),
	error: to("error"),
	dead: gone,
	deleted: gone,
};

export const transitions: Record<Operation, Row> = {
	/** an item written into the conversation: words, a clear, a mark, a rewind */
	say: stays,
	/** history outlives its agent, so the ended can be forked too; the label is the parent's */
	fork: { ...stays, dead: to("dead"), deleted: to("deleted") },
	prompt: stays,
	/** the scheduler starts only what has no hold; a manual turn ignores holds */
	start: {
		...stays,
		init: no("AGENT_INVALID_STATE", "wait"),
		idle: to("running"),
		checkout: busy,
		running: busy,
		done: busy,
		paused: to("running"),
		error: to("running"),
	},
	interrupt: {
		init: no("NOT_RUNNING", "status"),
		idle: no("NOT_RUNNING", "status"),
		checkout: to("paused"),
		running: to("paused"),
		done: to("paused"),
		paused: no("NOT_RUNNING", "status"),
		error: no("NOT_RUNNING", "status"),
		dead: no("NOT_RUNNING", "status"),
		deleted: no("NOT_RUNNING", "status"),
	},
	/** during a turn, or before the first one, only the hold is added */
	pause: { ...stays, idle: to("paused") },
	/** ends the holds that it may end (see the table of holds); refused if one remains that needs `recover` */
	resume: { ...stays, paused: to("idle"), error: to("idle") },
	recover: { ...stays, error: to("idle"), checkout: busy, running: busy, done: busy },
	kill: {
		init: to("dead"),
		idle: to("dead"),
		checkout: to("dead"),
		running: to("dead"),
		done: to("dead"),
		paused: to("dead"),
		error: to("dead"),
		dead: no("ALREADY_DEAD", "status"),
		deleted: no("ALREADY_DEAD", "status"),
	},
	delete: {
		init: no("AGENT_INVALID_STATE", "wait"),
		idle: to("deleted"),
		checkout: no("AGENT_INVALID_STATE", "interrupt"),
		running: no("AGENT_INVALID_STATE", "interrupt"),
		done: no("AGENT_INVALID_STATE", "interrupt"),
		paused: to("deleted"),
		error: to("deleted"),
		dead: to("deleted"),
		deleted: no("AGENT_INVALID_STATE", "status"),
	},
	reap: {
		init: no("AGENT_INVALID_STATE", "status"),
		idle: no("AGENT_INVALID_STATE", "status"),
		checkout: no("AGENT_INVALID_STATE", "status"),
		running: no("AGENT_INVALID_STATE", "status"),
		done: no("AGENT_INVALID_STATE", "status"),
		paused: no("AGENT_INVALID_STATE", "status"),
		error: no("AGENT_INVALID_STATE", "status"),
		dead: to("dead"),
		deleted: to("deleted"),
	},
};

/** The refusal that an operation meets in the agent's present state, or null if it is legal there. */
export function refusedNow(agent: AgentState, operation: Operation): Refusal | null {
	const from = labelOf(agent);
	const cell = transitions[operation][from];
	if ("to" in cell) return null;
	return refuse(cell.refuse, sentence(agent, operation, from), {
		details: { agent: agent.id, from, to: destination(operation), operation },
		suggestions: [suggestion(cell.suggest, agent)],
	});
}

function sentence(agent: AgentState, operation: Operation, from: Label): string {
	if (operation === "kill") return `${agent.handle} has already ended.`;
	if (operation === "interrupt") return `${agent.handle} is ${from}: no turn is running.`;
	const when = agent.life === "ended" ? "any more" : "now";
	return `${agent.handle} is ${from}: ${named[operation] ?? operation} is not possible ${when}.`;
}

/** What people call it, where that is not the operation's own name. */
const named: Partial<Record<Operation, string>> = {
	say: "a change of its conversation or its settings",
	prompt: "a change of its queue",
	start: "another turn",
};

/** Where the operation would have led from a state that allows it. */
function destination(operation: Operation): Label | null {
	const reachable = labels
		.map((label) => transitions[operation][label])
		.find((cell, at) => "to" in cell && cell.to !== labels[at]);
	return reachable !== undefined && "to" in reachable ? reachable.to : null;
}

/** Suggestions are always safe to run: none of them discards anything that was not already over. */
export function suggestion(kind: Suggestion, agent: Pick<AgentState, "handle" | "project">): string {
	const name = agent.project === null ? agent.handle : `${agent.project}/${agent.handle}`;
	switch (kind) {
		case "status":
			return `brood agent status ${name}`;
		case "wait":
			return `brood wait ${name}`;
		case "interrupt":
			return `brood agent interrupt ${name}`;
		case "recover":
			return `brood agent recover ${name}`;
		case "queue":
			return `brood queue list ${name}`;
		case "turns":
			return `brood turn list ${name}`;
	}
}
