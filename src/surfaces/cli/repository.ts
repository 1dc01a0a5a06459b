// The git repository of the current directory, and adding it as a project.
import { existsSync } from "node:fs";
import path from "node:path";
import { Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import { inline } from "#contract/visible.ts";
import type { Project } from "#contract/wire.ts";
import type { CliContext } from "./act.ts";
import { confirm } from "./confirm.ts";
import { slugOf } from "./status.ts";

/** The nearest folder upwards that is a repository's. */
export function repositoryAt(folder: string): string | null {
	if (existsSync(path.join(folder, ".git"))) return folder;
	const above = path.dirname(folder);
	return above === folder ? null : repositoryAt(above);
}

/** A repository without files to work on, here or above. */
export function bareRepositoryAt(folder: string): string | null {
	if (["HEAD", "objects", "refs"].every((name) => existsSync(path.join(folder, name)))) return folder;
	const above = path.dirname(folder);
	return above === folder ? null : bareRepositoryAt(above);
}

/** Why no agent can be made here, which is in no checkout. */
export function noRepository(folder: string): Refused {
	const bare = bareRepositoryAt(folder);
	const [message, suggestion] =
		bare === null
			? [`${folder} is not in a git repository.`, "git init"]
			: [`${bare} is a bare repository: clone it, and run this in the clone.`, `git clone ${shellWord(bare)}`];
	return new Refused(
		refuse("VALIDATION_ERROR", message, { suggestions: [suggestion, "brood agent add --no-project --type claude"] }),
	);
}

export async function addRepository(
	{ client }: CliContext,
	root: string,
	say: (text: string) => void,
): Promise<Project> {
	const project = await client.call("projectAdd", { body: { slug: slugOf(root), path: root } });
	say(`Added the project ${project.slug} (${inline(project.path)}).`);
	return project;
}

/**
 * Offers to add the repository of this directory, which is not a project yet. Undefined outside of repositories, and
 * inside an agent, whose project the daemon knows.
 */
export async function offerRepository(
	cli: CliContext,
	say: (text: string) => void,
): Promise<Project["slug"] | undefined> {
	const root = cli.home === null ? null : repositoryAt(process.cwd());
	if (root === null) return undefined;
	const answer = await confirm(`${root} is not a project yet. Add it as project ${slugOf(root)}?`);
	if (answer === true) return (await addRepository(cli, root, say)).slug;
	throw new Refused(
		refuse("VALIDATION_ERROR", `${root} is not a project yet, so this agent would have no workspace.`, {
			suggestions: [`brood project add ${shellWord(root)}`, "brood agent add --no-project"],
		}),
	);
}
