// The git folder of an agent in a sandbox: a repository of its own that borrows the project's objects.
//
// The problem. An agent in a sandbox runs whatever it likes, and works with git. A worktree of the project would let it
// write the project's git folder: configuration that names programs, links in the place of files, objects that others
// depend on. The daemon's git, outside of the sandbox, would read all of that.
//
// What always holds
//   - Nothing outside of the sandbox opens a file that somebody inside could have written: not the tree, not the git
//     folder. Folders are only renamed, into the trash.
//   - Nothing inside can change the project. The project's objects are mounted read-only and named in
//     `objects/info/alternates`.
//   - What comes out is named outside and checked: objects in a pack, through a pipe, into a quarantine, and only then
//     refs.
//   - What a workspace borrows stays: refs under `refs/brood/borrows/<agent>/` keep `git gc` from taking it.
//   - Whether a workspace is of this kind is said by a mark where nobody inside can write (`layout.ownMark`), and by
//     nothing else.
//
// The steps of its making (`make.ts`)
//   1. the tree's folder, with an inert `.git` in it: a person's git, run there, stops instead of obeying what it finds
//   2. this file: the git folder from nothing, with the few settings of the project's configuration that change what
//      files look like, the branch at its start, and where base is. No hook, no filter and no included file comes along
//   3. the files: checked out here while nobody has seen the folder yet, or copied from a parent by the program inside
//   4. the mark, then the refs that keep what is borrowed, then the branch in the project
// From the first turn on every step of git in that workspace is done by our own program inside the sandbox
// (`inside.ts`, asked through `ask.ts`). It runs the same code as everywhere; what it cannot see from there comes with
// the request. Each answer has a schema, a size and a deadline; a program that breaks one of these is killed with its
// sandbox.
//
// A crash. Until the mark is there, an intent outside names what is being made, and the next call discards it. A step
// that died inside has changed nothing outside: refs are written after the objects, and the quarantine of a dead
// process is a folder among the objects that nothing refers to, and git's own garbage collection removes it. Where the
// git folder itself is damaged, `recover` puts it into the trash and makes a new one at the tip that last came out; the
// files stay.
//
// Why not another way
//   - reading carefully outside: git reads these files, and does not read carefully
//   - a full clone per agent: minutes and gigabytes for a large repository
//   - `git fetch` out of it: the refs would be the agent's to name, and its `upload-pack` would run outside
// Decision 21 (docs/decisions/0021-a-git-folder-of-its-own.md) has the attacks that led here.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { AgentIdentity, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { branchRef } from "../format/refs.ts";
import type { Git } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { commitOf, withoutSecrets } from "../run/user-input.ts";
import { quickCheckout } from "../tree/checkout.ts";
import { identityOf } from "../workspace/git-context.ts";

export interface OwnRepositoryRequest {
	project: ProjectRepository;
	/** null for a tree that is nobody's, such as that of a check */
	agent: AgentIdentity | null;
	/** where the git folder is to be; `.git` in the tree for one that goes away with it */
	gitFolder: string;
	/** null for a HEAD that is on no branch */
	branch: string | null;
	base: string | null;
	start: string | null;
}

/** settings of the project's repository that change what files look like */
const looks = "^core\\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|longpaths)$";

/** A git folder with a HEAD and no index yet. */
export async function makeOwnRepository(
	git: Git,
	{ project, agent, gitFolder, branch, base, start }: OwnRepositoryRequest,
): Promise<void> {
	const { commonFolder } = await repositoryPathsOf(project.path, {});
	if (commonFolder === null) throw new Error(`${project.path} is no repository`);
	const [upstream, shape, format, seen] = await Promise.all([
		git(project.path, ["config", "--local", "--get", "remote.origin.url"], { answers: [1] }),
		git(project.path, ["config", "--local", "--get-regexp", "-z", looks], { answers: [1] }),
		git(project.path, ["rev-parse", "--show-object-format"]),
		base === null ? null : commitOf(git, project.path, `refs/heads/${base}`),
	]);
	await mkdir(gitFolder, { recursive: true, mode: 0o700 });
	await Promise.all(
		["objects/info", "objects/pack", "refs/heads", "info"].map((name) =>
			mkdir(path.join(gitFolder, name), { recursive: true }),
		),
	);
	const url = upstream.code === 0 ? withoutSecrets(upstream.text) : "";
	const settings: [string, string][] = [
		["core.bare", "false"],
		["core.logallrefupdates", "true"],
		...shapeOf(shape.bytes.toString()),
		...(agent === null ? [] : identitySettings(agent)),
		["remote.brood.url", project.path],
		["remote.brood.fetch", "+refs/heads/*:refs/remotes/brood/*"],
		...(url === "" || url.startsWith("-")
			? []
			: ([
					["remote.origin.url", url],
					["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
				] satisfies [string, string][])),
	];
	await Promise.all([
		writeFile(path.join(gitFolder, "HEAD"), branch === null ? `${start}\n` : `ref: ${branchRef(branch)}\n`),
		writeFile(path.join(gitFolder, "config"), configText(format.text, settings)),
		writeFile(path.join(gitFolder, "objects/info/alternates"), `${path.join(commonFolder, "objects")}\n`),
		...["shallow", "info/exclude"].map(async (name) => await bring(commonFolder, gitFolder, name)),
	]);
	const refs: [string, string | null][] = [
		...(branch === null ? [] : ([[branchRef(branch), start]] satisfies [string, string | null][])),
		...(base === null ? [] : ([[`refs/remotes/brood/${base}`, seen]] satisfies [string, string | null][])),
	];
	const input = refs.flatMap(([ref, commit]) => (commit === null ? [] : [`update ${ref}\0${commit}\0\0`])).join("");
	if (input !== "")
		await git(gitFolder, ["update-ref", "-z", "--stdin"], { input, environment: { GIT_DIR: gitFolder } });
}

const identitySettings = (agent: AgentIdentity): [string, string][] => {
	const identity = identityOf(agent);
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

async function bring(from: string, to: string, name: string): Promise<void> {
	const text = await readRegularText(path.join(from, name)).catch(() => null);
	if (text !== null) await writeFile(path.join(to, name), text);
}

const checkoutTimeoutMs = 10 * 60 * 1000;

/** The files of HEAD in a tree that nobody has seen yet. */
export async function checkOutOwn(git: Git, folder: string, gitFolder: string, start: string | null): Promise<void> {
	await mkdir(path.join(folder, ".git"), { recursive: true });
	if (start === null) return;
	await git(folder, [...quickCheckout, "read-tree", "-m", "-u", "HEAD"], {
		timeoutMs: checkoutTimeoutMs,
		environment: { GIT_DIR: gitFolder, GIT_WORK_TREE: folder },
	});
}
