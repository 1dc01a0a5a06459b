// What is done to agents.
import { noSettings } from "#contract/agent.ts";
import { agentOf } from "#contract/ids.ts";
import { isRefusal, refuse } from "#contract/refusal.ts";
import type { Desk, Handlers } from "../desk.ts";
import { wish } from "./registry.ts";

type Names = "settings" | "fork" | "agentDelete" | "configure" | "resume" | "recover";

export function livingHandlers(desk: Desk): Handlers<Names> {
	return {
		fork: (asked) =>
			desk.aboutWhom(asked, (by) => {
				// an agent's own fork is fresh unless it asks for more; a person's inherits unless told otherwise
				const { fresh = agentOf(asked.actor) !== null, ...body } = asked.body;
				return desk.spawned(asked, { by, context: fresh ? "fresh" : "inherit", ...wish(body) });
			}),
		agentDelete: (asked) =>
			desk.about(asked, async (id) => {
				const agent = await desk.reads.agent(id);
				const { cycle } = desk.engine;
				const { force, reason } = asked.body;
				// where there is no git there is nothing but the row
				if (cycle === null) return await desk.tell(asked, { type: "agent.delete", force, reason });
				const refused = agent === undefined ? null : await cycle.remove(agent, asked.body, desk.by(asked));
				return refused ?? (await desk.agent(id));
			}),
		settings: (asked) =>
			desk.about(asked, async (id) => {
				const caller = agentOf(asked.actor);
				if (caller !== null && caller !== id) return refuse("FORBIDDEN", "An agent sees only its own settings.", { details: { agent: id } });
				const agent = await desk.reads.agent(id);
				return agent === undefined ? noSettings : await desk.engine.settings(agent);
			}),
		configure: (asked) => desk.tell(asked, { type: "agent.configure", ...asked.body }),
		resume: (asked) =>
			desk.about(asked, async (id) => {
				const agent = await desk.reads.agent(id);
				if (agent !== undefined) await desk.engine.cycle?.lookAfterCrash(agent);
				return await desk.tell(asked, { type: "agent.resume", ...asked.body });
			}),
		recover: (asked) =>
			desk.about(asked, async (id) => {
				const agent = await desk.reads.agent(id);
				const { cycle } = desk.engine;
				if (cycle === null) return await desk.tell(asked, { type: "agent.recover" });
				// it was recovered then; doing it again would take the work of meanwhile out of the tree
				const over = asked.earlier !== null && "subject" in asked.earlier.answer;
				const home = agent === undefined || over ? null : await cycle.recover(agent, desk.by(asked));
				return home !== null && isRefusal(home) ? home : await desk.agent(id);
			}),
	};
}
