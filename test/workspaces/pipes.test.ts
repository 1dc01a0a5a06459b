// Pipes, devices and links where git and Brood expect files: nobody waits for them, and nothing is read through them.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readOperation } from "#adapters/git/tree/operation.ts";
import { lockfileHash } from "#adapters/git/workspace/shared.ts";
import { readRegular } from "#adapters/system/regular-file.ts";
import { makeWorld } from "#test/support/make-world.ts";
import { available } from "#test/support/processes.ts";
import { freshFolder } from "#test/support/stores.ts";
import { agreed, read, write } from "#test/support/world.ts";

const makePipe = "mkfifo";
const pipe = (file: string): string => {
	execFileSync(makePipe, [file]);
	return file;
};

/** More than the threads that read files for all of this process. */
const many = 16;

test("only regular files are read: no pipe, device, folder or link", async () => {
	const folder = freshFolder();
	writeFileSync(path.join(folder, "file"), "words");
	symlinkSync("file", path.join(folder, "link"));
	mkdirSync(path.join(folder, "folder"));
	const answers = await Promise.allSettled([
		readRegular(path.join(folder, "file")),
		...[pipe(path.join(folder, "pipe")), path.join(folder, "link"), path.join(folder, "folder"), "/dev/zero"].map(
			(file) => readRegular(file),
		),
		readRegular(path.join(folder, "file"), { bytesMax: 3 }),
	]);
	expect(answers.map(({ status }) => status)).toEqual([
		"fulfilled",
		"rejected",
		"rejected",
		"rejected",
		"rejected",
		"rejected",
	]);
	expect((await readRegular(path.join(folder, "link"), { follow: true })).toString()).toBe("words");
});

test("pipes in a workspace keep no thread waiting", async () => {
	const world = makeWorld();
	const checkout = await world.agent("a");
	const gitFolder = world.git(checkout.workspace.path, "rev-parse", "--absolute-git-dir");
	renameSync(path.join(gitFolder, "commondir"), path.join(gitFolder, "commondir.kept"));
	pipe(path.join(gitFolder, "commondir"));
	pipe(path.join(gitFolder, "MERGE_RR"));
	pipe(path.join(checkout.workspace.path, "package-lock.json"));
	const looks = Array.from({ length: many }, async () => [
		await world.workspaces.health(checkout),
		await lockfileHash(checkout.workspace.path),
		(await readOperation({ gitFolder })).size,
	]);
	// other reads of files still work meanwhile
	expect(await readFile(path.join(world.repository, "a.txt"), "utf8")).toContain("one");
	for (const [health, , found] of await Promise.all(looks)) {
		expect(health).toMatchObject({
			healthy: false,
			issues: [{ code: "NOT_OURS", text: expect.stringMatching(/commondir is not a regular file/) }],
		});
		expect(found).toBe(0);
	}
	rmSync(path.join(gitFolder, "commondir"));
	renameSync(path.join(gitFolder, "commondir.kept"), path.join(gitFolder, "commondir"));
	expect((await world.workspaces.health(checkout)).healthy).toBe(true);
});

test.each(["none", ...available.filter((level) => level === "bubblewrap")] as const)(
	"a pipe where git expects a file of the tree is named at once, and a recover removes only it (sandbox: %s)",
	async (containment) => {
		const world = makeWorld(containment === "none" ? {} : { containment });
		if (containment !== "none") world.configure("sandbox: on\n");
		const checkout = await world.agent("a");
		const { path: folder } = checkout.workspace;
		write(folder, "work.txt", "w\n");
		pipe(path.join(folder, ".gitattributes"));
		const { healthy, issues } = await world.workspaces.health(checkout);
		expect([healthy, issues.map(({ text, fix }) => [text, fix])]).toEqual([
			false,
			[[`${folder}/.gitattributes is not a regular file.`, "brood agent recover p/a"]],
		]);
		mkdirSync(path.join(folder, "sub"));
		pipe(path.join(folder, "sub", ".gitignore"));
		const other = pipe(path.join(folder, "sub", "mine"));
		const { text } = agreed(await world.workspaces.recover(checkout));
		expect(text).toContain("Nothing is wrong with your workspace any more. Your files were left as they are.");
		expect([read(folder, "work.txt"), existsSync(other)]).toEqual(["w\n", true]);
		expect((await world.workspaces.health(checkout)).healthy).toBe(true);
		// the control: without such a pipe the tree is cleaned, and the work is in the snapshot
		agreed(await world.workspaces.recover(checkout));
		expect([existsSync(path.join(folder, "work.txt")), existsSync(other)]).toEqual([false, true]);
	},
);

test("links in a git folder are not read as what an operation left", async () => {
	const world = makeWorld();
	const { workspace } = await world.agent("a");
	const gitFolder = world.git(workspace.path, "rev-parse", "--absolute-git-dir");
	const outside = freshFolder();
	writeFileSync(path.join(outside, "onto"), "secret");
	symlinkSync(path.join(outside, "onto"), path.join(gitFolder, "ORIG_HEAD"));
	symlinkSync(outside, path.join(gitFolder, "rebase-merge"));
	expect([...(await readOperation({ gitFolder })).keys()]).toEqual([]);
	expect(readFileSync(path.join(gitFolder, "ORIG_HEAD"), "utf8")).toBe("secret");
});
