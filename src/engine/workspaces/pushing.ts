// Pushing after a turn, where the project wants it: what the turn left, and what was committed for it afterwards.
import type { AgentState } from "#contract/agent.ts";
import { system } from "#contract/ids.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { approvedIn, checkoutOf } from "./checkout.ts";

/** A remote that says no has answered, and that is written down too. */
export async function pushAfterTurn(
	parts: { reads: Reads; dispatch: Dispatch; workspaces: Workspaces },
	agent: AgentState,
): Promise<void> {
	const { reads, dispatch, workspaces } = parts;
	const checkout = await checkoutOf(reads, agent);
	if (checkout === null) return;
	const effective = await workspaces.settings(checkout.project, await approvedIn(reads, agent));
	if (isRefusal(effective) || effective.settings.push !== "settle") return;
	const pushed = await workspaces.push(checkout);
	if (isRefusal(pushed)) return;
	const fact = { kind: "workspace.pushed" as const, data: pushed };
	await dispatch({ actor: system, key: null, command: { type: "workspace.record", agent: agent.id, fact } });
}
