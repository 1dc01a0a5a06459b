// Refs of ours that have become needless: the commit that they keep is in base, or they tell about an agent that was deleted.
// What nothing else leads to stays for good, however old: it may be the last copy of somebody's work.
import { isRefusal } from "#contract/refusal.ts";
import type { GcWish, Leftover, ProjectPlace } from "#engine/workspaces.ts";
import { commitOf } from "../run/given.ts";
import { dropRefs } from "../snapshot/destroy.ts";
import type { Ground } from "../workspace/ground.ts";
import { settingsOf } from "../workspace/settings.ts";

interface Stale {
	ref: string;
	id: string;
	reason: string;
}

export async function dropStaleRefs(ground: Ground, project: ProjectPlace, wish: GcWish): Promise<Leftover[]> {
	const found = (await stale(ground, project, new Set<string>(wish.gone))).slice(0, wish.atMost?.refs);
	if (!wish.dryRun && found.length > 0) await dropRefs(ground.git, project.path, found);
	return found.map(({ ref, reason }) => ({ what: "ref", name: ref, bytes: 0, reason, freed: true }));
}

async function stale(ground: Ground, project: ProjectPlace, gone: ReadonlySet<string>): Promise<Stale[]> {
	const { git } = ground;
	const force = await settingsOf(ground, project);
	const base = isRefusal(force) ? null : await commitOf(git, project.path, `refs/heads/${force.settings.base}`);
	if (base === null) return [];
	const list = async (...args: string[]): Promise<{ id: string; ref: string; kind: string; owner: string }[]> => {
		const { text } = await git(project.path, ["for-each-ref", "--format=%(objectname) %(refname)", ...args]);
		return text.split("\n").flatMap((line) => {
			const [, id, ref, kind, owner] = /^([0-9a-f]+) (refs\/brood\/(\w+)\/([^/]+).*)$/.exec(line) ?? [];
			return id === undefined || ref === undefined || kind === undefined || owner === undefined ? [] : [{ id, ref, kind, owner }];
		});
	};
	const merged = await list(`--merged=${base}`, "refs/brood/left", "refs/brood/clones", "refs/brood/branches");
	const told = gone.size === 0 ? [] : await list("refs/brood/merges");
	return [
		...merged.filter(({ kind, owner }) => kind === "branches" || gone.has(owner)).map(({ ref, id }) => ({ ref, id, reason: "base has this commit" })),
		...told.filter(({ owner }) => gone.has(owner)).map(({ ref, id }) => ({ ref, id, reason: "the record of a merge of a deleted agent" })),
	];
}
