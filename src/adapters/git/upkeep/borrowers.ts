// Workspaces that borrow objects from a repository, through `objects/info/alternates`. Refs hold what a sandboxed agent
// borrows (borrows.ts), so no garbage collection removes it. While a workspace borrows without such refs, nothing may
// be removed from the repository.
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { readMarker } from "../layout/marker.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
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
		const marker = await readMarker(layout.ownMarker(project.slug, location));
		if (await borrows(location, lender)) found.push({ location, held: marker !== null && holders.has(marker.agent) });
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
async function borrows(gitFolder: string, lender: string): Promise<boolean> {
	return (await lendersOf(path.join(gitFolder, "objects"), new Set())).has(lender);
}

async function lendersOf(objects: string, seen: Set<string>): Promise<Set<string>> {
	const text = await readRegularText(path.join(objects, "info", "alternates")).catch(() => "");
	for (const line of text.split("\n")) {
		if (line === "" || line.startsWith("#")) continue;
		const lender = await real(path.resolve(objects, line));
		if (seen.has(lender)) continue;
		seen.add(lender);
		await lendersOf(lender, seen);
	}
	return seen;
}

const real = async (location: string): Promise<string> => await realpath(location).catch(() => path.resolve(location));
