// How people name agents: an id, a handle, project/handle, or the beginning of an id.
// The order decides, so that a name that looks like somebody else's id never reaches the wrong agent.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";

export type Named = Pick<AgentState, "id" | "handle" | "project">;

/** A prefix shorter than this would match by accident. */
export const idPrefixMin = 4;

/** `candidates` are all agents whose id begins with, or whose handle is, a part of the reference. */
export function resolve(
	reference: string,
	project: ProjectSlug | null,
	candidates: readonly Named[],
): { id: AgentId } | Refusal {
	const slash = reference.indexOf("/");
	const elsewhere = candidates.filter((agent) => agent.handle === reference);
	const steps: (readonly Named[])[] = [
		candidates.filter((agent) => agent.id === reference),
		elsewhere.filter((agent) => agent.project === project),
		slash < 0
			? []
			: candidates.filter(
					(agent) => agent.project === reference.slice(0, slash) && agent.handle === reference.slice(slash + 1),
				),
		elsewhere,
		reference.length < idPrefixMin ? [] : candidates.filter((agent) => agent.id.startsWith(reference)),
	];
	const matches = steps.find((found) => found.length > 0) ?? [];
	const [only] = matches;
	if (only === undefined) {
		return refuse("AGENT_NOT_FOUND", `There is no agent ${JSON.stringify(reference.slice(0, 80))}.`, {
			suggestions: ["brood agent list"],
		});
	}
	if (matches.length === 1) return { id: only.id };
	return refuse("AMBIGUOUS_REF", `${JSON.stringify(reference)} names ${matches.length} agents.`, {
		details: { candidates: matches.map(({ id, handle, project: where }) => ({ id, handle, project: where })) },
		suggestions: matches.slice(0, 5).map((agent) => `brood agent status ${agent.id}`),
	});
}
