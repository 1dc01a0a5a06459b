// Whether files are as git has just read them, without git: the same bytes, mode and kind.
import { execFileSync } from "node:child_process";
import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { cachedTree } from "#adapters/git/format/index-file.ts";
import { areUnchanged } from "#adapters/git/snapshot/unchanged.ts";
import { openTree, readIndexFile } from "#adapters/git/tree/tree.ts";
import { freshRepository } from "#test/support/repository.ts";

const folder = freshRepository({ file: "text\n", large: "x".repeat(300_000) });
const at = (name: string): string => path.join(folder, name);
const git = (...args: string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trimEnd();

test("files that changed in bytes, mode or kind are not as they were read; git compares large ones", async () => {
	symlinkSync("file", at("link"));
	git("add", "-A");
	const tree = await openTree(folder);
	const held = await readIndexFile(at(".git/index"), 20);
	if (held === null) throw new Error("no index");
	const look = async (...names: string[]): Promise<boolean | null> => await areUnchanged(tree, held, names);
	expect(await look("file", "link")).toBe(true);
	expect([await look("large"), await look("unknown")]).toEqual([null, null]);
	// the size and the time stay
	writeFileSync(at("file"), "tex2\n");
	expect(await look("file", "link")).toBe(false);
	writeFileSync(at("file"), "text\n");
	chmodSync(at("file"), 0o755);
	expect(await look("file")).toBe(false);
	chmodSync(at("file"), 0o644);
	expect(await look("file", "link")).toBe(true);
	// one that was not read, and is not as the index has it
	writeFileSync(at("large"), "y");
	expect(await look("file", "link")).toBeNull();
	renameSync(at("file"), at("moved"));
	symlinkSync("moved", at("file"));
	expect(await look("file")).toBe(false);
	rmSync(at("link"));
	expect(await look("link")).toBe(false);
});

test("the tree in an index is the one that git would write, and gone once something is staged", async () => {
	const written = git("write-tree");
	const noted = async (): Promise<string | null> => {
		const index = await readIndexFile(at(".git/index"), 20);
		return index === null ? null : cachedTree(index, 20);
	};
	expect(await noted()).toBe(written);
	writeFileSync(at("file2"), "more");
	git("add", "file2");
	expect(await noted()).toBeNull();
});
