// Taking back what we made ourselves and nobody has worked in: a provisioning that failed, a scratch tree, half a clone.
// Anything that an agent or a person may have written in goes through destroy.ts instead.
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { exclusively } from "./exclusive.ts";
import type { Ground } from "./ground.ts";
import { exists } from "./layout.ts";
import { worktreeAt } from "./worktrees.ts";

/** The beginning of the names in the trash that need not be kept. */
export const discardedPrefix = ".discarded-";

/** Renamed first: a crash leaves rubbish in the trash, and never half a tree in its place. */
export async function discard({ layout, ids }: Ground, place: string): Promise<void> {
	if (!place.startsWith(`${layout.home}${path.sep}`)) throw new Error(`${place} is not in Brood's home`);
	if (!(await exists(place))) return;
	await mkdir(layout.trash, { recursive: true, mode: 0o700 });
	const away = path.join(layout.trash, `${discardedPrefix}${ids.salt()}`);
	await rename(place, away);
	await rm(away, { recursive: true, force: true });
}

/** The tree, and what the repository knows of it. */
export async function discardWorktree(ground: Ground, repository: string, place: string): Promise<void> {
	await exclusively(repository, async () => {
		const known = await worktreeAt(ground.git, repository, place);
		await discard(ground, place);
		if (known !== null) await forget(ground, repository, known.path, known.locked !== null);
	});
}

/** Takes a worktree whose folder is gone off the repository's list. Git refuses this for one whose folder is there and not clean. */
export async function forget({ git }: Ground, repository: string, place: string, locked: boolean): Promise<void> {
	// git locks a worktree while it makes it, and a killed git leaves it so
	if (locked) await git(repository, ["worktree", "unlock", place], { answers: [128] });
	if (await exists(place)) throw new Error(`${place} is still there`);
	await git(repository, ["worktree", "remove", place], { answers: [128] });
}
