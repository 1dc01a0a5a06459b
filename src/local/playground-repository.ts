// The repository of the project `playground`, for the first start and for `brood demo`.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

export const playground = "playground";

const author = {
	GIT_AUTHOR_NAME: "brood",
	GIT_AUTHOR_EMAIL: "brood@brood.local",
	GIT_COMMITTER_NAME: "brood",
	GIT_COMMITTER_EMAIL: "brood@brood.local",
};

type RunGit = (folder: string, args: string[], options: { environment: Record<string, string> }) => Promise<unknown>;

/** A repository with one commit, so that there is something to start from. An existing one is not changed. */
export async function makePlaygroundRepository(home: string, git: RunGit): Promise<string> {
	const folder = path.join(home, playground);
	if (existsSync(path.join(folder, ".git"))) return folder;
	mkdirSync(folder, { recursive: true });
	writeFileSync(
		path.join(folder, "README.md"),
		"# Playground\n\nA repository to try things in. Nothing here is precious.\n",
	);
	const run = async (...args: string[]) => await git(folder, args, { environment: author });
	await run("init", "--quiet", "--initial-branch=main");
	await run("add", "--", "README.md");
	await run("commit", "--quiet", "--message=Begin");
	return folder;
}
