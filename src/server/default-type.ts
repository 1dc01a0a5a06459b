// The type of an agent for whom none was named.
import { typeSuggestions } from "#contract/agent-type.ts";
import { type AgentId, ProjectSlug } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Engine } from "#engine/engine.ts";

/**
 * A fork has its parent's type. Children of agent 0 get the project's, or that of agent 0 if somebody chose it, or have
 * to be told.
 */
export async function defaultType(
	{ engine, types }: { engine: Engine; types: readonly string[] },
	{ parent, project }: { parent: AgentId; project?: string | undefined },
): Promise<string | Refusal | undefined> {
	if (parent !== engine.agentZero.id) return undefined;
	const slug = ProjectSlug.safeParse(project);
	const row = slug.success ? await engine.reads.project(slug.data) : undefined;
	// a project that does not exist is refused as such
	if (row === undefined && project !== undefined) return undefined;
	const own = (await engine.reads.agent(parent))?.type ?? "scripted";
	return (
		row?.agentType ??
		(own === "scripted" ? null : own) ??
		refuse("VALIDATION_ERROR", `Name an agent type: ${types.join(", ")}.`, {
			details: { types: [...types] },
			suggestions: typeSuggestions(row?.slug),
		})
	);
}
