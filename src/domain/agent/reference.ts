// How people name agents: an id, a handle, project/handle, or a prefix of an id. They are tried in a fixed order, so
// that a handle that looks like another agent's id never reaches the wrong agent.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";

export type Named = Pick<AgentState, "id" | "handle" | "project">;

/** Shorter prefixes would match by accident. */
export const idPrefixMin = 4;

/** `candidates`: all agents whose id begins with, or whose handle is, a part of the reference. */
export function resolve(
	reference: string,
	project: ProjectSlug | null,
	candidates: readonly Named[],
): { id: AgentId } | Refusal {
	const byHandle = candidates.filter((agent) => agent.handle === reference);
	const steps: (readonly Named[])[] = [
		candidates.filter((agent) => agent.id === reference),
		byHandle.filter((agent) => agent.project === project),
		candidates.filter((agent) => agent.project !== null && `${agent.project}/${agent.handle}` === reference),
		byHandle,
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
	const listed = matches.slice(0, listedMax);
	const names = listed.map(({ handle, project: where }) => `${where ?? "(no project)"}/${handle}`);
	const message = `${JSON.stringify(reference)} names ${matches.length} agents: ${names.join(", ")}${matches.length > listedMax ? ", …" : ""}.`;
	return refuse("AMBIGUOUS_REF", message, {
		details: { candidates: matches.map(({ id, handle, project: where }) => ({ id, handle, project: where })) },
		// the handle of an agent without a project may be ambiguous: only its id is not
		suggestions: listed.map(({ id, handle, project: where }) =>
			where === null ? `brood agent status ${id}` : `brood agent status ${where}/${handle}`,
		),
	});
}

const listedMax = 5;
