import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { removeFolder } from "./remove.ts";

/** 30 folders in each other, in two moves: no path on the way is too long, and the last one is. */
function makeDeep(tree: string): void {
	const half = Array.from({ length: 15 }, () => "x".repeat(200)).join("/");
	const lower = `${tree}-lower`;
	mkdirSync(path.join(lower, half), { recursive: true });
	mkdirSync(path.join(tree, half), { recursive: true });
	renameSync(lower, path.join(tree, half, "lower"));
}

test("a tree deeper than the longest path is removed, and the targets of its links stay", async () => {
	const base = mkdtempSync(path.join(os.tmpdir(), "brood-remove-"));
	const tree = path.join(base, "tree");
	makeDeep(tree);
	writeFileSync(path.join(base, "outside"), "stays");
	symlinkSync(base, path.join(tree, "link"));
	// the control: Node alone cannot
	await expect(rm(tree, { recursive: true, force: true })).rejects.toThrow(/ENAMETOOLONG/);
	await removeFolder(tree);
	expect([existsSync(tree), await readdir(base)]).toEqual([false, ["outside"]]);
	await removeFolder(tree);
	rmSync(base, { recursive: true });
});
