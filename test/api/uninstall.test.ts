// What `brood uninstall --all` removes from a home: the program that it runs when the daemon has stopped.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { makeGit } from "#adapters/git/run/git.ts";
import { makeHome } from "#adapters/system/home.ts";
import { makePlaygroundRepository } from "#local/playground-repository.ts";
import { programPath } from "#local/programs.ts";
import { freshFolder } from "#test/support/stores.ts";

const git = makeGit({ environment: process.env });

async function homeWithPlayground(): Promise<{ home: string; playground: string }> {
	const home = freshFolder();
	makeHome(home);
	return { home, playground: await makePlaygroundRepository(home, git) };
}

function uninstall(home: string): { remaining: string[] } {
	return run([home], []);
}

function run<T>(args: readonly string[], workspaces: readonly { agent: string; folder: string }[]): T {
	const { stdout } = spawnSync(process.execPath, [programPath("programs/uninstall"), ...args], {
		input: JSON.stringify({ projects: [], agents: [], workspaces }),
		encoding: "utf8",
	});
	return JSON.parse(stdout);
}

test("a playground that nobody has used goes with the home", async () => {
	const { home } = await homeWithPlayground();
	expect([uninstall(home).remaining, existsSync(home)]).toEqual([[], false]);
});

test.each<[what: string, change: (folder: string) => Promise<unknown>]>([
	["a file", async (folder) => writeFileSync(path.join(folder, "mine.txt"), "mine\n")],
	[
		"a commit on an agent's branch",
		async (folder) => {
			const id = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
			const { text } = await git(folder, ["commit-tree", "-p", "HEAD", "-m", "Mine", "HEAD^{tree}"], {
				environment: id,
			});
			await git(folder, ["update-ref", "refs/heads/brood/first", text.trim()]);
		},
	],
])("one with %s stays", async (_, change) => {
	const { home, playground } = await homeWithPlayground();
	await change(playground);
	expect([uninstall(home).remaining, existsSync(playground)]).toEqual([["playground"], true]);
});

test("uncommitted work is found through a link to the home, and a tree that git cannot read may have some", async () => {
	const { home } = await homeWithPlayground();
	const link = path.join(freshFolder(), "link");
	symlinkSync(home, link);
	const folders = ["clean", "dirty", "unreadable"].map((name) => path.join(link, "projects/p/agents", name));
	for (const folder of folders) {
		mkdirSync(folder, { recursive: true });
		await git(folder, ["init", "-q"]);
	}
	const [, dirty = "", unreadable = ""] = folders;
	writeFileSync(path.join(dirty, "new.txt"), "new\n");
	// as the tree of a sandboxed agent is from outside
	writeFileSync(
		path.join(unreadable, ".git/config"),
		"[core]\nrepositoryformatversion = 1\n[extensions]\nnone = true\n",
	);
	const workspaces = folders.map((folder) => ({ agent: path.basename(folder), folder }));
	expect(run([link, "--look"], workspaces)).toEqual([
		{ agent: "dirty", files: 1 },
		{ agent: "unreadable", files: null },
	]);
});
