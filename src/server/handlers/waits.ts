// The routes of waits.
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Wait } from "#contract/wire.ts";
import { until } from "#engine/loop/until.ts";
import { waitView } from "#views/wire.ts";
import { type Handlers, numberIn, type RequestContext, type RouteRequest } from "../request-context.ts";

/** how long a blocking request waits before its caller has to send it again */
const blockMs = 30_000;

export function waitHandlers(context: RequestContext) {
	const { reads } = context;
	return {
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
	await until(engine.publisher, ended, { matters: ({ kind }) => kind === "wait.ended", timeoutMs: blockMs });
}

/** An agent can see only its own waits. */
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
