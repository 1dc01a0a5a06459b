// The routes of agents that move between nodes.
import { isRefusal } from "#contract/refusal.ts";
import { type MoveResult, moveHere } from "#engine/workspaces/moving.ts";
import { upload } from "#engine/workspaces/uploading.ts";
import { askRoute } from "../ask-route.ts";
import type { Handlers, RequestContext } from "../request-context.ts";
import { withCycle } from "./workspaces.ts";

export function movingHandlers(context: RequestContext) {
	const { engine, reads } = context;
	return {
		agentMove: (request) =>
			context.withAgent(request, async (id) => {
				const agent = await reads.agent(id);
				const answer = async (result: MoveResult) => {
					const moved = await context.agent(id);
					return isRefusal(moved) ? moved : { ...moved, ...result };
				};
				// the first attempt has moved it
				if (agent === undefined || request.earlier !== null) return await answer({ missing: [], notes: [] });
				const by = context.requester(request);
				const { actor, role, gone } = request;
				const asked = { route: "agentUpload", params: { agent: id }, actor, role };
				const moved = await moveHere(engine.moving, agent, request.body, by, async (node) => {
					const uploaded = await askRoute(engine.errands, node, asked, gone);
					return isRefusal(uploaded) ? uploaded : null;
				});
				return isRefusal(moved) ? moved : await answer(moved);
			}),
		agentUpload: (request) =>
			context.withAgent(request, (id) =>
				withCycle(context, id, async (_, agent) => (await upload(engine.moving, agent)) ?? (await context.agent(id))),
			),
	} satisfies Partial<Handlers>;
}
