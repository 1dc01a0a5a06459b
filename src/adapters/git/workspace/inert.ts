// What git finds outside at the `.git` of a tree whose git folder is its own, which is mounted over it only inside of
// the sandbox.
//
// With nothing there, git would look on: a HEAD, objects, refs and a configuration that an agent put into its tree
// itself make that a repository, whose programs run. So there is a repository without anything in it, of a kind that no
// git knows: git stops there, and a program that does not mind finds nothing to run.
import { lstat, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";

/** Git names what it does not know, so it says what to do. */
const config =
	"[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tin-a-sandbox-use-brood-agent-diff = true\n";
const head = "ref: refs/heads/none\n";

/** Puts it there, or back where it is not whole. Nobody inside can write it: it is covered by a mount for them. */
export async function makeInert(tree: string): Promise<void> {
	const folder = path.join(tree, ".git");
	if ((await lstat(folder).catch(() => null))?.isSymbolicLink() === true) throw new Error(`${folder} is a link`);
	const [found, stands] = await Promise.all(
		["config", "HEAD"].map(async (name) => await readRegularText(path.join(folder, name)).catch(() => null)),
	);
	await Promise.all(
		["objects", "refs"].map(async (name) => await mkdir(path.join(folder, name), { recursive: true, mode: 0o700 })),
	);
	if (found !== config) await writeFile(path.join(folder, "config"), config);
	if (stands !== head) await writeFile(path.join(folder, "HEAD"), head);
}
