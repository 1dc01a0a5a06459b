// Files and folders whose path is longer than the system takes, and files that are too large to read: what can be kept
// and shown is, and what cannot is named in few words.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRefusal } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { hasSandboxes } from "#test/support/processes.ts";

import { agreed, type World, write } from "#test/support/world.ts";

const part = "x".repeat(200);
const half = Array.from({ length: 15 }, () => part).join("/");
/** a path in a message is cut to about this */
const shortMax = 300;
const tooLong = /^deep\/x+…/;

/** Folders in each other, in two moves: no path on the way is too long, and the last one is. */
function makeDeep(folder: string): void {
	const lower = path.join(folder, "lower");
	mkdirSync(path.join(lower, half), { recursive: true });
	writeFileSync(path.join(lower, half, "lost"), "lost\n");
	mkdirSync(path.join(folder, "deep", half), { recursive: true });
	renameSync(lower, path.join(folder, "deep", half, "lower"));
}

/** The path of the folder is not too long, and that of the file in it is. */
function makeLongFile(folder: string): void {
	const place = path.join(folder, "deep");
	mkdirSync(place);
	const mounts = 4095 - Buffer.byteLength(place);
	const names = Array.from({ length: Math.floor(mounts / 201) }, () => part);
	mkdirSync(path.join(place, ...names), { recursive: true });
	execFileSync("sh", ["-c", `echo long > ${"y".repeat(250)}`], { cwd: path.join(place, ...names) });
}

async function worldWith(
	make: (folder: string) => void,
	sandbox: boolean,
): Promise<{ world: World; checkout: Checkout }> {
	const world = makeWorld(sandbox ? { containment: "bubblewrap" } : {});
	// before the world itself is removed by Node, which cannot do this
	onTestFinished(() => void execFileSync("rm", ["-rf", world.home]));
	if (sandbox) world.configure("sandbox: on\n");
	const checkout = await world.agent("a");
	make(checkout.workspace.path);
	return { world, checkout };
}

const cases = [
	{ what: "a folder", make: makeDeep, sandbox: false },
	{ what: "a file", make: makeLongFile, sandbox: false },
	...(hasSandboxes ? [{ what: "a folder", make: makeDeep, sandbox: true }] : []),
];

describe.each(cases)("$what with a path that is too long (sandbox: $sandbox)", ({ make, sandbox }) => {
	test("is named by the snapshot, which keeps everything else", async () => {
		const { world, checkout } = await worldWith(make, sandbox);
		write(checkout.workspace.path, "kept.txt", "kept\n");
		const { snapshot } = await world.workspaces.takeSnapshot(checkout, { reason: "test", turn: 1 });
		expect(snapshot.missing).toEqual([{ path: expect.stringMatching(tooLong), reason: "a path that is too long" }]);
		expect(snapshot.missing[0]?.path.length).toBeLessThan(shortMax);
		expect(world.git(checkout.project.path, "show", `${snapshot.commit}:tree/kept.txt`)).toBe("kept");
	});

	test("is named by diff and by commit, which take everything else", async () => {
		const { world, checkout } = await worldWith(make, sandbox);
		const left = [{ path: expect.stringMatching(tooLong), reason: "a path that is too long" }];
		expect(agreed(await world.workspaces.diff(checkout, { kind: "base" }))).toMatchObject({ files: [], omitted: left });
		const nothing = expectRefusal(await world.workspaces.commit(checkout, { message: "x" }), "AGENT_NO_COMMIT");
		expect(nothing).toMatchObject({ details: { omitted: left } });
		expect(nothing.message).toMatch(
			/^p\/a has nothing to commit\. Left out: deep\/x+…[^ ]+ \(a path that is too long\)\.$/,
		);
		expect(agreed(await world.workspaces.branchStatus(checkout)).uncommitted).toBe(true);
		write(checkout.workspace.path, "kept.txt", "kept\n");
		for (const against of ["base", "index"] as const) {
			const diff = agreed(await world.workspaces.diff(checkout, { kind: against }));
			expect(diff).toMatchObject({ files: [{ path: "kept.txt", added: 1 }], omitted: left });
			expect(JSON.stringify(diff.omitted).length).toBeLessThan(shortMax + 100);
		}
		expect(agreed(await world.workspaces.commit(checkout, { message: "x" }))).toMatchObject({
			files: [{ path: "kept.txt" }],
			omitted: left,
		});
		// the control: of a tree without it nothing is left
		const other = await world.agent("b");
		write(other.workspace.path, "kept.txt", "kept\n");
		expect(agreed(await world.workspaces.diff(other, { kind: "base" })).omitted).toEqual([]);
	});

	test("is no reason to fail for delete: it goes to the trash", async () => {
		const { world, checkout } = await worldWith(make, sandbox);
		write(checkout.workspace.path, "kept.txt", "kept\n");
		expectRefusal(await world.workspaces.remove(checkout), "WORKTREE_DIRTY");
		const removed = agreed(await world.workspaces.remove(checkout, { force: true }));
		expect(existsSync(checkout.workspace.path)).toBe(false);
		expect(removed.snapshot).toMatch(/^\d+$/);
		expect(readFileSync(path.join(removed.trash ?? "", "files", "kept.txt"), "utf8")).toBe("kept\n");
		expect(existsSync(path.join(removed.trash ?? "", "files", "deep"))).toBe(true);
	});
});

test("a file that is tracked is never taken for one that cannot be kept", async () => {
	const { world, checkout } = await worldWith(makeDeep, false);
	write(checkout.workspace.path, "a.txt", "changed\n");
	const diff = agreed(await world.workspaces.diff(checkout, { kind: "base" }));
	expect(diff.files.map((file) => file.path)).toEqual(["a.txt"]);
	expect(isRefusal(await world.workspaces.commit(checkout, { message: "x", paths: ["a.txt"] }))).toBe(false);
});

/** Takes no room on the disk; just above what a snapshot holds. */
const largeBytes = 100 * 1024 * 1024 + 1;
const sparse = (file: string): void => {
	writeFileSync(file, "");
	truncateSync(file, largeBytes);
};

describe("a large file", () => {
	test.each([false, ...(hasSandboxes ? [true] : [])])(
		"that is untracked is named by diff and not read (sandbox: %s)",
		async (sandbox) => {
			const { world, checkout } = await worldWith((folder) => sparse(path.join(folder, "large.bin")), sandbox);
			const other = await world.agent("b");
			write(other.workspace.path, "b.txt", "b\n");
			const reason = `untracked, ${largeBytes} bytes: too large to show`;
			const left = [{ path: "large.bin", reason }];
			write(checkout.workspace.path, "kept.txt", "kept\n");
			for (const kind of ["base", "index"] as const) {
				const diff = agreed(await world.workspaces.diff(checkout, { kind }));
				expect([diff.files.map((file) => file.path), diff.omitted]).toEqual([["kept.txt"], left]);
			}
			const mine = agreed(await world.workspaces.diff(checkout, { kind: "agent", checkout: other }));
			expect([mine.files.map((file) => file.path), mine.omitted]).toEqual([["b.txt", "kept.txt"], left]);
			const theirs = agreed(await world.workspaces.diff(other, { kind: "agent", checkout }));
			expect([theirs.files.map((file) => file.path), theirs.omitted]).toEqual([
				["b.txt", "kept.txt"],
				[{ path: "large.bin", reason: `in p/a: ${reason}` }],
			]);
		},
	);

	test("that git knows is shown", async () => {
		const { world, checkout } = await worldWith((folder) => write(folder, "large.bin", "small\n"), false);
		agreed(await world.workspaces.commit(checkout, { message: "small" }));
		sparse(path.join(checkout.workspace.path, "large.bin"));
		const changed = agreed(await world.workspaces.diff(checkout, { kind: "index" }));
		expect([changed.files, changed.omitted]).toEqual([
			[{ path: "large.bin", from: null, added: null, deleted: null }],
			[],
		]);
		// taken out of the index it is untracked, and still a change to a file of the last commit
		world.git(checkout.workspace.path, "rm", "-q", "--cached", "large.bin");
		const taken = agreed(await world.workspaces.diff(checkout, { kind: "index" }));
		expect([taken.files.map((file) => file.path), taken.omitted]).toEqual([["large.bin"], []]);
	});
});
