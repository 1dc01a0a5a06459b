import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { checkFiles } from "./check-files.ts";

/** a program of every Unix */
const makePipe = "mkfifo";

const freshFolder = (): string => realpathSync(mkdtempSync(path.join(os.tmpdir(), "brood-test-")));

test("what a call would overwrite is known of files in the workspace, and of nothing else", async () => {
	const [folder, outside] = [freshFolder(), freshFolder()];
	mkdirSync(path.join(folder, "src"));
	writeFileSync(path.join(folder, "src/a.ts"), "\uFEFFone\r\n");
	writeFileSync(path.join(folder, "image"), Buffer.from([0xff, 0xd8, 0]));
	writeFileSync(path.join(folder, "zero"), "a\0b");
	writeFileSync(path.join(folder, "large"), "x".repeat(101));
	writeFileSync(path.join(outside, "secret"), "secret");
	symlinkSync(outside, path.join(folder, "out"));
	symlinkSync(path.join(outside, "secret"), path.join(folder, "link"));
	symlinkSync("nowhere", path.join(folder, "broken"));
	symlinkSync("src", path.join(folder, "alias"));
	execFileSync(makePipe, [path.join(folder, "pipe")]);
	const existing = async (...written: string[]) =>
		(await checkFiles(folder, { paths: [], written, bytesMax: 100 })).existing;
	const text = (at: string, words: string | null) => ({ path: at, exists: true, text: words });
	const whole = path.join(folder, "src/a.ts");
	expect(await existing(whole, "alias/a.ts", "image", "zero", "large", "src/new.ts", "new/b.ts")).toEqual([
		text(whole, "\uFEFFone\r\n"),
		text("alias/a.ts", "\uFEFFone\r\n"),
		text("image", null),
		text("zero", null),
		text("large", null),
		{ path: "src/new.ts", exists: false, text: null },
		{ path: "new/b.ts", exists: false, text: null },
	]);
	expect(
		await existing(
			"link",
			"out/secret",
			path.join(outside, "secret"),
			"broken",
			"pipe",
			"src",
			"src/../src/a.ts",
			"~/x",
		),
	).toEqual([]);
});

test("all texts together have a limit, and so has the number of files", async () => {
	const folder = freshFolder();
	for (const name of ["a", "b", "c"]) writeFileSync(path.join(folder, name), name.repeat(40));
	const check = async (written: readonly string[]) =>
		(await checkFiles(folder, { paths: [], written, bytesMax: 100 })).existing;
	expect((await check(["a", "b", "c"])).map(({ text }) => text?.length ?? null)).toEqual([40, 40, null]);
	expect(await check(Array.from({ length: 100 }, (_, at) => `new${at}`))).toHaveLength(50);
});
