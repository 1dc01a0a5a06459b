// A tree for a check or a gate: exactly the commit that would be merged, with what agents share, gone afterwards.
import type { ProjectSettings } from "#contract/project-config.ts";
import type { ProjectPlace } from "#engine/workspaces.ts";
import { readPrimaryMarkAt } from "../layout/mark.ts";
import { inOwnScratch } from "../sandbox/primary.ts";
import type { Ground } from "../workspace/ground.ts";
import { wantsRoom } from "../workspace/room.ts";
import { inScratch } from "../workspace/scratch.ts";
import { share } from "../workspace/shared.ts";

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
