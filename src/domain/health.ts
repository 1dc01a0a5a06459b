// What is wrong with an agent beside its tree: processes that its tools left behind, and a git step that does not end.
import type { AgentState } from "#contract/agent.ts";
import type { Health, HealthIssue } from "#contract/workspace.ts";
import { suggestion } from "./agent/transitions.ts";

export interface LeftProcess {
	pid: number;
	command: string;
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
		found.push({ code: "PROCESSES_LEFT", text: `Its tools left behind: ${names.join(", ")}${more}. They end with its process.`, fix });
	}
	if (agent.lease !== null && now - agent.lease.at > leaseMs)
		found.push({ code: "LEASE_OLD", text: `Git has been at it for ${Math.round((now - agent.lease.at) / 60_000)} minutes (${agent.lease.step}).`, fix });
	return { healthy: health.healthy && found.length === 0, issues: [...health.issues, ...found] };
}
