// Making this node a project's home node, which has a repository of it: from then on its merges, gates, issues and
// settings are here. Its former home node stays as a site, and so do the agents that live there.
import { isActive, nodeDown, noOtherNode } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { differsFromLastKnown } from "./last-known-settings.ts";
import { ensureSiteHere, type MovingParts } from "./moving.ts";
import type { Sites } from "./sites.ts";
import { keyAndFingerprint, type Requester } from "./steps.ts";

export async function moveProjectHere(
	parts: MovingParts & { sites: Sites; workspaces: Workspaces },
	project: ProjectState,
	{ force }: { force: boolean },
	by: Requester,
): Promise<Refusal | null> {
	const { reads, node: me, dispatch, sites } = parts;
	const { slug } = project;
	const from = project.node === null ? undefined : await reads.node(project.node);
	if (me === null || from === undefined) return noOtherNode();
	if (from.id === me.node)
		return refuse("CONFLICT", `This node is the home node of ${slug} already.`, {
			suggestions: [`brood project show ${slug}`],
		});
	const absent = await ensureSiteHere(parts, project, by);
	if (absent !== null) return absent;
	const row = (await reads.project(slug)) ?? project;
	// what its base had since the last sync is on that machine's disk
	if (!isActive(from) && !force) {
		const { name = me.node } = (await reads.node(me.node)) ?? {};
		return { ...nodeDown(from), suggestions: [`brood project move ${slug} --to ${name} --force`] };
	}
	const differs = isActive(from)
		? await sites.differsFromHomeNode(row, by)
		: await differsFromLastKnown(parts.workspaces, row, from);
	if (differs !== null) return differs;
	const path = row.sites?.find((each) => each.node === me.node)?.path ?? "";
	const outcome = await dispatch({
		actor: by.actor,
		...keyAndFingerprint(by),
		command: { type: "project.move", slug, from: from.id, path },
	});
	return "refused" in outcome && isRefusal(outcome.refused) ? outcome.refused : null;
}
