// The isolated kind of workspace: a repository that shares nothing with the project's, not even objects.
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type { AgentIdentity, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import type { Git } from "../run/git.ts";
import { addressElsewhere } from "../run/user-input.ts";
import { agentIdentity, type GitContext } from "./git-context.ts";

const cloneTimeoutMs = 30 * 60 * 1000;

/**
 * A clone with a HEAD on a new branch and no files yet. The project is its remote `brood`; `origin` is where the
 * project itself comes from.
 */
export async function makeClone(
	{ git, layout }: GitContext,
	project: ProjectRepository,
	agent: AgentIdentity,
	{ path, branch, start }: WorkspaceMarker,
): Promise<void> {
	const there = layout.agents(project.slug);
	const branches = await readableRefs(git, project.path);
	if (branches === "all")
		await git(
			there,
			["clone", "--quiet", "--no-hardlinks", "--no-checkout", "--origin", "brood", "--", project.path, path],
			{ timeoutMs: cloneTimeoutMs },
		);
	else await cloneOf(git, project.path, { there, path, refs: branches });
	const url = await originUrlOf(git, project.path);
	if (url !== null) await git(path, ["remote", "add", "--", "origin", url]);
	// what an address such as ../library of a submodule starts from, as it does in the project
	else await git(path, ["config", "--local", `branch.${branch}.remote`, "brood"]);
	const identity = agentIdentity(agent);
	await git(path, ["config", "--local", "user.name", identity["GIT_AUTHOR_NAME"] ?? ""]);
	await git(path, ["config", "--local", "user.email", identity["GIT_AUTHOR_EMAIL"] ?? ""]);
	if (start !== null) await git(path, ["update-ref", `refs/heads/${branch}`, start]);
	await git(path, ["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
}

/** The branches and tags that git can read: one that it cannot read makes every clone of the repository fail. */
async function readableRefs(git: Git, repository: string): Promise<"all" | string[]> {
	const prefixes = ["refs/heads", "refs/tags"];
	const whole = await git(repository, ["for-each-ref", "--format=%(objecttype)", ...prefixes], { answers: [128] });
	if (whole.exit === 0 && whole.errors === "") return "all";
	const { text } = await git(repository, ["for-each-ref", "--format=%(objectname) %(refname)", ...prefixes]);
	const refs = text.split("\n").filter((line) => line !== "");
	const input = refs.map((line) => `${line.split(" ", 1)[0]}\n`).join("");
	const found = (await git(repository, ["cat-file", "--batch-check"], { input })).text.split("\n");
	return refs.flatMap((line, at) =>
		found[at]?.endsWith(" missing") === false ? [line.slice(line.indexOf(" ") + 1)] : [],
	);
}

/** A clone with these refs only. */
async function cloneOf(
	git: Git,
	repository: string,
	{ there, path, refs }: { there: string; path: string; refs: readonly string[] },
): Promise<void> {
	const format = (await git(repository, ["rev-parse", "--show-object-format"])).text;
	await git(there, ["init", "--quiet", `--object-format=${format}`, "--", path]);
	await git(path, ["remote", "add", "--", "brood", repository]);
	const input = refs.map((ref) => `+${ref}:${ref.replace(/^refs\/heads\//, "refs/remotes/brood/")}\n`).join("");
	if (input !== "")
		await git(path, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--stdin", "brood"], {
			input,
			timeoutMs: cloneTimeoutMs,
		});
}

/** An isolated agent must not see a password in git's configuration of the project. */
async function originUrlOf(git: Git, repository: string): Promise<string | null> {
	const origin = await git(repository, ["config", "--local", "--get", "remote.origin.url"], { answers: [1] });
	return origin.exit === 0 ? addressElsewhere(origin.text, repository) : null;
}

/** Writes the configuration of a clone anew, into `file`. */
export async function configureClone(
	{ git }: GitContext,
	project: ProjectRepository,
	agent: AgentIdentity,
	file: string,
): Promise<void> {
	const [url, identity] = [await originUrlOf(git, project.path), agentIdentity(agent)];
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
