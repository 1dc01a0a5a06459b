// The routes of approvals and waits.
import type { ApprovalState } from "#contract/approval.ts";
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import { pagedWith } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Approval, Wait } from "#contract/wire.ts";
import { until } from "#engine/loop/until.ts";
import { approvalView, waitView } from "#views/wire.ts";
import { type Handlers, numberIn, type RequestContext, type RouteRequest } from "../request-context.ts";

const noApproval = (id: string | undefined): Refusal =>
	refuse("NOT_FOUND", `There is no approval ${id}.`, { suggestions: ["brood approval list"] });

/** how long a blocking request waits before its caller has to send it again */
const blockMs = 30_000;

export function approvalAndWaitHandlers(context: RequestContext) {
	const { engine, reads } = context;
	return {
		approvals: async ({ query, page }) => {
			const found = query.agent === undefined ? null : await engine.queries.resolve(query.agent, query.project ?? null);
			if (found !== null && isRefusal(found)) return found;
			const unknown = query.project === undefined ? null : await context.unknownProject(query.project);
			if (unknown !== null) return unknown;
			const of = { ...(found && { agent: found.id }), ...(query.project !== undefined && { project: query.project }) };
			const { data, next } = pagedWith(await reads.listApprovals(of, page), (approval) =>
				approvalWithPath(context, approval),
			);
			return { data: await Promise.all(data), next };
		},
		approval: async (request) => {
			const approval = await reads.approval(numberIn(request, "approval"));
			return approval === undefined
				? noApproval(request.params["approval"])
				: await approvalWithPath(context, approval);
		},
		approvalAnswer: async (request) => {
			const approval = await reads.approval(numberIn(request, "approval"));
			if (approval === undefined) return noApproval(request.params["approval"]);
			const { agent, id } = approval;
			const done = await context.dispatch(request, { type: "approval.answer", agent, approval: id, ...request.body });
			if (isRefusal(done)) return done;
			return await approvalWithPath(context, (await reads.approval(id)) ?? approval);
		},
		waitOpen: async (request) => {
			const targets = await targetsOf(context, request);
			if (isRefusal(targets)) return targets;
			const { timeoutMs, for: condition, mode } = request.body;
			const caller = agentOf(request.actor);
			const type = caller === null ? null : ((await reads.agent(caller))?.type ?? null);
			const done = await context.dispatch(request, {
				type: "wait.open",
				targets: targets.ids,
				for: condition,
				mode,
				...(timeoutMs !== undefined && { timeoutMs }),
				blocking: type === null || context.blockingTypes.includes(type),
			});
			return isRefusal(done) ? done : await shown(context, done.event, request.actor);
		},
		wait: async (request) => {
			const id = numberIn(request, "wait");
			if (request.query.block) await waitOver(context, id);
			return await shown(context, id, request.actor);
		},
		waitCancel: async (request) => {
			const id = numberIn(request, "wait");
			const done = await context.dispatch(request, { type: "wait.cancel", wait: id });
			return isRefusal(done) ? done : await shown(context, id, request.actor);
		},
	} satisfies Partial<Handlers>;
}

async function targetsOf(
	context: RequestContext,
	request: RouteRequest<"waitOpen">,
): Promise<{ ids: AgentId[] } | Refusal> {
	const caller = agentOf(request.actor);
	const project = request.body.project ?? (await context.projectOf(request.actor));
	const ids: AgentId[] = [];
	for (const reference of request.body.agents) {
		const found = await context.engine.queries.resolve(reference, project);
		if (isRefusal(found)) return found;
		ids.push(found.id);
	}
	if (request.body.children) {
		if (caller === null) return refuse("VALIDATION_ERROR", "Only an agent has children to wait for; name the agents.");
		ids.push(...(await context.reads.children(caller)).map((child) => child.id));
	} else if (ids.length === 0) return refuse("VALIDATION_ERROR", "Name at least one agent to wait for.");
	return { ids: [...new Set(ids)] };
}

/** Resolves when the wait is over, or after `blockMs`. */
async function waitOver({ engine, reads }: RequestContext, id: number): Promise<void> {
	const ended = async (): Promise<true | null> => ((await reads.wait(id))?.state === "open" ? null : true);
	await until(engine.publisher, ended, { matters: ({ kind }) => kind === "wait.ended", deadlineMs: blockMs });
}

/** An agent sees only its own waits. */
async function shown({ reads }: RequestContext, id: number, actor: Actor): Promise<Wait | Refusal> {
	const wait = await reads.wait(id);
	const caller = agentOf(actor);
	if (wait === undefined || (caller !== null && wait.agent !== caller))
		return refuse("NOT_FOUND", `There is no wait ${id}.`);
	const targets = await Promise.all(wait.targets.map((target) => reads.agent(target)));
	return waitView(
		wait,
		targets.filter((target) => target !== undefined),
	);
}

export async function approvalWithPath({ reads }: RequestContext, approval: ApprovalState): Promise<Approval> {
	const ids = [approval.agent, ...(await reads.above(approval.agent))];
	const agents = (await Promise.all(ids.map((id) => reads.agent(id)))).filter((agent) => agent !== undefined);
	return approvalView(approval, agents);
}
