// Health: what the problems of a workspace mean (an interrupted step left nothing half done, it drifted, recover may
// leave it as it is), and problems beyond it: processes that an agent's tools left behind, git steps that do not end,
// workspaces that are not made yet, and the problem of the project.
import type { AgentState } from "#contract/agent.ts";
import type { Health, HealthProblem, healthCodes, LeftProcess } from "#contract/workspace.ts";
import { harmlessProblems, type LeaseStep, stepsThatKeepFiles } from "#contract/workspace-step.ts";
import { suggestion } from "./agent-state/transitions.ts";

/** Whether an interrupted step left nothing half done, so that uncommitted changes are the agent's own. */
export function isWhole(
	problems: readonly HealthProblem[],
	{ step, uncommitted }: { step: LeaseStep | undefined; uncommitted: boolean },
): boolean {
	const keepsFiles = step !== undefined && stepsThatKeepFiles.includes(step);
	// a merge may have been open before the commit
	const wrong = problems.filter(
		({ code }) => !harmlessProblems.includes(code) && !(keepsFiles && code === "OPERATION_OPEN"),
	);
	return wrong.length === 0 && (keepsFiles || !uncommitted);
}

/** The problems that count as drift; the others are only shown. */
const drifting: readonly (typeof healthCodes)[number][] = [
	...(["PATH_GONE", "NOT_OURS", "GIT_UNREADABLE", "BRANCH_GONE", "OTHER_BRANCH"] as const),
	...([
		"HEAD_WENT_BACK",
		"UNFINISHED",
		"REPOSITORY_UNUSABLE",
		"SANDBOX_IMPOSSIBLE",
		"NOT_SANDBOXED",
		"COMMITS_REFUSED",
	] as const),
];

/** Recover cannot give a sandbox to an agent in the repository itself: its process is refused, with what to do. */
export const isDrift = ({ code }: HealthProblem, { workspace }: AgentState): boolean =>
	drifting.includes(code) && !(code === "NOT_SANDBOXED" && workspace?.kind === "main");

/**
 * Which trees may stay as they are: those of an interrupted step, and those that only drifted, perhaps on purpose.
 */
export function acceptable({ holds, seenCommit }: AgentState): { seen: string | null; step?: LeaseStep } | undefined {
	const kinds = holds.map(({ kind }) => kind);
	if (kinds.includes("error")) return undefined;
	const step = holds.find(({ kind }) => kind === "recovery")?.step;
	if (kinds.includes("recovery")) return step === undefined ? undefined : { seen: null, step };
	return kinds.includes("drift") ? { seen: seenCommit } : undefined;
}

const leaseMs = 10 * 60_000;
const namedMax = 5;

export function withProcesses(health: Health, agent: AgentState, left: readonly LeftProcess[], now: number): Health {
	const fix = suggestion("status", agent);
	const found: HealthProblem[] = [];
	// during a turn its tools may be running
	if (agent.turn === null && left.length > 0) {
		const names = left.slice(0, namedMax).map(({ pid, command }) => `${pid} (${command})`);
		const more = left.length > namedMax ? ` and ${left.length - namedMax} more` : "";
		found.push({
			code: "PROCESSES_LEFT",
			text: `Its tools left behind: ${names.join(", ")}${more}. They end with its process.`,
			fix,
		});
	}
	if (agent.lease !== null && now - agent.lease.at > leaseMs)
		found.push({
			code: "LEASE_OLD",
			text: `A git step (${agent.lease.step}) has been running for ${Math.round((now - agent.lease.at) / 60_000)} minutes.`,
			fix,
		});
	return { healthy: health.healthy && found.length === 0, issues: [...health.issues, ...found] };
}

/** The health of an agent whose workspace is not there yet, or could not be made; null for every other agent. */
export function unprovisioned(agent: AgentState): Health | null {
	if (agent.life !== "provisioning") return null;
	const failed = agent.holds.find(({ kind }) => kind === "error");
	const text =
		failed === undefined ? "Its workspace is being created." : `Its workspace could not be made: ${failed.reason}`;
	const fix = suggestion(failed === undefined ? "wait" : "recover", agent);
	return { healthy: false, issues: [{ code: "UNFINISHED", text, fix }] };
}

/** Adds the project's problem in front, unless it is there already. */
export function withProjectProblem(health: Health, problem: HealthProblem | null): Health {
	return problem === null || health.issues.some(({ code }) => code === problem.code)
		? health
		: { healthy: false, issues: [problem, ...health.issues] };
}
