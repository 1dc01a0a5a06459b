// Before a turn: whether the repository brings along what an agent's program would run by itself, and whether somebody
// has agreed to it. Asked once for each content, of whoever answers approvals; remembered with the project.
import type { AgentState } from "#contract/agent.ts";
import { system } from "#contract/ids.ts";
import { trustTool } from "#domain/approval.ts";
import type { Dispatch } from "../ports/dispatch.ts";
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

/** Why no turn may start there, or null. */
export async function untrustedFiles(
	{ reads, dispatch, driver }: Parts,
	agent: AgentState,
	recorder: Pick<TurnWatch, "ask">,
): Promise<TurnResult | null> {
	const brought = await driver.autorunFiles(agent);
	if (brought === null || agent.project === null || (await approvedIn(reads, agent)).includes(brought.fingerprint))
		return null;
	const { files, fingerprint } = brought;
	const named = [
		...files.slice(0, namedMax),
		...(files.length > namedMax ? [`${files.length - namedMax} more`] : []),
	].join(", ");
	const title = `This repository brings configuration that an agent's program may run as code: ${named}. Allow it, as it is now, for all agents of ${agent.project}?`;
	const options = [
		{ id: allow, name: "Allow this content", kind: "allow_once" as const },
		{ id: "deny", name: "Start no turns with it", kind: "reject_once" as const },
	];
	const answer = await recorder.ask({
		title,
		tool: trustTool,
		call: null,
		options,
		content: files.join("\n"),
		digest: fingerprint,
	});
	if (answer?.option !== allow)
		return {
			state: "failed",
			reason: `Nobody agreed to what the repository would run: ${named}.`,
			text: null,
			broken: true,
			step: "trust",
		};
	const approved = await dispatch({
		actor: system,
		key: null,
		command: { type: "project.approve", slug: agent.project, fingerprint },
	});
	if ("refused" in approved) return { state: "failed", reason: approved.refused.message, text: null };
	// an answer takes its time, in which other content may have come
	return await untrustedFiles({ reads, dispatch, driver }, agent, recorder);
}
