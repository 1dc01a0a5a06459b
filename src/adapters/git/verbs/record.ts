// The merges that we made, each under a ref of its own: `refs/brood/merges/<agent>/<reviewed commit>`. The ref is
// written before base moves and only counts once base contains its commit, so a crash in between leaves nothing that
// means anything, and a merge that took another form (squash, rebase) is known for one. It is a tag, because a tag can
// say more.
import { MergeRecord } from "#contract/workspace.ts";
import type { Git } from "../run/git.ts";

export interface RecordedMerge extends MergeRecord {
	commit: string;
}

const refOf = (agent: string, reviewed: string): string => `refs/brood/merges/${agent}/${reviewed}`;

export async function recordMerge(
	git: Git,
	repository: string,
	agent: string,
	merge: RecordedMerge,
	at: number,
): Promise<void> {
	const { commit, ...told } = merge;
	const tag = `object ${commit}\ntype commit\ntag merge-${agent}\ntagger brood <brood@brood.local> ${Math.floor(at / 1000)} +0000\n\n${JSON.stringify(told)}\n`;
	const { text } = await git(repository, ["mktag"], { input: tag });
	await git(repository, ["update-ref", refOf(agent, merge.reviewed), text]);
}

/** What was written down for that commit; whether it happened is for base to tell. */
export async function recordedMerge(
	git: Git,
	repository: string,
	agent: string,
	reviewed: string,
): Promise<RecordedMerge | null> {
	const ref = refOf(agent, reviewed);
	const { code, text } = await git(
		repository,
		["for-each-ref", "--format=%(*objectname)%0a%(contents:body)%(contents:subject)", ref],
		{ answers: [1] },
	);
	if (code !== 0 || text === "") return null;
	const [commit = "", told = ""] = text.split("\n");
	const parsed = MergeRecord.safeParse(jsonOf(told));
	return parsed.success ? { commit, ...parsed.data } : null;
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
