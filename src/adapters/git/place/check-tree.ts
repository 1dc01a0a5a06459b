// A tree for a check or a gate: exactly the commit that would be merged, with what agents share, gone afterwards.
import type { ProjectSettings } from "#contract/project-config.ts";
import type { ProjectPlace } from "#engine/workspaces.ts";
import { inOwnScratch } from "../room/primary.ts";
import type { Ground } from "./ground.ts";
import { readPrimaryMarkAt } from "./mark.ts";
import { wantsRoom } from "./room.ts";
import { inScratch } from "./scratch.ts";
import { share } from "./shared.ts";

export async function inCheckTree<T>(
	ground: Ground,
	project: ProjectPlace,
	commit: string,
	settings: ProjectSettings,
	work: (tree: string) => Promise<T>,
): Promise<T> {
	const { git, layout } = ground;
	const from = { primary: layout.primary(project.slug), checkout: project.path === layout.mirror(project.slug) ? null : project.path };
	// a mistake in the configuration keeps the command from being run at all
	if ((await wantsRoom(ground, project)) === false) {
		return await inScratch(ground, project, project.path, commit, async (tree) => {
			await share(git, tree, from, settings);
			return await work(tree);
		});
	}
	return await inOwnScratch(ground, project, commit, async (tree) => {
		await share(git, tree, { ...from, filled: await readPrimaryMarkAt(layout.primaryMark(project.slug)) }, settings);
		return await work(tree);
	});
}
