// The merges that we made, each under a ref `refs/brood/merges/<agent>/<reviewed commit>`. The ref is written before
// base moves and counts only once base contains its commit, so a crash in between has no effect. It makes squash and
// rebase merges known. It is a tag, because a tag has a message.
import { parseJson } from "#adapters/system/errors.ts";
import { type MergeRecord, StoredMergeRecord } from "#contract/workspace.ts";
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
	const { commit, ...record } = merge;
	const tag = `object ${commit}\ntype commit\ntag merge-${agent}\ntagger brood <brood@brood.local> ${Math.floor(at / 1000)} +0000\n\n${JSON.stringify(record)}\n`;
	const { text } = await git(repository, ["mktag"], { input: tag });
	await git(repository, ["update-ref", refOf(agent, merge.reviewed), text]);
}

/** The record of a merge of that commit; it happened only if base contains the result. */
export async function recordedMerge(
	git: Git,
	repository: string,
	agent: string,
	reviewed: string,
): Promise<RecordedMerge | null> {
	const format = "--format=%(*objectname)%0a%(contents:body)%(contents:subject)";
	const { exit, text } = await git(repository, ["for-each-ref", format, refOf(agent, reviewed)], { answers: [1] });
	if (exit !== 0 || text === "") return null;
	const [commit = "", json = ""] = text.split("\n");
	const parsed = StoredMergeRecord.safeParse(parseJson(json));
	return parsed.success ? { commit, ...parsed.data } : null;
}

/** After base was rebased: merges that were in it before are in its new commit. */
export async function recordAgain(git: Git, repository: string, before: string, after: string): Promise<void> {
	const { text } = await git(repository, ["for-each-ref", "--format=%(*objectname) %(refname)", "refs/brood/merges"]);
	const rewritten = new Set((await git(repository, ["rev-list", before, `^${after}`, "--"])).text.split("\n"));
	for (const line of text.split("\n")) {
		const [commit = "", ref = ""] = line.split(" ");
		const [agent, reviewed] = ref.split("/").slice(3);
		if (agent === undefined || reviewed === undefined || !rewritten.has(commit)) continue;
		const merge = await recordedMerge(git, repository, agent, reviewed);
		if (merge !== null) await recordMerge(git, repository, agent, { ...merge, commit: after }, 0);
	}
}
