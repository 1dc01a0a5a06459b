import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "#test/support/stores.ts";
import { copyAside } from "./copy-aside.ts";

const makePipe = "mkfifo";

test("a copy has every file byte for byte, also under names that are not UTF-8, and no pipes", async () => {
	const root = freshFolder();
	const [from, to] = [path.join(root, "from"), path.join(root, "to")];
	mkdirSync(path.join(from, "folder"), { recursive: true });
	const strange = (folder: string): Buffer =>
		Buffer.concat([Buffer.from(`${folder}/folder/`), Buffer.from([0x62, 0xff])]);
	writeFileSync(strange(from), "strange");
	writeFileSync(path.join(from, "program"), "#!/bin/sh\n", { mode: 0o755 });
	symlinkSync("/nowhere", path.join(from, "link"));
	execFileSync(makePipe, [path.join(from, "pipe")]);
	await copyAside(Buffer.from(from), Buffer.from(to));
	expect(readdirSync(from)).toEqual(["folder", "link", "pipe", "program"]);
	expect(readdirSync(to)).toEqual(["folder", "link", "program"]);
	expect(readFileSync(strange(to), "utf8")).toBe("strange");
	expect(readlinkSync(path.join(to, "link"))).toBe("/nowhere");
	const { mode, mtimeMs } = statSync(path.join(from, "program"));
	expect(statSync(path.join(to, "program"))).toMatchObject({ mode, mtimeMs: expect.closeTo(mtimeMs, 0) });
	await expect(copyAside(Buffer.from(from), Buffer.from(to))).rejects.toThrow("EEXIST");
});
