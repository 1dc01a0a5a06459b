// The isolated kind of workspace: a repository that shares nothing with the project's, not even objects.
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { AgentIdentity, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { withoutSecrets } from "../run/user-input.ts";
import { type GitContext, identityOf } from "./git-context.ts";

const cloneTimeoutMs = 30 * 60 * 1000;

/**
 * A clone with a HEAD on a new branch and no files yet. The project is its remote `brood`; `origin` is where the
 * project itself comes from.
 */
export async function makeClone(
	{ git, layout }: GitContext,
	project: ProjectRepository,
	agent: AgentIdentity,
	{ path, branch, start }: WorkspaceMark,
): Promise<void> {
	await git(
		layout.agents(project.slug),
		["clone", "--quiet", "--no-hardlinks", "--no-checkout", "--origin", "brood", "--", project.path, path],
		{ timeoutMs: cloneTimeoutMs },
	);
	const upstream = await git(project.path, ["config", "--local", "--get", "remote.origin.url"], { answers: [1] });
	// an isolated agent must not see a password in the project's configuration
	const url = upstream.code === 0 ? withoutSecrets(upstream.text) : "";
	if (url !== "" && !url.startsWith("-")) await git(path, ["remote", "add", "--", "origin", url]);
	const identity = identityOf(agent);
	await git(path, ["config", "--local", "user.name", identity["GIT_AUTHOR_NAME"] ?? ""]);
	await git(path, ["config", "--local", "user.email", identity["GIT_AUTHOR_EMAIL"] ?? ""]);
	if (start !== null) await git(path, ["update-ref", `refs/heads/${branch}`, start]);
	await git(path, ["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
}
