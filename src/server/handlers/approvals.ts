// The routes of approvals.
import type { ApprovalState } from "#contract/approval.ts";
import { pagedWith } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Approval } from "#contract/wire.ts";
import { approvalView } from "#views/wire.ts";
import { type Handlers, numberIn, type RequestContext } from "../request-context.ts";

const noApproval = (id: string | undefined): Refusal =>
	refuse("NOT_FOUND", `There is no approval ${id}.`, { suggestions: ["brood approval list"] });

export function approvalHandlers(context: RequestContext) {
	const { engine, reads } = context;
	return {
		approvals: async ({ query, page }) => {
			const found = query.agent === undefined ? null : await engine.queries.resolve(query.agent, query.project ?? null);
			if (found !== null && isRefusal(found)) return found;
			// with an agent, the project only says where its name is looked up
			const { project } = query;
			const of = found === null ? { ...(project !== undefined && { project }) } : { agent: found.id };
			const { data, next } = pagedWith(await reads.listApprovals(of, page), (approval) =>
				approvalWithHandles(context, approval),
			);
			return { data: await Promise.all(data), next };
		},
		approval: async (request) => {
			const approval = await reads.approval(numberIn(request, "approval"));
			return approval === undefined
				? noApproval(request.params["approval"])
				: await approvalWithHandles(context, approval);
		},
		approvalAnswer: async (request) => {
			const approval = await reads.approval(numberIn(request, "approval"));
			if (approval === undefined) return noApproval(request.params["approval"]);
			const { agent, id } = approval;
			const done = await context.dispatch(request, { type: "approval.answer", agent, approval: id, ...request.body });
			if (isRefusal(done)) return done;
			return await approvalWithHandles(context, (await reads.approval(id)) ?? approval);
		},
	} satisfies Partial<Handlers>;
}

export async function approvalWithHandles({ reads }: RequestContext, approval: ApprovalState): Promise<Approval> {
	const ids = [approval.agent, ...(await reads.above(approval.agent))];
	const agents = (await Promise.all(ids.map((id) => reads.agent(id)))).filter((agent) => agent !== undefined);
	return approvalView(approval, agents);
}
