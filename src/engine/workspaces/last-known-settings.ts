// Whether a node may become the home node of a project whose present one cannot be asked: settings are never lost or
// changed by that without a word, above all not the sandbox.
import type { NodeState } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { differentSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { projectRepository } from "./checkout.ts";

/** A refusal unless this home's file says what was last known of that of node `from`. */
export async function differsFromLastKnown(
	{ sites }: Pick<Workspaces, "sites">,
	project: ProjectState,
	from: NodeState,
): Promise<Refusal | null> {
	const { slug, homeConfig: known } = project;
	const own = await sites.ownConfig(projectRepository(project));
	if (own !== null && isRefusal(own)) return own;
	const details = { project: slug };
	if (known === undefined)
		return own !== null
			? null
			: refuse(
					"CONFLICT",
					`Nobody knows the settings that ${slug} had at node ${from.name}. Write them into projects/${slug}/config.yaml in Brood's home at this node; an empty file says that there were none.`,
					{ details, suggestions: [`brood project show ${slug}`] },
				);
	const differ = differentSettings(own ?? {}, known);
	if (differ.length === 0) return null;
	return refuse(
		"CONFLICT",
		`projects/${slug}/config.yaml in Brood's home is not what node ${from.name} had. There it said ${differ.join(", ")}.`,
		{ details, suggestions: [`edit projects/${slug}/config.yaml at this node: ${differ.join(", ")}`] },
	);
}
