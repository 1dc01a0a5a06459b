// The project of the current directory.
import { sep } from "node:path";
import type { Client } from "#client/client.ts";
import type { ProjectSlug } from "#contract/ids.ts";

interface Daemon {
	client: Client;
	/** null with an address from the environment */
	home: string | null;
}

/** The innermost project whose folder, or whose folder in the home, contains the directory. */
export async function projectHere({ client, home }: Daemon): Promise<ProjectSlug | undefined> {
	// BROOD_URL names the daemon: it decides for an agent, and knows no folder of another machine
	if (home === null) return undefined;
	const here = process.cwd() + sep;
	const contains = (folder: string): boolean => here.startsWith(folder.endsWith(sep) ? folder : folder + sep);
	const all = await client.call("projects");
	const folders = all.flatMap(({ slug, path }) =>
		[path, `${home}${sep}projects${sep}${slug}`].map((folder) => ({ slug, folder })),
	);
	return folders.filter(({ folder }) => contains(folder)).toSorted((a, b) => b.folder.length - a.folder.length)[0]
		?.slug;
}

/** What runs these turns again, typed in this directory. */
export async function retryCommand(daemon: Daemon, turns: readonly { project: string | null }[]): Promise<string> {
	const here = await projectHere(daemon).catch(() => null);
	const isElsewhere = here != null && turns.some(({ project }) => project !== here);
	return `brood turn retry ${isElsewhere ? "--all-projects" : "--all"}`;
}
