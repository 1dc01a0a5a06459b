// What may be seen and changed from inside a workspace whose project wants a sandbox.
//
// The home is hidden, with the person's token, the store and the other agents' files. Of the repository, git needs to write
// objects, the tree's own git folder, and the folder that the agent's branch is in; its configuration and its hooks stay as they are.
//
// Nothing that the agent can write has a say in it. The `.git` file of its tree could name any folder, and so could a link.
import { lstat, mkdir } from "node:fs/promises";
import path from "node:path";
import type { Room } from "#adapters/system/walls.ts";
import { expected } from "#contract/log.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { ProjectPlace } from "#engine/workspaces.ts";
import type { Ground } from "./ground.ts";
import { isInside } from "./layout.ts";
import { placeOf } from "./place.ts";
import { ownConfig } from "./settings.ts";
import { registeredFor } from "./worktrees.ts";

/** Null where no sandbox is wanted. */
export async function roomOf({ git, layout }: Ground, project: ProjectPlace, folder: string, branch: string | null): Promise<Room | null | Refusal> {
	const config = await ownConfig(layout, project.slug);
	if (isRefusal(config)) return config;
	if (config.sandbox !== "on") return null;
	const { commonFolder } = await placeOf(project.path, {});
	const registered = await registeredFor(git, project.path, folder);
	const linked = commonFolder !== null && registered !== null;
	return {
		hidden: [layout.home],
		readable: [...(linked ? [commonFolder] : []), layout.primary(project.slug)].filter((place) => place !== folder),
		writable: [folder, ...(linked ? await neededOf(commonFolder, registered, branch) : [])],
		fixed: linked ? [] : await ownRepository(folder),
	};
}

async function neededOf(common: string, gitFolder: string, branch: string | null): Promise<string[]> {
	const heads = branch === null ? [] : ["refs/heads", "logs/refs/heads"].map((above) => path.dirname(path.join(common, above, branch)));
	// git packs refs away, folders and all
	for (const place of heads) await mkdir(place, { recursive: true });
	const needed = [gitFolder, path.join(common, "objects"), ...heads];
	const inside = await Promise.all(needed.map((place) => isInside(common, place)));
	return needed.filter((_, at) => inside[at] === true);
}

/** Of a repository that is in the tree itself: a folder of hooks that is not there could be made. */
async function ownRepository(folder: string): Promise<string[]> {
	const own = path.join(folder, ".git");
	if ((await lstat(own).catch(() => null))?.isDirectory() !== true) return [];
	const hooks = path.join(own, "hooks");
	await mkdir(hooks, { recursive: true }).catch(expected("without the folder there is nothing to hide"));
	return [hooks, path.join(own, "config")];
}
