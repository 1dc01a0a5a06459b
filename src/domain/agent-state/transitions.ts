// Which operation is legal under which label: one table, used by the deciders, printed into the docs and tested cell by
// cell. A cell is the label after the operation, or its refusal.
import { type AgentState, type Label, labels } from "#contract/agent.ts";
import { fullName } from "#contract/full-name.ts";
import { type Refusal, type RefusalCode, refuse } from "#contract/refusal.ts";
import { labelOf } from "./label.ts";

export const operations = [
	"change",
	"rewind",
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
export type AgentOperation = (typeof operations)[number];

type Suggestion = "status" | "wait" | "interrupt" | "recover" | "queue" | "turns";
export type Cell = { to: Label } | { refuse: RefusalCode; suggest: Suggestion };
type Row = Record<Label, Cell>;

const to = (label: Label): Cell => ({ to: label });
const no = (code: RefusalCode, suggest: Suggestion): Cell => ({ refuse: code, suggest });
const gone = no("AGENT_INVALID_STATE", "status");
const busy = no("AGENT_BUSY", "wait");

/** The same cell under every label. */
const everywhere = (cell: Cell): Row => ({
	...{ init: cell, idle: cell, checkout: cell, running: cell, done: cell, paused: cell, error: cell },
	...{ dead: cell, deleted: cell },
});

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

export const transitions: Record<AgentOperation, Row> = {
	/** of the conversation or the settings: a text, a mark, another model */
	change: stays,
	/** also clear: the model of a running turn would not see the change, and the turn's later items would follow it */
	rewind: { ...stays, checkout: busy, running: busy, done: busy },
	/** history outlives its agent, so ended agents can be forked too; the label is the parent's */
	fork: { ...stays, dead: to("dead"), deleted: to("deleted") },
	prompt: stays,
	/** the scheduler starts only agents without a hold; a manual turn ignores holds */
	start: {
		...stays,
		init: no("AGENT_INVALID_STATE", "wait"),
		idle: to("running"),
		...{ checkout: busy, running: busy, done: busy },
		paused: to("running"),
		error: to("running"),
	},
	interrupt: {
		...everywhere(no("NOT_RUNNING", "status")),
		// only while a turn is open: an agent on its way to or from an issue's branch has none
		...{ checkout: no("NOT_RUNNING", "wait"), running: to("paused"), done: to("paused") },
	},
	/** during a turn, or before the first one, only the hold is added */
	pause: { ...stays, idle: to("paused") },
	/** ends the holds that `holdTable` lets it end; refused if one remains that needs `recover` */
	resume: { ...stays, paused: to("idle"), error: to("idle") },
	recover: { ...stays, error: to("idle"), checkout: busy, running: busy, done: busy },
	kill: {
		...everywhere(to("dead")),
		dead: no("ALREADY_DEAD", "status"),
		deleted: no("ALREADY_DEAD", "status"),
	},
	delete: {
		...everywhere(to("deleted")),
		init: no("AGENT_INVALID_STATE", "wait"),
		checkout: no("AGENT_INVALID_STATE", "wait"),
		running: no("AGENT_INVALID_STATE", "interrupt"),
		done: no("AGENT_INVALID_STATE", "wait"),
		deleted: gone,
	},
	reap: { ...everywhere(gone), dead: to("dead"), deleted: to("deleted") },
};

/** The refusal of an operation in the agent's present state; null if it is legal. */
export const refusedNow = (agent: AgentState, operation: AgentOperation): Refusal | null =>
	refusedUnder(labelOf(agent), agent, operation);

/** The refusal of an interrupt: a label alone does not say whether a turn is open. */
export const notRunning = (agent: NamedAgent, from: Label): Refusal =>
	refuse(
		"NOT_RUNNING",
		sentence(agent, "interrupt", from),
		aboutAgent(agent, "wait", { from, operation: "interrupt" }),
	);

export type NamedAgent = Pick<AgentState, "id" | "handle" | "project" | "life">;

/** The same for an agent whose label is known. */
export function refusedUnder(from: Label, agent: NamedAgent, operation: AgentOperation): Refusal | null {
	const cell = transitions[operation][from];
	if ("to" in cell) return null;
	return refuse(
		cell.refuse,
		sentence(agent, operation, from),
		aboutAgent(agent, cell.suggest, { from, to: destination(operation), operation }),
	);
}

function sentence(agent: NamedAgent, operation: AgentOperation, from: Label): string {
	if (operation === "kill") return `${agent.handle} has already ended.`;
	if (operation === "interrupt") return `${agent.handle} is ${stateText[from] ?? from}: no turn is running.`;
	const when = agent.life === "ended" ? "any more" : "now";
	return `${agent.handle} is ${stateText[from] ?? from}: ${operationNames[operation] ?? operation} is not possible ${when}.`;
}

/** After "is", where the label alone does not read as English. */
const stateText: Partial<Record<Label, string>> = {
	init: "not ready yet (init)",
	checkout: "not ready yet (checkout)",
	error: "in error",
	done: "still settling (done)",
};

/** Names for people, where the operation's own would not do. */
const operationNames: Partial<Record<AgentOperation, string>> = {
	change: "a change of its conversation or its settings",
	rewind: "a change of what its model sees",
	prompt: "a change of its queue",
	start: "another turn",
};

/** The label that the operation leads to where it is legal and changes something. */
function destination(operation: AgentOperation): Label | null {
	const reachable = labels
		.map((label) => transitions[operation][label])
		.find((cell, at) => "to" in cell && cell.to !== labels[at]);
	return reachable !== undefined && "to" in reachable ? reachable.to : null;
}

const suggestedCommands: Record<Suggestion, string> = {
	status: "agent status",
	wait: "wait",
	interrupt: "agent interrupt",
	recover: "agent recover",
	queue: "queue list",
	turns: "turn list",
};

/** A command that discards nothing: at most it interrupts a turn, which can be retried. */
export function suggestion(kind: Suggestion, { handle, project }: Pick<AgentState, "handle" | "project">): string {
	return `brood ${suggestedCommands[kind]} ${fullName({ handle, project })}`;
}

/** What a refusal about an agent carries. */
export const aboutAgent = (
	agent: Pick<AgentState, "id" | "handle" | "project">,
	suggest: Suggestion,
	details: Refusal["details"] = {},
): { details: Refusal["details"]; suggestions: string[] } => ({
	details: { agent: agent.id, ...details },
	suggestions: [suggestion(suggest, agent)],
});
