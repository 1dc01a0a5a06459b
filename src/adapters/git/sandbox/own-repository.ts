// The git folder of an agent in a sandbox: a repository of its own that borrows the project's objects.
//
// The problem. An agent in a sandbox runs any program, and works with git. A worktree of the project would let it write
// the project's git folder: configuration that names programs, links instead of files, objects that others depend on.
// The daemon's git, outside the sandbox, would read all of that.
//
// What always holds
//   - No process outside the sandbox opens a file that the agent can write: not the tree, not the git folder. Folders
//     are only renamed, into the trash. What is read there are paths to compare (`upkeep/borrowers.ts`).
//   - No process inside can change the project. The project's objects are mounted read-only and named in
//     `objects/info/alternates`.
//   - Objects leave the sandbox as a pack, through a pipe, into a quarantine, and are checked there. Refs are named by
//     the daemon, and written last.
//   - Refs under `refs/brood/borrows/<agent>/` protect borrowed objects from `git gc`.
//   - Only a marker that the sandbox cannot write (`layout.ownMarker`) says that a workspace is of this kind.
//
// The steps of its making (`make.ts`)
//   1. the tree's folder, with an inert `.git` in it: a person's git stops there instead of using the agent's files
//   2. this file: a new git folder, with the few settings of git's configuration of the project that change file
//      contents, the branch at its start, and base. No hook, filter or included file is copied
//   3. the files: checked out before the agent has access, or copied from a parent by the worker inside
//   4. the marker, then the branch in the project, then the refs that keep the objects that it borrows
// From the first turn on, our worker inside the sandbox runs every git step of that workspace (`inside.ts`, asked
// through `worker-client.ts`). It runs the same code as outside; what it cannot see comes with the request. Each answer
// has a schema, a maximum size and a deadline; a worker that breaks one of these is killed with its sandbox.
//
// A crash. Until the marker is written, an intent names what is being made, and the next call discards it. A step that
// died inside has changed nothing outside: refs are written after the objects, and git's garbage collection removes the
// quarantine of a dead process. If the git folder is damaged, `recover` moves it into the trash and makes a new one at
// the last imported tip; the files stay.
//
// Why not another way
//   - reading the files carefully outside: git reads them, and not carefully
//   - a full clone per agent: minutes and gigabytes for a large repository
//   - `git fetch` from it: the agent would name the refs, and `upload-pack` would run outside
// Decision 21 (docs/decisions/0021-a-git-folder-of-its-own.md) has the attacks that led here.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { AgentIdentity, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { branchRef } from "../format/refs.ts";
import type { Git } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { addressElsewhere, commitOf } from "../run/user-input.ts";
import { checkOut } from "../tree/checkout.ts";
import { agentIdentity } from "../workspace/git-context.ts";

export interface OwnRepositoryRequest {
	project: ProjectRepository;
	/** null for a tree of no agent, such as that of a check */
	agent: AgentIdentity | null;
	gitFolder: string;
	/** null for a detached HEAD */
	branch: string | null;
	base: string | null;
	start: string | null;
}

/** settings of the project's repository that change file contents */
const contentSettings = "^core\\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|longpaths)$";

/** A git folder with a HEAD and no index yet. */
export async function makeOwnRepository(
	git: Git,
	{ project, agent, gitFolder, branch, base, start }: OwnRepositoryRequest,
): Promise<void> {
	const { commonFolder } = await repositoryPathsOf(project.path, {});
	if (commonFolder === null) throw new Error(`${project.path} is not a repository`);
	const [origin, shape, format, seen] = await Promise.all([
		git(project.path, ["config", "--local", "--get", "remote.origin.url"], { answers: [1] }),
		git(project.path, ["config", "--local", "--get-regexp", "-z", contentSettings], { answers: [1] }),
		git(project.path, ["rev-parse", "--show-object-format"]),
		base === null ? null : commitOf(git, project.path, `refs/heads/${base}`),
	]);
	await mkdir(gitFolder, { recursive: true, mode: 0o700 });
	await Promise.all(
		["objects/info", "objects/pack", "refs/heads", "info"].map((name) =>
			mkdir(path.join(gitFolder, name), { recursive: true }),
		),
	);
	const url = origin.exit === 0 ? addressElsewhere(origin.text, project.path) : null;
	const settings: [string, string][] = [
		["core.bare", "false"],
		["core.logallrefupdates", "true"],
		...shapeOf(shape.bytes.toString()),
		...(agent === null ? [] : identitySettings(agent)),
		...remoteSettings("brood", project.path),
		...(url === null ? [] : remoteSettings("origin", url)),
	];
	await Promise.all([
		writeFile(path.join(gitFolder, "HEAD"), branch === null ? `${start}\n` : `ref: ${branchRef(branch)}\n`),
		writeFile(path.join(gitFolder, "config"), configText(format.text, settings)),
		writeFile(path.join(gitFolder, "objects/info/alternates"), `${path.join(commonFolder, "objects")}\n`),
		...["shallow", "info/exclude"].map(async (name) => await copyIfPresent(commonFolder, gitFolder, name)),
	]);
	const input = [
		branch === null || start === null ? "" : `update ${branchRef(branch)}\0${start}\0\0`,
		base === null || seen === null ? "" : `update refs/remotes/brood/${base}\0${seen}\0\0`,
	].join("");
	if (input !== "")
		await git(gitFolder, ["update-ref", "-z", "--stdin"], { input, environment: { GIT_DIR: gitFolder } });
}

const remoteSettings = (name: string, url: string): [string, string][] => [
	[`remote.${name}.url`, url],
	[`remote.${name}.fetch`, `+refs/heads/*:refs/remotes/${name}/*`],
];

const identitySettings = (agent: AgentIdentity): [string, string][] => {
	const identity = agentIdentity(agent);
	return [
		["user.name", identity["GIT_AUTHOR_NAME"] ?? ""],
		["user.email", identity["GIT_AUTHOR_EMAIL"] ?? ""],
	];
};

const shapeOf = (listed: string): [string, string][] =>
	listed.split("\0").flatMap((entry): [string, string][] => {
		const end = entry.indexOf("\n");
		return end < 0 ? [] : [[entry.slice(0, end), entry.slice(end + 1)]];
	});

function configText(format: string, settings: readonly (readonly [string, string])[]): string {
	const sha256 = format === "sha256";
	const lines = [
		`[core]\n\trepositoryformatversion = ${sha256 ? 1 : 0}\n`,
		...(sha256 ? ["[extensions]\n\tobjectformat = sha256\n"] : []),
	];
	for (const [key, value] of settings) {
		const [section = "", ...rest] = key.split(".");
		const name = rest.pop() ?? "";
		const quoted = `"${value.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
		lines.push(`[${section}${rest.length === 0 ? "" : ` "${rest.join(".")}"`}]\n\t${name} = ${quoted}\n`);
	}
	return lines.join("");
}

async function copyIfPresent(from: string, to: string, name: string): Promise<void> {
	const text = await readRegularText(path.join(from, name)).catch(() => null);
	if (text !== null) await writeFile(path.join(to, name), text);
}

/** The files of HEAD, in a tree that no agent has access to yet. */
export async function checkOutOwn(git: Git, folder: string, gitFolder: string, start: string | null): Promise<void> {
	await mkdir(path.join(folder, ".git"), { recursive: true });
	await checkOut({ git }, { path: folder, start }, { GIT_DIR: gitFolder, GIT_WORK_TREE: folder });
}
