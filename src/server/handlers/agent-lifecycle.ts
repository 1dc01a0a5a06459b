// Forks, kills, deletions and settings of agents; `pause` and the like are single commands and need no handler.

import type { AgentState } from "#contract/agent.ts";
import { noSettings } from "#contract/agent.ts";
import { agentOf } from "#contract/ids.ts";
import { isOwn } from "#contract/node.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";
import { spawnParams } from "./agents.ts";

export function agentLifecycleHandlers(context: RequestContext) {
	return {
		fork: (request) =>
			context.withAgentOrId(request, async (parent) => {
				// by default an agent's fork is fresh and a person's inherits; `at` names the last inherited item, so it
				// inherits too
				const { at } = request.body;
				const { fresh = agentOf(request.actor) !== null && at === undefined, ...body } = request.body;
				if (fresh && at !== undefined)
					return refuse("VALIDATION_ERROR", "A fresh fork inherits nothing: leave out `at`, or `fresh`.");
				return await context.spawn(request, { parent, context: fresh ? "fresh" : "inherit", ...spawnParams(body) });
			}),
		kill: (request) => kill(context, request),
		agentDelete: (request) =>
			context.withAgent(request, async (id) => {
				const agent = await context.reads.agent(id);
				const { cycle } = context.engine;
				const { force, reason } = request.body;
				const isAway = agent !== undefined && !isOwn(context.engine.node, agent);
				if (isAway && !force) return filesAway(agent);
				// without git, and for an agent whose node was removed, there is only the row
				if (cycle === null || isAway)
					return await context.agentCommand(request, { type: "agent.delete", force, reason });
				const refused =
					agent === undefined ? null : await cycle.deleteAgent(agent, request.body, context.requester(request));
				return refused ?? (await context.agent(id));
			}),
		settings: (request) => settings(context, request),
		configure: async (request) => {
			const { type: agentType, ...body } = request.body;
			const unknown = agentType === undefined ? null : context.unknownType(agentType);
			if (unknown) return unknown;
			return await context.agentCommand(request, {
				type: "agent.configure",
				...(agentType !== undefined && { agentType }),
				...body,
			});
		},
		resume: (request) =>
			context.withAgent(request, async (id) => {
				const agent = await context.reads.agent(id);
				if (agent !== undefined) await context.engine.cycle?.lookAfterCrash(agent);
				return await context.agentCommand(request, { type: "agent.resume", ...request.body });
			}),
		recover: (request) =>
			context.withAgent(request, async (id) => {
				const agent = await context.reads.agent(id);
				const { cycle } = context.engine;
				const answer = async (repaired: string | null) => {
					const now = await context.agent(id);
					return isRefusal(now) ? now : { ...now, repaired };
				};
				if (cycle === null) {
					const refused = await context.agentCommand(request, { type: "agent.recover" });
					return isRefusal(refused) ? refused : await answer(null);
				}
				// the first attempt recovered it; a second would take later work out of the tree
				const recovered = request.earlier !== null && "subject" in request.earlier.outcome;
				const moved = agent === undefined || recovered ? null : await cycle.recover(agent, context.requester(request));
				if (moved !== null && isRefusal(moved)) return moved;
				// a workspace that could not be made is made again
				const now = await context.reads.agent(id);
				if (now !== undefined) await context.ready(now);
				return await answer(moved?.text ?? null);
			}),
	} satisfies Partial<Handlers>;
}

/** Its node was removed: nobody can look whether its files are committed and merged. */
const filesAway = ({ id, handle, node }: AgentState): Refusal =>
	refuse(
		"NODE_DOWN",
		`The node of ${handle} was removed: its files cannot be checked, and stay on that machine. Delete ${handle} without them with --force.`,
		{ details: { agent: id, node }, suggestions: [`brood agent delete ${id} --force`] },
	);

async function kill(context: RequestContext, request: RouteRequest<"kill">): ReturnType<Handlers["kill"]> {
	return await context.withAgent(request, async (agent) => {
		const done = await context.dispatch(request, { type: "agent.kill", agent, ...request.body });
		if (isRefusal(done)) return done;
		const now = await context.agent(agent);
		if (isRefusal(now)) return now;
		const ended = done.events.filter(({ kind }) => kind === "agent.ended");
		return { ...now, endedBelow: ended.length - 1 };
	});
}

async function settings(context: RequestContext, request: RouteRequest<"settings">): ReturnType<Handlers["settings"]> {
	return await context.withAgent(request, async (id) => {
		const caller = agentOf(request.actor);
		if (caller !== null && caller !== id)
			return refuse("FORBIDDEN", "An agent can see only its own settings.", { details: { agent: id } });
		const agent = await context.reads.agent(id);
		return agent === undefined ? noSettings : await context.engine.queries.settings(agent);
	});
}
