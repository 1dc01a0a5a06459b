// The routes of approvals and waits.

import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WaitState } from "#contract/wait.ts";
import type { Approval, Wait } from "#contract/wire.ts";
import { until } from "#engine/loop/until.ts";
import { approvalView, waitView } from "#views/wire.ts";
import { type Handlers, numberIn, type RequestContext, type RouteRequest } from "../request-context.ts";

const noApproval = (id: string | undefined): Refusal =>
	refuse("NOT_FOUND", `There is no approval ${id}.`, { suggestions: ["brood approval list"] });

/** how long a caller who wants to be told is kept on the line before it has to ask again */
const blockMs = 30_000;

export function openHandlers(
	context: RequestContext,
): Handlers<"approvals" | "approval" | "approvalAnswer" | "waitOpen" | "wait" | "waitCancel"> {
	const { engine, reads } = context;
	return {
		approvals: async ({ query }) => {
			const meant = query.agent === undefined ? null : await engine.resolve(query.agent, query.project ?? null);
			if (meant !== null && isRefusal(meant)) return meant;
			const unknown = query.project === undefined ? null : await context.unknownProject(query.project);
			if (unknown !== null) return unknown;
			const shown = await Promise.all(
				(await reads.pendingApprovals(meant?.id)).map((approval) => withPath(context, approval)),
			);
			return shown.flatMap(({ approval, project }) =>
				query.project === undefined || project === query.project ? [approval] : [],
			);
		},
		approval: async (asked) => {
			const approval = await reads.approval(numberIn(asked, "approval"));
			return approval === undefined
				? noApproval(asked.params["approval"])
				: (await withPath(context, approval)).approval;
		},
		approvalAnswer: async (asked) => {
			const approval = await reads.approval(numberIn(asked, "approval"));
			if (approval === undefined) return noApproval(asked.params["approval"]);
			const outcome = await context.say(asked, {
				type: "approval.answer",
				agent: approval.agent,
				approval: approval.id,
				...asked.body,
			});
			if ("refused" in outcome) return outcome.refused;
			return (await withPath(context, (await reads.approval(approval.id)) ?? approval)).approval;
		},
		waitOpen: async (asked) => {
			const targets = await targetsOf(context, asked);
			if (isRefusal(targets)) return targets;
			const { timeoutMs, for: condition, mode } = asked.body;
			const caller = agentOf(asked.actor);
			const type = caller === null ? null : ((await reads.agent(caller))?.type ?? null);
			const outcome = await context.say(asked, {
				type: "wait.open",
				targets: targets.ids,
				for: condition,
				mode,
				...(timeoutMs !== undefined && { timeoutMs }),
				blocking: type === null || context.blockingTypes.includes(type),
			});
			if ("refused" in outcome) return outcome.refused;
			return await shown(context, outcome.done.event ?? 0, asked.actor);
		},
		wait: async (asked) => {
			const id = numberIn(asked, "wait");
			if (asked.query.block) await over(context, id);
			return await shown(context, id, asked.actor);
		},
		waitCancel: async (asked) => {
			const id = numberIn(asked, "wait");
			const outcome = await context.say(asked, { type: "wait.cancel", wait: id });
			return "refused" in outcome ? outcome.refused : await shown(context, id, asked.actor);
		},
	};
}

async function targetsOf(
	context: RequestContext,
	asked: RouteRequest<"waitOpen">,
): Promise<{ ids: AgentId[] } | Refusal> {
	const caller = agentOf(asked.actor);
	const home = caller === null ? null : ((await context.reads.agent(caller))?.project ?? null);
	const ids: AgentId[] = [];
	for (const reference of asked.body.agents) {
		const meant = await context.engine.resolve(reference, asked.body.project ?? home);
		if (isRefusal(meant)) return meant;
		ids.push(meant.id);
	}
	if (asked.body.children) {
		if (caller === null) return refuse("VALIDATION_ERROR", "Only an agent has children to wait for; name the agents.");
		ids.push(...(await context.reads.children(caller)).map((child) => child.id));
	} else if (ids.length === 0) return refuse("VALIDATION_ERROR", "Nobody to wait for.");
	return { ids: [...new Set(ids)] };
}

/** Resolves when the wait is over, or its caller has to ask again. */
async function over({ engine, reads }: RequestContext, id: number): Promise<void> {
	const ended = async (): Promise<true | null> => ((await reads.wait(id))?.state === "open" ? null : true);
	await until(engine.publisher, ended, { matters: ({ kind }) => kind === "wait.ended", deadlineMs: blockMs });
}

/** An agent sees only its own. */
async function shown({ reads }: RequestContext, id: number, actor: Actor): Promise<Wait | Refusal> {
	const wait: WaitState | undefined = await reads.wait(id);
	const caller = agentOf(actor);
	if (wait === undefined || (caller !== null && wait.agent !== caller))
		return refuse("NOT_FOUND", `There is no wait ${id}.`);
	const targets = await Promise.all(wait.targets.map((target) => reads.agent(target)));
	return waitView(
		wait,
		targets.filter((target) => target !== undefined),
	);
}

async function withPath(
	{ reads }: RequestContext,
	approval: ApprovalState,
): Promise<{ approval: Approval; project: string | null }> {
	const ids = [approval.agent, ...(await reads.above(approval.agent))];
	const agents = (await Promise.all(ids.map((id) => reads.agent(id)))).filter(
		(agent): agent is AgentState => agent !== undefined,
	);
	return { approval: approvalView(approval, agents), project: agents[0]?.project ?? null };
}
