// A repository of an agent's own that borrows the project's objects: nothing is copied, and nothing in it can change the project.
// It is made outside, where nobody has written anything yet; from the first turn on only a room looks into it.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { ProjectPlace, Tenant } from "#engine/workspaces.ts";
import { branchRef } from "../format/refs.ts";
import type { Git } from "../run/git.ts";
import { commitOf, withoutSecrets } from "../run/given.ts";
import { placeOf } from "../run/place.ts";
import { quickCheckout } from "../tree/checkout.ts";
import { identityOf } from "../workspace/ground.ts";

export interface OwnWish {
	project: ProjectPlace;
	/** null for a tree that is nobody's, such as that of a check */
	agent: Tenant | null;
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
export async function makeOwn(git: Git, { project, agent, gitFolder, branch, base, start }: OwnWish): Promise<void> {
	const { commonFolder } = await placeOf(project.path, {});
	if (commonFolder === null) throw new Error(`${project.path} is no repository`);
	const [upstream, shape, format, seen] = await Promise.all([
		git(project.path, ["config", "--local", "--get", "remote.origin.url"], { answers: [1] }),
		git(project.path, ["config", "--local", "--get-regexp", "-z", looks], { answers: [1] }),
		git(project.path, ["rev-parse", "--show-object-format"]),
		base === null ? null : commitOf(git, project.path, `refs/heads/${base}`),
	]);
	await mkdir(gitFolder, { recursive: true, mode: 0o700 });
	await Promise.all(["objects/info", "objects/pack", "refs/heads", "info"].map((name) => mkdir(path.join(gitFolder, name), { recursive: true })));
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
	if (input !== "") await git(gitFolder, ["update-ref", "-z", "--stdin"], { input, environment: { GIT_DIR: gitFolder } });
}

const identitySettings = (agent: Tenant): [string, string][] => {
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
	const lines = [`[core]\n\trepositoryformatversion = ${sha256 ? 1 : 0}\n`, ...(sha256 ? ["[extensions]\n\tobjectformat = sha256\n"] : [])];
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
