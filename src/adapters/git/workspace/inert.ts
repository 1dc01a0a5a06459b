// The `.git` that git finds outside the sandbox in a sandboxed tree. Inside, the real git folder is mounted over it.
//
// Without it, git would accept the tree itself as a repository if an agent put HEAD, objects, refs and a configuration
// there, and run the programs that are configured. So there is an empty repository with an unknown extension: git stops
// there, and a program that ignores the extension finds nothing to run.
import { lstat, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";

/** Git names the unknown extension in its error, so its name says what to do. */
const config =
	"[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tin-a-sandbox-use-brood-agent-diff = true\n";
const head = "ref: refs/heads/none\n";

/** Makes or repairs it. Nobody inside can write it, because a mount covers it. */
export async function makeInert(tree: string): Promise<void> {
	const folder = path.join(tree, ".git");
	if ((await lstat(folder).catch(() => null))?.isSymbolicLink() === true) throw new Error(`${folder} is a link`);
	const [foundConfig, foundHead] = await Promise.all(
		["config", "HEAD"].map(async (name) => await readRegularText(path.join(folder, name)).catch(() => null)),
	);
	await Promise.all(
		["objects", "refs"].map(async (name) => await mkdir(path.join(folder, name), { recursive: true, mode: 0o700 })),
	);
	if (foundConfig !== config) await writeFile(path.join(folder, "config"), config);
	if (foundHead !== head) await writeFile(path.join(folder, "HEAD"), head);
}
