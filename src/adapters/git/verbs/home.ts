// Going home: an agent's home is its branch, and base if the branch has nothing of its own.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { AtHome, Live, Stay } from "#engine/workspaces.ts";
import { counted } from "../format/words.ts";
import { GitFailed } from "../run/git.ts";
import { commitOf } from "../run/given.ts";
import { baseCommit, type Ground } from "../workspace/ground.ts";
import { dirtyRefusal, lookAt } from "../workspace/look.ts";
import { goToBranch, moveBranch } from "./move.ts";
import { count, isMerged, treeGone } from "./standing.ts";
import { atHome } from "./sync.ts";

export async function release(ground: Ground, stay: Stay, live: Live, snapshot: string | null = null): Promise<AtHome | Refusal> {
	const { git } = ground;
	const { path, branch, base: baseName } = stay.workspace;
	const gone = await treeGone(stay);
	if (gone !== null) return gone;
	const tree = await lookAt(git, path);
	const dirty = dirtyRefusal(tree, { folder: path, stay });
	if (dirty !== null) return dirty;
	if (stay.workspace.kind === "main") return await forwardMain(ground, stay, tree.branch, live);

	const tip = await commitOf(git, path, `refs/heads/${branch}`);
	const base = await baseCommit(ground, stay);
	if (tip === null && base === null) return await atHome(ground, stay, false, "There is no commit yet.", snapshot);
	const away = tree.branch !== branch && tip !== null;
	const before = live.begun?.head;
	// whoever moved it to base died before telling
	if (!away && before != null && before !== tip && tip === base && base !== null) {
		const came = (await count(git, path, base, before)).behind;
		return await atHome(ground, stay, true, `${branch} moved to ${baseName}; ${counted(came, "commit")} came in.`, snapshot);
	}
	await live.begin?.({ head: tip });
	if (away) {
		const stuck = await goToBranch(ground, stay, tree.head);
		if (stuck !== null) return stuck;
	}
	const back = away ? `You are back on ${branch}. ` : "";
	const { ahead, behind } = await count(git, path, base, tip);
	if (base === null || (tip !== null && ahead > 0 && !(await isMerged(ground, stay, tip)))) {
		return await atHome(ground, stay, away, `${back}${branch} is ${ahead} ahead of ${baseName} and ${behind} behind.`, snapshot);
	}
	if (tip === base) return await atHome(ground, stay, away, `${back}${branch} is where ${baseName} is.`, snapshot);
	const stuck = await moveBranch(ground, stay, tip, base);
	if (stuck !== null) return stuck;
	return await atHome(ground, stay, true, `${back}${branch} moved to ${baseName}; ${counted(behind, "commit")} came in.`, snapshot);
}

/** The person's own checkout: fetched and moved forward, or left alone. */
async function forwardMain({ git, ...ground }: Ground, stay: Stay, branch: string | null, live: Live): Promise<AtHome | Refusal> {
	const { path } = stay.workspace;
	const said = branch === null ? "" : (await git(path, ["for-each-ref", "--format=%(upstream)%0a%(upstream:remotename)", `refs/heads/${branch}`])).text;
	const [upstream = "", remote = ""] = said.split("\n");
	const rest = async (moved: boolean, text: string): Promise<AtHome | Refusal> => await atHome({ git, ...ground }, stay, moved, text);
	if (upstream === "" || branch === null) return await rest(false, "There is nothing upstream to follow.");
	let away = "";
	if (remote !== "" && remote !== "." && !remote.startsWith("-")) {
		try {
			await git(path, ["fetch", "--quiet", "--no-write-fetch-head", remote], live.signal === undefined ? {} : { signal: live.signal });
		} catch (error) {
			if (!(error instanceof GitFailed)) throw error;
			away = " The remote did not answer.";
		}
	}
	const { ahead, behind } = await count(git, path, await commitOf(git, path, upstream), await commitOf(git, path, "HEAD"));
	if (behind === 0) return await rest(false, `${branch} has all of its upstream.${away}`);
	if (ahead > 0) {
		return refuse("CONFLICT", `${branch} is ${ahead} ahead of its upstream and ${behind} behind. It is yours to merge.`, { details: { ahead, behind, path } });
	}
	const { code, errors } = await git(path, ["merge", "--quiet", "--ff-only", "--no-autostash", "--no-overwrite-ignore", upstream], { answers: [1, 2, 128] });
	if (code !== 0)
		return refuse("WORKTREE_DIRTY", `Git does not move ${branch} forward. Nothing was changed.`, { details: { path, errors: errors.slice(0, 4000) } });
	return await rest(true, `${branch} moved forward; ${counted(behind, "commit")} came in.`);
}
