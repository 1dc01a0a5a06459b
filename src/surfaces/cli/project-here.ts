// The project of the current directory.
import { sep } from "node:path";
import type { Client } from "#client/client.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { AnswerOf } from "#contract/routes.ts";

interface Daemon {
	client: Client;
	/** null with an address from the environment */
	home: string | null;
}

interface Folder {
	slug: ProjectSlug;
	folder: string;
}

/**
 * The innermost project whose folder, or whose folder in the home, contains the directory; else the one whose
 * repository at this node does.
 */
export async function projectHere({ client, home }: Daemon): Promise<ProjectSlug | undefined> {
	// BROOD_URL names the daemon: it decides for an agent, and knows no folder of another machine
	if (home === null) return undefined;
	const all = await client.call("projects");
	const folders = all.flatMap(({ slug, path }) =>
		[path, `${home}${sep}projects${sep}${slug}`].map((folder) => ({ slug, folder })),
	);
	return innermost(folders) ?? innermost(await sitesHere(client, all));
}

function innermost(folders: readonly Folder[]): ProjectSlug | undefined {
	const here = process.cwd() + sep;
	const contains = (folder: string): boolean => here.startsWith(folder.endsWith(sep) ? folder : folder + sep);
	return folders.filter(({ folder }) => contains(folder)).toSorted((a, b) => b.folder.length - a.folder.length)[0]
		?.slug;
}

/** The repositories that projects of other nodes have at this one. */
async function sitesHere(client: Client, projects: AnswerOf<"projects">): Promise<Folder[]> {
	if (projects.every(({ node }) => node === null)) return [];
	const self = (await client.call("nodes")).find((each) => each.self)?.id;
	const elsewhere = projects.filter(({ node }) => node !== null && node !== self);
	const sites = elsewhere.map(async ({ slug }) => {
		const all = await client.call("sites", { params: { project: slug } });
		return all.filter(({ node }) => node === self).map(({ path }) => ({ slug, folder: path }));
	});
	return (await Promise.all(sites)).flat();
}

/** What runs these turns again, typed in this directory. */
export async function retryCommand(daemon: Daemon, turns: readonly { project: string | null }[]): Promise<string> {
	const here = await projectHere(daemon).catch(() => null);
	const isElsewhere = here != null && turns.some(({ project }) => project !== here);
	return `brood turn retry ${isElsewhere ? "--all-projects" : "--all"}`;
}
