// Workspaces: which one a new agent gets, who may lease it, and what git steps mean for the agent.
import type { AgentEvent, AgentState, HoldKind, Label } from "#contract/agent.ts";
import type { AgentSpawn } from "#contract/agent-commands.ts";
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Workspace } from "#contract/workspace.ts";
import type {
	LeaseStep,
	WorkspaceConfirm,
	WorkspaceDrift,
	WorkspaceLease,
	WorkspacePlan,
	WorkspaceRecord,
} from "#contract/workspace-step.ts";
import { isHeld, labelOf } from "./agent-state/label.ts";
import { aboutAgent, type NamedAgent, refusedUnder, suggestion } from "./agent-state/transitions.ts";
import type { Decision } from "./decision.ts";

/** An existing workspace, a plan for a new one, or neither. */
export interface WorkspaceChoice {
	workspace: Workspace | null;
	workspacePlan: WorkspacePlan | null;
}

const nothing: WorkspaceChoice = { workspace: null, workspacePlan: null };

export interface WorkspaceChoiceFacts {
	parent: AgentState;
	project: ProjectState | null;
	/** a living agent of the project that works in the repository itself */
	inMain: AgentState | undefined;
}

export function chooseWorkspace(
	{ parent, project, inMain }: WorkspaceChoiceFacts,
	command: AgentSpawn,
): WorkspaceChoice | Refusal {
	const hasWorkspace = parent.workspace !== null || parent.workspacePlan !== null;
	const usual = parent.supervisor === null ? (project?.base == null ? "none" : "new") : hasWorkspace ? "new" : "none";
	const request = command.workspace ?? (command.workspaceKind === undefined ? usual : "new");
	if (request === "none") return nothing;
	if (request === "share") {
		if (parent.workspace === null)
			return refuse("VALIDATION_ERROR", `${parent.handle} has no workspace to share.`, {
				suggestions: [suggestion("status", parent)],
			});
		if (parent.workspace.kind === "main")
			return refuse(
				"CONFLICT",
				`${parent.handle} works in the repository of ${project?.slug ?? "its project"} itself; there is room for one.`,
				{ details: { agent: parent.id }, suggestions: [suggestion("status", parent)] },
			);
		if (parent.lease !== null) return leased(parent, parent.lease.step, parent.lease.step);
		return { workspace: parent.workspace, workspacePlan: null };
	}
	if (project === null || project.base === null) {
		const where =
			project === null
				? "Without a project there is no workspace"
				: `${project.slug} is not a git repository, so it has no workspaces`;
		return refuse("VALIDATION_ERROR", `${where}.`, { suggestions: ["brood project list"] });
	}
	// only one agent may work in the repository itself, so its forks get worktrees
	const inherited = parent.workspace?.kind ?? parent.workspacePlan?.kind ?? "worktree";
	const kind = command.workspaceKind ?? (inherited === "main" ? "worktree" : inherited);
	if (kind === "main" && inMain !== undefined) {
		return refuse(
			"CONFLICT",
			`${inMain.handle} works in the repository of ${project.slug} itself; only one agent can.`,
			{ details: { agent: inMain.id }, suggestions: [suggestion("status", inMain)] },
		);
	}
	const fromTree =
		parent.workspace !== null && parent.workspaceRemovedAt === null && kind !== "main" && command.from === undefined;
	return {
		workspace: null,
		workspacePlan: {
			kind,
			from: command.from ?? null,
			parent: fromTree ? (command.snapshotOf ?? parent.id) : null,
			snapshot: fromTree ? (command.snapshot ?? null) : null,
		},
	};
}

/** Steps that an agent may take during its own turn. */
const duringTurn: readonly LeaseStep[] = ["commit"];
/** Steps for an agent that has ended. */
const afterEnd: readonly LeaseStep[] = ["delete", "fork", "snapshot"];

/** Steps that are allowed before `recover`: they repair a workspace, or do not make it worse. */
const beforeRecovery: readonly LeaseStep[] = ["recover", "delete", "fork", "snapshot"];

/** Steps that may happen while another agent works in the same tree. */
const duringOthersTurns: readonly LeaseStep[] = ["commit", "fork", "snapshot"];

/** What a git step depends on, of an agent as it is stored or as it is shown. */
interface StepFacts extends NamedAgent {
	label: Label;
	workspace: Workspace | null;
	holds: readonly { kind: HoldKind; reason: string; step?: LeaseStep }[];
	turn: unknown;
	/** the git step that is running in its workspace */
	lease: LeaseStep | null;
}

/** The refusal of a git step for an agent that has no files, or none yet. */
export function noWorkspace(agent: NamedAgent & Pick<StepFacts, "holds">, details: Refusal["details"] = {}): Refusal {
	const failed = agent.life === "provisioning" ? agent.holds.find(({ kind }) => kind === "error") : undefined;
	if (failed !== undefined)
		return refuse(
			"AGENT_INVALID_STATE",
			`The workspace of ${agent.handle} could not be made: ${failed.reason}`,
			aboutAgent(agent, "recover", details),
		);
	return refuse("VALIDATION_ERROR", `${agent.handle} has no workspace.`, aboutAgent(agent, "status", details));
}

/**
 * Why a git step is not possible in the agent's workspace now; null if it is. `caller` is the agent that asks, null for
 * a person; `again` repeats a step that was cut off.
 */
export function refusedStep(
	agent: StepFacts,
	step: LeaseStep,
	{ caller = null, again = false }: { caller?: AgentId | null; again?: boolean } = {},
): Refusal | null {
	const details = { agent: agent.id, step };
	if (agent.workspace === null) return noWorkspace(agent, { step });
	if (agent.lease !== null) return leased(agent, agent.lease, step);
	const undeletable = step === "delete" ? refusedUnder(agent.label, agent, "delete") : null;
	if (undeletable !== null) return undeletable;
	if (agent.life === "ended" && !afterEnd.includes(step))
		return refuse(
			"AGENT_INVALID_STATE",
			`${agent.handle} has ended: ${step} is not possible any more.`,
			aboutAgent(agent, "status", { step }),
		);
	if (caller !== null && caller !== agent.id)
		return refuse("FORBIDDEN", "An agent can change only its own workspace.", { details });
	const recovery = agent.holds.filter(({ kind }) => kind === "recovery");
	const own = again && recovery.some((hold) => hold.step === step);
	if (recovery.length > 0 && !beforeRecovery.includes(step) && !own)
		return refuse(
			"AGENT_INVALID_STATE",
			`The workspace of ${agent.handle} has to be recovered first: ${step} is not possible now.`,
			{ details, suggestions: [suggestion("recover", agent)] },
		);
	const inItsTurn = caller === agent.id && duringTurn.includes(step);
	if (agent.turn !== null && !inItsTurn)
		return refuse("AGENT_BUSY", `${agent.handle} is running: ${step} has to wait for the end of its turn.`, {
			details,
			suggestions: [suggestion("wait", agent), suggestion("interrupt", agent)],
		});
	return null;
}

/** `others` are the living agents that share its tree. */
export function decideLease(
	agent: AgentState,
	{ step, again }: WorkspaceLease,
	others: readonly AgentState[],
	by: { actor: Actor },
): Decision {
	const facts = { ...agent, label: labelOf(agent), lease: agent.lease?.step ?? null };
	const refusal = refusedStep(facts, step, { caller: agentOf(by.actor), again: again === true });
	if (refusal !== null) return refusal;
	const other = others.find(
		(other) => other.lease !== null || (other.turn !== null && !duringOthersTurns.includes(step)),
	);
	if (other !== undefined) {
		return refuse("AGENT_BUSY", `${other.handle} works in the same workspace: ${step} has to wait for it.`, {
			details: { agent: agent.id, step, agentInWorkspace: other.id },
			suggestions: [suggestion("wait", other)],
		});
	}
	// agents that share the tree start no turn during the step
	const spread = others.map(
		(other) => ({ kind: "workspace.leased", agent: other.id, data: { step, holder: agent.id } }) as const,
	);
	return [{ kind: "workspace.leased", agent: agent.id, data: { step } }, ...spread];
}

const leased = (agent: NamedAgent, running: LeaseStep, step: LeaseStep): Refusal =>
	refuse(
		"AGENT_BUSY",
		`The workspace of ${agent.handle} is being worked on (${running}).`,
		aboutAgent(agent, "wait", { step }),
	);

/** `others` share its tree. Only the agent that the lease was taken for can give it back. */
export function decideFree(
	agent: AgentState,
	others: readonly AgentState[],
): { kind: "workspace.freed"; agent: AgentId }[] {
	const own = agent.lease === null || agent.lease.holder !== undefined ? [] : [agent];
	const held = others.filter((other) => other.lease?.holder === agent.id);
	return [...own, ...held].map(({ id }) => ({ kind: "workspace.freed", agent: id }));
}

/** A fork and a snapshot only read the tree; any other step may have left something half done. */
export function decideLeaseCrash(agent: AgentState): Decision {
	if (agent.lease === null) return [];
	const { step } = agent.lease;
	const reason = `The daemon ended while git was at its workspace (${step}).`;
	const held =
		step === "fork" || step === "snapshot" || agent.life === "ended"
			? []
			: [{ kind: "agent.held", agent: agent.id, data: { hold: "recovery", reason, step } } as const];
	return [{ kind: "workspace.freed", agent: agent.id }, ...held];
}

/** A moved branch is recorded for all agents that share the tree. */
export function decideRecord(
	agent: AgentState,
	{ event, tell, completesInterruptedStep, frees }: WorkspaceRecord,
	others: readonly AgentState[],
	by: { actor: Actor },
): Decision {
	const caller = agentOf(by.actor);
	if (caller !== null && caller !== agent.id)
		return refuse("FORBIDDEN", "An agent can change only its own workspace.", { details: { agent: agent.id } });
	const told =
		tell === undefined || agent.life === "ended"
			? []
			: [{ kind: "system", agent: agent.id, text: tell, data: { about: event.kind } }];
	const head =
		event.kind === "workspace.committed"
			? event.data.commit
			: event.kind === "workspace.updated"
				? event.data.head
				: undefined;
	const spread =
		head === undefined
			? []
			: others.map(
					(other) => ({ kind: "workspace.updated", agent: other.id, data: { head, step: "shared" } }) as const,
				);
	const unheldNow = completesInterruptedStep === true ? unheld(agent, ["recovery"]) : [];
	// in the same transaction, so that a crash after it finds no open step
	const freed = frees === true ? decideFree(agent, others) : [];
	return [{ ...event, agent: agent.id }, ...told, ...spread, ...unheldNow, ...freed];
}

export function decideDrift(agent: AgentState, { reason, seen }: WorkspaceDrift): Decision {
	if (agent.life !== "live" || isHeld(agent, "drift")) return [];
	if (seen !== undefined && isStale(agent, seen)) return [];
	return [{ kind: "agent.held", agent: agent.id, data: { hold: "drift", reason } }];
}

/** Whether git or the agent was at work in the workspace since it was looked at. */
const isStale = (
	{ lease, turn, seenCommit, workspace }: AgentState,
	seen: NonNullable<WorkspaceDrift["seen"]>,
): boolean => lease !== null || turn !== null || seenCommit !== seen.commit || workspace?.branch !== seen.branch;

export const decideConfirm = (agent: AgentState, { whole }: WorkspaceConfirm): Decision =>
	unheld(agent, whole === true ? ["drift", "recovery"] : ["drift"]);

function unheld(
	agent: AgentState,
	kinds: readonly HoldKind[],
): Extract<AgentEvent & { agent: AgentId }, { kind: "agent.unheld" }>[] {
	const holds = kinds.filter((kind) => isHeld(agent, kind));
	return holds.length === 0 ? [] : [{ kind: "agent.unheld", agent: agent.id, data: { holds } }];
}
