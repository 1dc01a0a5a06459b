// State that is shown beside the rows but is in no event: sent with the rows and with every keep-alive of the stream.
import type { Unjournaled } from "#contract/rows.ts";
import type { Clocks } from "#contract/stream.ts";
import type { HealthProblem } from "#contract/workspace.ts";
import type { Engine } from "#engine/engine.ts";
import { type CredentialProblem, credentialsHere } from "./credentials-here.ts";

export const clocksOf = (engine: Engine): Clocks => ({
	now: engine.now(),
	monotonic: engine.scheduler.monotonic(),
	turnsMax: engine.turnsMax,
});

/** `problem` returns what is wrong with a credential, or null. */
export async function unjournaled(engine: Engine, problem: CredentialProblem): Promise<Unjournaled> {
	const [projects, subscriptions] = await Promise.all([engine.reads.projects(), engine.reads.subscriptions()]);
	return {
		phases: engine.reportedPhases(),
		projectProblems: Object.fromEntries(
			projects.flatMap(({ slug }): [string, HealthProblem][] => {
				const found = engine.problems.of(slug);
				return found === null ? [] : [[slug, found]];
			}),
		),
		subscriptionProblems: Object.fromEntries(
			subscriptions.flatMap((each): [string, string][] => {
				const here = engine.node?.node ?? null;
				const words = each.removedAt === null ? credentialsHere(each, here, problem).problem : null;
				return words === null ? [] : [[each.name, words]];
			}),
		),
	};
}
