// The start of a client's mirror: rows from one moment, and the state that is in no event.
import type { CredentialProblem } from "../credentials-here.ts";
import type { Handlers, RequestContext } from "../request-context.ts";
import { unjournaled } from "../unjournaled.ts";

export function mirrorHandlers({ engine, reads }: RequestContext, problem: CredentialProblem): Pick<Handlers, "rows"> {
	return {
		rows: async ({ query: { boards, threads, items: itemsMax, part: isPart } }) => ({
			journal: engine.agentZero.id,
			...{ now: engine.now(), monotonic: engine.scheduler.monotonic(), turnsMax: engine.turnsMax },
			rows: await reads.mirrored({ boards, threads, itemsMax, isPart }),
			unjournaled: await unjournaled(engine, problem),
		}),
	};
}
