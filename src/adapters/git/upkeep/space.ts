// The disk usage of a project, in its repository and in the home.
import { readdir } from "node:fs/promises";
import path from "node:path";
import { diskBytes } from "#adapters/system/disk.ts";
import type { ProjectSpace } from "#contract/space.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { borrowersOf } from "./borrowers.ts";
import { trashOf } from "./gc.ts";
import { looseRefs, objectBytes } from "./pack.ts";

export async function spaceOf(context: GitContext, project: ProjectRepository): Promise<ProjectSpace> {
	const { git, layout } = context;
	const { slug } = project;
	const { commonFolder } = await repositoryPathsOf(project.path, {});
	const [objects, counts, loose, refs, borrowers] = await Promise.all([
		commonFolder === null ? 0 : diskBytes(path.join(commonFolder, "objects")),
		objectBytes(git, project.path),
		commonFolder === null ? 0 : looseRefs(path.join(commonFolder, "refs", "brood")),
		git(project.path, ["for-each-ref", "--format=%(refname)", "refs/brood"]),
		borrowersOf(context, project),
	]);
	const names = refs.text === "" ? [] : refs.text.split("\n");
	const workspaces = (await readdir(layout.agents(slug)).catch((): string[] => [])).filter(
		(name) => !name.startsWith("."),
	);
	const inAgents = await diskBytes(layout.agents(slug));
	const clone = await diskBytes(layout.bareClone(slug));
	const trash = await trashOf(context, slug);
	const trashed = await Promise.all(trash.map((location) => diskBytes(location)));
	return {
		project: slug,
		path: project.path,
		objects: { bytes: objects, loose: counts.count, packs: counts.packs },
		refs: { brood: names.length, loose },
		snapshots: names.filter((name) => name.startsWith("refs/brood/snapshots/")).length,
		workspaces: { count: workspaces.length, bytes: inAgents },
		other: Math.max(0, (await diskBytes(layout.project(slug))) - inAgents - clone),
		trash: { count: trash.length, bytes: trashed.reduce((sum, bytes) => sum + bytes, 0) },
		borrowers: borrowers.length,
	};
}
