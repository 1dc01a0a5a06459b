// A repository with one commit, for tests that only need there to be one.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { freshFolder } from "./stores.ts";

export function freshRepository(files: Readonly<Record<string, string>> = { "README.md": "hello\n" }): string {
	const folder = freshFolder();
	const git = (...args: string[]): void =>
		void execFileSync("git", ["-c", "user.name=person", "-c", "user.email=person@localhost", ...args], { cwd: folder });
	git("init", "--quiet", "--initial-branch=main");
	for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
	git("add", "--all");
	git("commit", "--quiet", "--message=begin");
	return folder;
}
