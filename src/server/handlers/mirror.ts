// Where a client's mirror begins: rows from one moment, and what goes beside them.
import type { Credential } from "#contract/subscription.ts";
import type { Handlers, RequestContext } from "../request-context.ts";
import { unjournaled } from "../unjournaled.ts";

export function mirrorHandlers(
	{ engine, reads }: RequestContext,
	problem: (credential: Credential) => string | null,
): Handlers<"rows"> {
	return {
		rows: async ({ query: { boards, threads, items: itemsMax } }) => ({
			journal: engine.agentZero.id,
			...{ now: engine.now(), monotonic: engine.scheduler.monotonic(), turnsMax: engine.turnsMax },
			rows: await reads.mirrored({ boards, threads, itemsMax }),
			unjournaled: await unjournaled(engine, problem),
		}),
	};
}
