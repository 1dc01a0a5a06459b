// The start of a client's mirror: rows from one moment, and the state that is in no event.
import type { CredentialProblem } from "../credentials-here.ts";
import type { Handlers, RequestContext } from "../request-context.ts";
import { clocksOf, unjournaled } from "../unjournaled.ts";

export function mirrorHandlers({ engine, reads }: RequestContext, problem: CredentialProblem): Pick<Handlers, "rows"> {
	return {
		rows: async ({ query: { boards, threads, items: itemsMax, part: isPart } }) => ({
			journalId: engine.agentZero.id,
			clocks: clocksOf(engine),
			rows: await reads.mirrored({ boards, threads, itemsMax, isPart }),
			unjournaled: await unjournaled(engine, problem),
		}),
	};
}
