// The isolated kind of workspace: a repository that shares nothing with the project's, not even objects.
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { AgentIdentity, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import type { Git } from "../run/git.ts";
import { addressElsewhere } from "../run/user-input.ts";
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
	const url = await upstreamOf(git, project.path);
	if (url !== null) await git(path, ["remote", "add", "--", "origin", url]);
	const identity = identityOf(agent);
	await git(path, ["config", "--local", "user.name", identity["GIT_AUTHOR_NAME"] ?? ""]);
	await git(path, ["config", "--local", "user.email", identity["GIT_AUTHOR_EMAIL"] ?? ""]);
	if (start !== null) await git(path, ["update-ref", `refs/heads/${branch}`, start]);
	await git(path, ["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
}

/** An isolated agent must not see a password in the project's configuration. */
async function upstreamOf(git: Git, repository: string): Promise<string | null> {
	const upstream = await git(repository, ["config", "--local", "--get", "remote.origin.url"], { answers: [1] });
	return upstream.code === 0 ? addressElsewhere(upstream.text, repository) : null;
}

/** Writes the configuration of a clone anew, into `file`. */
export async function configureClone(
	{ git }: GitContext,
	project: ProjectRepository,
	agent: AgentIdentity,
	file: string,
): Promise<void> {
	const [url, identity] = [await upstreamOf(git, project.path), identityOf(agent)];
	const format = (await git(project.path, ["rev-parse", "--show-object-format"])).text;
	const fetches = (remote: string): string => `+refs/heads/*:refs/remotes/${remote}/*`;
	const origin = { "remote.origin.url": url ?? "", "remote.origin.fetch": fetches("origin") };
	const values = {
		"core.repositoryformatversion": format === "sha1" ? "0" : "1",
		...(format !== "sha1" && { "extensions.objectformat": format }),
		"core.filemode": "true",
		"core.bare": "false",
		"core.logallrefupdates": "true",
		"remote.brood.url": project.path,
		"remote.brood.fetch": fetches("brood"),
		...(url !== null && origin),
		"user.name": identity["GIT_AUTHOR_NAME"] ?? "",
		"user.email": identity["GIT_AUTHOR_EMAIL"] ?? "",
	};
	for (const [key, value] of Object.entries(values)) await git(project.path, ["config", "--file", file, key, value]);
}
