// What is done to agents.
import { agentOf } from "#contract/ids.ts";
import type { Desk, Handlers } from "../desk.ts";
import { wish } from "./registry.ts";

type Names = "fork" | "kill" | "agentDelete" | "configure" | "interrupt" | "pause" | "resume" | "recover" | "reap";

export function livingHandlers(desk: Desk): Handlers<Names> {
	return {
		fork: (asked) =>
			desk.aboutWhom(asked, (by) => {
				// an agent's own fork is fresh unless it asks for more; a person's inherits unless told otherwise
				const { fresh = agentOf(asked.actor) !== null, ...body } = asked.body;
				return desk.spawned(asked, { by, context: fresh ? "fresh" : "inherit", ...wish(body) });
			}),
		kill: (asked) => desk.tell(asked, { type: "agent.kill", ...asked.body }),
		agentDelete: (asked) => desk.tell(asked, { type: "agent.delete", ...asked.body }),
		configure: (asked) => desk.tell(asked, { type: "agent.configure", ...asked.body }),
		interrupt: (asked) => desk.tell(asked, { type: "agent.interrupt", ...asked.body }),
		pause: (asked) => desk.tell(asked, { type: "agent.pause", ...asked.body }),
		resume: (asked) => desk.tell(asked, { type: "agent.resume" }),
		recover: (asked) => desk.tell(asked, { type: "agent.recover" }),
		reap: (asked) => desk.tell(asked, { type: "agent.reap" }),
	};
}
