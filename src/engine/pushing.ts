// Pushing after a turn, where the project wants it: what the turn left, and what was committed for it afterwards.
import type { AgentState } from "#contract/agent.ts";
import { system } from "#contract/ids.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Dispatch, Reads } from "./ports.ts";
import { approvedIn, stayOf } from "./stay.ts";
import type { Workspaces } from "./workspaces.ts";

/** A remote that says no has answered, and that is written down too. */
export async function pushAfterTurn(parts: { reads: Reads; dispatch: Dispatch; workspaces: Workspaces }, agent: AgentState): Promise<void> {
	const { reads, dispatch, workspaces } = parts;
	const stay = await stayOf(reads, agent);
	if (stay === null) return;
	const force = await workspaces.settings(stay.project, await approvedIn(reads, agent));
	if (isRefusal(force) || force.settings.push !== "settle") return;
	const pushed = await workspaces.push(stay);
	if (isRefusal(pushed)) return;
	const fact = { kind: "workspace.pushed" as const, data: pushed };
	await dispatch({ actor: system, key: null, command: { type: "workspace.record", agent: agent.id, fact } });
}
