import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { ProjectSlug } from "#contract/ids.ts";
import { folderIssueWork } from "./issue-work.ts";

/** a program of the machine, not of a package */
const makePipe = "mkfifo";

test("a pipe or a link in the place of a document is replaced, and neither waited for nor followed", async () => {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-issue-"));
	const issue = { project: ProjectSlug.parse("p"), number: 1 };
	const documents = path.join(home, "projects/p/issues/1/documents");
	mkdirSync(documents, { recursive: true });
	execFileSync(makePipe, [path.join(documents, "pipe.md")]);
	writeFileSync(path.join(home, "precious"), "mine");
	symlinkSync(path.join(home, "precious"), path.join(documents, "link.md"));
	const names = ["pipe.md", "link.md"];
	await folderIssueWork({ home, environment: {} }).folder(
		issue,
		names.map((name) => ({ name, text: "words" })),
	);
	expect(names.map((name) => readFileSync(path.join(documents, name), "utf8"))).toEqual(["words", "words"]);
	expect(readFileSync(path.join(home, "precious"), "utf8")).toBe("mine");
});

test("a document goes into the folder that its name begins with, and through no link", async () => {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-issue-"));
	const folder = path.join(home, "projects/p/issues/1");
	const work = folderIssueWork({ home, environment: {} });
	mkdirSync(folder, { recursive: true });
	mkdirSync(path.join(home, "elsewhere"));
	symlinkSync(path.join(home, "elsewhere"), path.join(folder, "context"));
	const names = ["specs/s.md", "ai_docs/deep/a.md", "plan.md", "other/b.md", "context/c.md"];
	await work.folder(
		{ project: ProjectSlug.parse("p"), number: 1 },
		names.map((name) => ({ name, text: name })),
	);
	const found = ["specs/s.md", "ai_docs/deep/a.md", "documents/plan.md", "documents/other/b.md"];
	expect(found.map((name) => readFileSync(path.join(folder, name), "utf8"))).toEqual(names.slice(0, 4));
	expect(readdirSync(path.join(home, "elsewhere"))).toEqual([]);
});
