// Which project a command is about that names none: the one whose directory it is given in.
import { sep } from "node:path";
import type { ProjectSlug } from "#contract/ids.ts";
import type { CliContext } from "./act.ts";

/** The project whose folder, or whose place in the home, the directory is in; the innermost if there are several. */
export async function projectHere({ client, status }: CliContext): Promise<ProjectSlug | undefined> {
	// inside an agent the daemon knows better
	if (status === null) return undefined;
	const here = process.cwd() + sep;
	const within = (folder: string): boolean => here.startsWith(folder.endsWith(sep) ? folder : folder + sep);
	const all = await client.call("projects");
	const routePaths = all.flatMap(({ slug, path }) =>
		[path, `${status.home}${sep}projects${sep}${slug}`].map((folder) => ({ slug, folder })),
	);
	return routePaths.filter(({ folder }) => within(folder)).toSorted((a, b) => b.folder.length - a.folder.length)[0]
		?.slug;
}
