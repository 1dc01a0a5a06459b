// A submodule's repository is in the git folder of the worktree around it. A copy of the files alone would share it
// with the first worktree, so the copy gets its own.
import { lstat, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { readRegularText } from "#adapters/system/regular-file.ts";
import { gitlink } from "../format/index-file.ts";
import type { Git } from "../run/git.ts";
import { Links, staysInside } from "../tree/links.ts";
import { openTree, type ReadIndex, readIndex, type Tree } from "../tree/tree.ts";
import { copyTree } from "./copy-tree.ts";

export async function copySubmodules(
	git: Git,
	{ from, to, index }: { from: Tree; to: Tree; index: ReadIndex },
): Promise<void> {
	const names = new Set(index.entries.filter(({ mode }) => mode === gitlink).map((entry) => entry.path.toString()));
	const links = new Links(from.folder);
	for (const name of names) {
		const bytes = Buffer.from(name).toString("latin1");
		if (!staysInside(bytes) || (await links.leavesFolder(bytes))) continue;
		const [inside, copied] = [path.join(from.folder, name), path.join(to.folder, name)];
		const link = await lstat(path.join(inside, ".git")).catch(nullIfMissing);
		if (link === null) continue;
		const source = await openTree(inside);
		if (link.isFile()) await giveOwnRepository(git, source, copied, path.join(to.gitFolder, "modules", name));
		const inner = await readIndex(git, source);
		if (inner !== null) await copySubmodules(git, { from: source, to: await openTree(copied), index: inner });
	}
}

async function giveOwnRepository(git: Git, source: Tree, folder: string, gitFolder: string): Promise<void> {
	await mkdir(gitFolder, { recursive: true });
	await copyTree({ from: source.gitFolder, to: gitFolder, leave: new Set() });
	const config = path.join(gitFolder, "config");
	const text = await readRegularText(config);
	await writeFile(path.join(folder, ".git"), `gitdir: ${gitFolder}\n`);
	if (/^\s*worktree\s*=/im.test(text))
		await git(folder, ["config", "--file", config, "core.worktree", folder], {
			environment: { GIT_WORK_TREE: folder },
		});
}
