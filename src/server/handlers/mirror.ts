// Where a client's mirror begins: rows from one moment, and what goes beside them.
import type { Credential } from "#contract/subscription.ts";
import type { Desk, Handlers } from "../desk.ts";
import { unjournaled } from "../unjournaled.ts";

export function mirrorHandlers({ engine, reads }: Desk, trouble: (credential: Credential) => string | null): Handlers<"rows"> {
	return {
		rows: async ({ query: { boards, threads, items: itemsMax } }) => ({
			journal: engine.agentZero.id,
			...{ now: engine.now(), steady: engine.scheduler.steady(), turnsMax: engine.turnsMax },
			rows: await reads.mirrored({ boards, threads, itemsMax }),
			beside: await unjournaled(engine, trouble),
		}),
	};
}
