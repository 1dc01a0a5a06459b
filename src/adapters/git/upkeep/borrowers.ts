// Workspaces that borrow objects from a repository, through `objects/info/alternates`. Refs hold what a sandboxed agent
// borrows (borrows.ts), so no garbage collection removes it. While a workspace borrows without such refs, nothing may
// be removed from the repository.
//
// In the trash the tree of a sandboxed agent is not told from others, so its `.git` and alternates are read there: as
// paths to compare, and bounded.
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { readMarker } from "../layout/marker.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { storesOf } from "../workspace/alternates.ts";
import { borrowedBy } from "../workspace/borrows.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { sandboxMarkerAt } from "../workspace/sandbox-mounts.ts";

interface Borrower {
	/** the borrower's own git folder */
	location: string;
	/** refs of the lender hold what it borrows */
	held: boolean;
}

/** Workspaces of the project's agents, in place or in the trash. */
export async function borrowersOf(
	context: Pick<GitContext, "layout" | "git">,
	project: ProjectRepository,
): Promise<Borrower[]> {
	const { layout, git } = context;
	const { commonFolder } = await repositoryPathsOf(project.path, {});
	if (commonFolder === null) return [];
	const lender = await real(path.join(commonFolder, "objects"));
	const [agents, own, trash] = await Promise.all(
		[layout.agents(project.slug), layout.ownGits(project.slug), layout.trash].map(below),
	);
	const found: Borrower[] = [];
	const holders = new Set((await borrowedBy(git, project.path)).map(({ agent }) => agent));
	for (const location of own ?? []) {
		// it was made to borrow; the agent can write what it says by now
		const marker = await readMarker(layout.ownMarker(project.slug, location));
		found.push({ location, held: marker !== null && holders.has(marker.agent) });
	}
	for (const tree of [...(agents ?? []), ...(trash ?? []).map((location) => path.join(location, "files"))]) {
		// a sandboxed agent can write anything about its git folder into its tree
		if ((await sandboxMarkerAt(context, project, tree)) !== null) continue;
		const { gitFolder, commonFolder: its } = await repositoryPathsOf(tree, {});
		// a worktree has no objects of its own
		if (gitFolder !== null && gitFolder === its && (await borrows(gitFolder, lender)))
			found.push({ location: gitFolder, held: false });
	}
	return found;
}

const below = async (folder: string): Promise<string[]> =>
	(await readdir(folder).catch((): string[] => []))
		.filter((name) => !name.startsWith("."))
		.map((name) => path.join(folder, name));

/** Directly or indirectly. */
const borrows = async (gitFolder: string, lender: string): Promise<boolean> =>
	(await storesOf(path.join(gitFolder, "objects"))).includes(lender);

const real = async (location: string): Promise<string> => await realpath(location).catch(() => path.resolve(location));
