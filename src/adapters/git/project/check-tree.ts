// A tree for a check or a gate: exactly the commit that would be merged, with what agents share, gone afterwards.
import type { ProjectSettings } from "#contract/project-config.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { readPrimaryMarkAt } from "../layout/mark.ts";
import { inSandboxedScratch } from "../sandbox/primary.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { wantsSandbox } from "../workspace/sandbox-mounts.ts";
import { inScratch } from "../workspace/scratch.ts";
import { share } from "../workspace/shared.ts";

export async function inCheckTree<T>(
	context: GitContext,
	project: ProjectRepository,
	commit: string,
	settings: ProjectSettings,
	work: (tree: string) => Promise<T>,
): Promise<T> {
	const { git, layout } = context;
	const from = {
		primary: layout.primary(project.slug),
		checkout: project.path === layout.mirror(project.slug) ? null : project.path,
	};
	// a mistake in the configuration keeps the command from being run at all
	if ((await wantsSandbox(context, project)) === false) {
		return await inScratch(context, project, project.path, commit, async (tree) => {
			await share(git, tree, from, settings);
			return await work(tree);
		});
	}
	return await inSandboxedScratch(context, project, commit, async (tree) => {
		await share(git, tree, { ...from, filled: await readPrimaryMarkAt(layout.primaryMark(project.slug)) }, settings);
		return await work(tree);
	});
}
