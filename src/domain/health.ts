// What is wrong with an agent beside its tree: processes that its tools left behind, and a git step that does not end.
import type { AgentState } from "#contract/agent.ts";
import type { Health, HealthIssue } from "#contract/workspace.ts";
import type { LeaseStep } from "#contract/workspace-step.ts";
import { suggestion } from "./agent-state/transitions.ts";

export interface LeftProcess {
	pid: number;
	command: string;
}

/** What is no reason to keep an agent from its tree. */
const harmless: readonly HealthIssue["code"][] = ["LINK_BROKEN", "DISK_LOW"];
/** Steps that read the agent's files and write none of them. */
const sparing: readonly LeaseStep[] = ["commit", "approve"];

/** Whether a step that was cut off left nothing half done: what is not committed is then the agent's own. */
export function isWhole(
	issues: readonly HealthIssue[],
	{ step, dirty }: { step: LeaseStep | undefined; dirty: boolean },
): boolean {
	const spared = step !== undefined && sparing.includes(step);
	// a merge may have been open before it was to be committed
	const wrong = issues.filter(({ code }) => !harmless.includes(code) && !(spared && code === "OPERATION_OPEN"));
	return wrong.length === 0 && (spared || !dirty);
}

const leaseMs = 10 * 60_000;
const namedMax = 5;

export function withProcesses(health: Health, agent: AgentState, left: readonly LeftProcess[], now: number): Health {
	const fix = suggestion("status", agent);
	const found: HealthIssue[] = [];
	// what runs during a turn is at work
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
			text: `Git has been at it for ${Math.round((now - agent.lease.at) / 60_000)} minutes (${agent.lease.step}).`,
			fix,
		});
	return { healthy: health.healthy && found.length === 0, issues: [...health.issues, ...found] };
}

/** With what is wrong with the whole project in front, unless it was found already. */
export function withProject(health: Health, gone: HealthIssue | null): Health {
	return gone === null || health.issues.some(({ code }) => code === gone.code)
		? health
		: { healthy: false, issues: [gone, ...health.issues] };
}
