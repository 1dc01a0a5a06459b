// State that is shown beside the rows but is in no event: sent with the rows, and by the stream when it changes.
import type { Unjournaled } from "#contract/rows.ts";
import type { Credential } from "#contract/subscription.ts";
import type { HealthProblem } from "#contract/workspace.ts";
import type { Engine } from "#engine/engine.ts";

/** `problem` returns what is wrong with a credential, or null. */
export async function unjournaled(
	engine: Engine,
	problem: (credential: Credential) => string | null,
): Promise<Unjournaled> {
	const [projects, subscriptions] = await Promise.all([engine.reads.projects(), engine.reads.subscriptions()]);
	return {
		phases: engine.reportedPhases(),
		projects: Object.fromEntries(
			projects.flatMap(({ slug }): [string, HealthProblem][] => {
				const found = engine.problems.of(slug);
				return found === null ? [] : [[slug, found]];
			}),
		),
		subscriptions: Object.fromEntries(
			subscriptions.flatMap(({ name, credential, removedAt }): [string, string][] => {
				const words = removedAt === null ? problem(credential) : null;
				return words === null ? [] : [[name, words]];
			}),
		),
	};
}
