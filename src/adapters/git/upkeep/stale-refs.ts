// Deletes refs that are no longer needed: base has their commit (`left`, `clones` and `work` only once their agent is
// deleted), or they record a merge of a deleted agent.
// A commit that nothing else reaches stays for good: it may be the last copy of somebody's work.
import { isRefusal } from "#contract/refusal.ts";
import type { Leftover } from "#contract/wire.ts";
import type { GcRequest, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { commitOf } from "../run/user-input.ts";
import { dropRefs } from "../snapshot/destroy.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { projectSettings } from "../workspace/settings.ts";

interface Stale {
	ref: string;
	id: string;
	reason: string;
}

export async function dropStaleRefs(
	context: GitContext,
	project: ProjectRepository,
	request: GcRequest,
): Promise<Leftover[]> {
	const found = (await stale(context, project, request)).slice(0, request.atMost?.refs);
	if (!request.dryRun && found.length > 0) await dropRefs(context.git, project.path, found);
	return found.map(({ ref, reason }) => ({ what: "ref", name: ref, bytes: 0, reason, freed: true }));
}

async function stale(context: GitContext, project: ProjectRepository, { goneOf }: GcRequest): Promise<Stale[]> {
	const { git } = context;
	const effective = await projectSettings(context, project);
	const base = isRefusal(effective) ? null : await commitOf(git, project.path, `refs/heads/${effective.settings.base}`);
	if (base === null) return [];
	const list = async (...args: string[]): Promise<{ id: string; ref: string; kind: string; owner: string }[]> => {
		const { text } = await git(project.path, ["for-each-ref", "--format=%(objectname) %(refname)", ...args]);
		return text.split("\n").flatMap((line) => {
			const [, id, ref, kind, owner] = /^([0-9a-f]+) (refs\/brood\/(\w+)\/([^/]+).*)$/.exec(line) ?? [];
			return id === undefined || ref === undefined || kind === undefined || owner === undefined
				? []
				: [{ id, ref, kind, owner }];
		});
	};
	const kinds = ["left", "clones", "branches", "moved", "work"].map((kind) => `refs/brood/${kind}`);
	const merged = await list(`--merged=${base}`, ...kinds);
	const records = await list("refs/brood/merges");
	const owners = new Set([...merged, ...records].map(({ owner }) => owner));
	const gone = new Set<string>(await goneOf?.([...owners]));
	return [
		...merged
			.filter(({ kind, owner }) => kind === "branches" || kind === "moved" || gone.has(owner))
			.map(({ ref, id }) => ({ ref, id, reason: "base has this commit" })),
		...records
			.filter(({ owner }) => gone.has(owner))
			.map(({ ref, id }) => ({ ref, id, reason: "the record of a merge of a deleted agent" })),
	];
}
