// Before a turn: whether the repository has files that the agent's program would run by itself, and whether a person
// has approved them. Asked once per content, as an approval; remembered with the project.
import type { AgentState } from "#contract/agent.ts";
import { trustTool } from "#domain/approval.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import type { Driver, TurnResult, TurnWatch } from "../ports/driver.ts";
import type { Reads } from "../ports/store.ts";
import { approvedIn } from "../workspaces/checkout.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	driver: Driver;
}

const allow = "allow";
const namedMax = 10;

/** Why no turn may start, or null. */
export async function untrustedFiles(
	{ reads, dispatch, driver }: Parts,
	agent: AgentState,
	recorder: Pick<TurnWatch, "ask">,
): Promise<TurnResult | null> {
	const found = await driver.autorunFiles(agent);
	if (found === null || agent.project === null || (await approvedIn(reads, agent)).includes(found.fingerprint))
		return null;
	const { files, fingerprint } = found;
	const named = [
		...files.slice(0, namedMax),
		...(files.length > namedMax ? [`${files.length - namedMax} more`] : []),
	].join(", ");
	const title = `This repository brings configuration that an agent's program may run as code: ${named}. Allow it, as it is now, for all agents of ${agent.project}?`;
	const options = [
		{ id: allow, name: "Allow this content", kind: "allow_once" as const },
		{ id: "deny", name: "Start no turns with it", kind: "reject_once" as const },
	];
	const content = files.join("\n");
	const answer = await recorder.ask({ title, tool: trustTool, call: null, options, content, digest: fingerprint });
	const reason = `Nobody agreed to what the repository would run: ${named}.`;
	if (answer?.option !== allow) return { state: "failed", reason, text: null, holdsAgent: true, step: "trust" };
	const approved = await dispatch(bySystem({ type: "project.approve", slug: agent.project, fingerprint }));
	if ("refused" in approved) return { state: "failed", reason: approved.refused.message, text: null };
	// the content may have changed while the approval was pending
	return await untrustedFiles({ reads, dispatch, driver }, agent, recorder);
}
