// Pushes base after a merge. Where origin got commits meanwhile, base takes them in and is pushed again.
import type { RepositorySettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Pushed } from "#contract/workspace.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { exclusively, serialized } from "../run/exclusive.ts";
import { commitOf } from "../run/user-input.ts";
import { pushBranch, wasBehind } from "../verbs/push.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { integrated } from "./integrate.ts";
import { moveBase } from "./move-base.ts";
import { fetchAndFollowOrigin, isFetchGivenUp, rememberOrigin } from "./origin.ts";

/** somebody else may push as often as we do */
const attemptsMax = 5;
const othersWereFaster = `somebody else pushed first, ${attemptsMax} times in a row; the next approve pushes it too`;

export async function pushBase(
	context: GitContext,
	project: ProjectRepository,
	base: string,
	settings: Pick<RepositorySettings, "integrate">,
): Promise<Pushed> {
	if (isFetchGivenUp(project))
		return {
			remote: "origin",
			branch: base,
			pushed: false,
			error: "origin does not answer; the next push includes it",
		};
	// where two approve at once, one pushes after the other
	return await serialized(`push ${project.path}`, async () => {
		for (let attempt = 1; ; attempt++) {
			const push = await pushBranch(context.git, project.path, base);
			if (push.pushed) await rememberOrigin(context.git, project, base);
			if (push.pushed || !wasBehind(push) || settings.integrate === "never") return push;
			if (attempt === attemptsMax) return { ...push, error: `${push.error}\n${othersWereFaster}` };
			const taken = await takeIn(context, project, base, settings);
			// another approve moved base meanwhile: the next attempt pushes that too
			if (taken !== null && taken !== "moved") return { ...push, error: `${push.error} ${taken.message}` };
		}
	});
}

/** Brings what origin has into base, and moves it. */
async function takeIn(
	context: GitContext,
	project: ProjectRepository,
	base: string,
	settings: Pick<RepositorySettings, "integrate">,
): Promise<Refusal | "moved" | null> {
	await fetchAndFollowOrigin(context, project, base);
	const before = await commitOf(context.git, project.path, `refs/heads/${base}`);
	if (before === null) return null;
	const result = await integrated(context, project, { base, before, reviewed: null }, settings);
	if (isRefusal(result)) return result;
	if (result.commit === before) return null;
	const { rewrites } = result;
	return await exclusively(
		project.path,
		async () => await moveBase(context, { project, workspace: { base } }, before, result.commit, { rewrites }),
	);
}
