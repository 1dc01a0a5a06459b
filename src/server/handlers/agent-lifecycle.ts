// The routes that change an agent: fork, pause, kill, delete and so on.
import { noSettings } from "#contract/agent.ts";
import { agentOf } from "#contract/ids.ts";
import { isRefusal, refuse } from "#contract/refusal.ts";
import type { Handlers, RequestContext } from "../request-context.ts";
import { request } from "./registry.ts";

type Names = "settings" | "fork" | "agentDelete" | "configure" | "resume" | "recover";

export function agentLifecycleHandlers(context: RequestContext): Handlers<Names> {
	return {
		fork: (asked) =>
			context.aboutWhom(asked, (by) => {
				// an agent's own fork is fresh unless it asks for more; a person's inherits unless told otherwise
				const { fresh = agentOf(asked.actor) !== null, ...body } = asked.body;
				return context.spawned(asked, { by, context: fresh ? "fresh" : "inherit", ...request(body) });
			}),
		agentDelete: (asked) =>
			context.about(asked, async (id) => {
				const agent = await context.reads.agent(id);
				const { cycle } = context.engine;
				const { force: effective, reason } = asked.body;
				// where there is no git there is nothing but the row
				if (cycle === null) return await context.tell(asked, { type: "agent.delete", force: effective, reason });
				const refused = agent === undefined ? null : await cycle.remove(agent, asked.body, context.by(asked));
				return refused ?? (await context.agent(id));
			}),
		settings: (asked) =>
			context.about(asked, async (id) => {
				const caller = agentOf(asked.actor);
				if (caller !== null && caller !== id)
					return refuse("FORBIDDEN", "An agent sees only its own settings.", { details: { agent: id } });
				const agent = await context.reads.agent(id);
				return agent === undefined ? noSettings : await context.engine.settings(agent);
			}),
		configure: (asked) => context.tell(asked, { type: "agent.configure", ...asked.body }),
		resume: (asked) =>
			context.about(asked, async (id) => {
				const agent = await context.reads.agent(id);
				if (agent !== undefined) await context.engine.cycle?.lookAfterCrash(agent);
				return await context.tell(asked, { type: "agent.resume", ...asked.body });
			}),
		recover: (asked) =>
			context.about(asked, async (id) => {
				const agent = await context.reads.agent(id);
				const { cycle } = context.engine;
				if (cycle === null) return await context.tell(asked, { type: "agent.recover" });
				// it was recovered then; doing it again would take the work of meanwhile out of the tree
				const over = asked.earlier !== null && "subject" in asked.earlier.answer;
				const home = agent === undefined || over ? null : await cycle.recover(agent, context.by(asked));
				return home !== null && isRefusal(home) ? home : await context.agent(id);
			}),
	};
}
