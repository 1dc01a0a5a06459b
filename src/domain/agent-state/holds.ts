// Holds: why no turn starts by itself, and what ends them. Running never clears a hold.
import type { AgentState, HoldKind } from "#contract/agent.ts";
import type { AgentFail } from "#contract/agent-commands.ts";
import type { NewEvent } from "#contract/event.ts";

export interface HoldRule {
	label: "paused" | "error";
	setBy: string;
	/**
	 * whether `resume` ends it; what it does not end needs `recover`, which looks at the workspace first, or what
	 * `endedBy` says
	 */
	resume: "ends" | "ends unless a workspace step failed" | "does not end";
	endedBy: string;
}

export const holdTable: Record<HoldKind, HoldRule> = {
	user: {
		label: "paused",
		setBy: "`pause`; a usage limit, where the project says `onLimit: stop`",
		resume: "ends",
		endedBy: "`resume`",
	},
	interrupt: { label: "paused", setBy: "`interrupt` without `--resume`", resume: "ends", endedBy: "`resume`" },
	limit: {
		label: "paused",
		setBy: "a usage limit: its subscription cools down, or its own login does",
		resume: "ends",
		endedBy: "the reset time; `resume` overrides",
	},
	budget: {
		label: "paused",
		setBy: "a turn ended, or was stopped, with its budget used up",
		resume: "ends",
		endedBy: "a larger budget; `resume` for one more turn",
	},
	crash: {
		label: "error",
		setBy: "the daemon's start found the turn open, or the turn's node fell",
		resume: "ends",
		endedBy: "`resume`, or `turn retry`",
	},
	error: {
		label: "error",
		setBy:
			"provisioning, reading the workspace, settling or process start failed; crash loops; a denied trust question; its node fell during provisioning",
		resume: "ends unless a workspace step failed",
		endedBy: "`recover`; `resume` where no workspace step failed",
	},
	drift: {
		label: "error",
		setBy: "the workspace is not where or as it was (path gone, other branch, HEAD went back)",
		resume: "does not end",
		endedBy: "`recover`, or health finds it right again",
	},
	recovery: {
		label: "error",
		setBy: "a workspace lease whose daemon died inside a git step",
		resume: "does not end",
		endedBy: "`recover`; `resume`, or the same request again, where nothing is half done",
	},
};

/** Steps that fail without involving the workspace: `resume` is enough after them. */
export const stepsOutsideWorkspace: readonly string[] = ["process", "trust"];

interface Held {
	holds: readonly { kind: HoldKind }[];
	lastError: { step: string } | null;
}

/** The verb that ends all of an agent's holds. */
export const verbThatEndsHolds = (agent: Held): "resume" | "recover" =>
	resumableHolds(agent).length === agent.holds.length ? "resume" : "recover";

/** The holds that `resume` would end. */
export function resumableHolds(agent: Held): HoldKind[] {
	return agent.holds.map((hold) => hold.kind).filter((kind) => endsOnResume(kind, agent.lastError?.step));
}

function endsOnResume(kind: HoldKind, failedStep = ""): boolean {
	const { resume } = holdTable[kind];
	return resume === "ends unless a workspace step failed"
		? stepsOutsideWorkspace.includes(failedStep)
		: resume === "ends";
}

/** Whether a person has to end one of an agent's holds: those with a time end by themselves. */
export const isHeldForPerson = ({ holds }: Pick<AgentState, "holds">): boolean =>
	holds.some(({ until }) => until === undefined);

/** A step outside the store failed (a disk, a process): the agent is held until a person acts. */
export function stepFailed(
	agent: AgentState,
	{ code, step, reason }: Pick<AgentFail, "code" | "step" | "reason">,
): NewEvent[] {
	return [
		{ kind: "agent.failed", agent: agent.id, data: { code, step } },
		{ kind: "agent.held", agent: agent.id, data: { hold: "error", reason } },
	];
}
