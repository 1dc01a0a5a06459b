// Pushes after a turn, if the project says so: the turn's commits, and those made for it afterwards.
import type { AgentState } from "#contract/agent.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { approvedIn, checkoutOf } from "./checkout.ts";
import { record } from "./snapshot.ts";

/** A remote's refusal is recorded too. */
export async function pushAfterTurn(
	parts: { reads: Reads; dispatch: Dispatch; workspaces: Workspaces },
	agent: AgentState,
): Promise<void> {
	const { reads, workspaces } = parts;
	const checkout = await checkoutOf(reads, agent);
	if (checkout === null) return;
	const effective = await workspaces.settings(checkout.project, await approvedIn(reads, agent));
	if (isRefusal(effective) || effective.settings.push !== "settle") return;
	const pushed = await workspaces.push(checkout);
	if (isRefusal(pushed)) return;
	await record(parts, checkout, { kind: "workspace.pushed", data: pushed });
}
