// A world for one test, gone when the test is over; and what a test expects of a refusal.
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";
import type { ContainmentLevel } from "#contract/config.ts";
import { isRefusal, type Refusal, type RefusalCode } from "#contract/refusal.ts";
import type { Retention } from "#contract/retention.ts";
import { World, write } from "./world.ts";

const templates = new Map<boolean, string>();
afterAll(() => {
	for (const root of templates.values()) rmSync(root, { recursive: true, force: true });
});

interface WorldOptions {
	empty?: boolean;
	/** not below `/tmp`, which is another one in a sandbox */
	below?: string;
	containment?: ContainmentLevel;
	retention?: Retention;
	hides?(): Promise<readonly string[]>;
	fetchWaitMs?: number;
}

/** A repository with one commit on `main`, or none, and a home beside it. */
export function makeWorld({
	empty = false,
	below = path.join(tmpdir(), "brood-world-"),
	...options
}: WorldOptions = {}): World {
	const root = realpathSync(mkdtempSync(below));
	onTestFinished(() => rmSync(root, { recursive: true, force: true }));
	cpSync(template(empty), root, { recursive: true });
	return new World(root, options);
}

/** Made once: git takes longer to make a repository than the disk takes to copy one. */
function template(empty: boolean): string {
	const known = templates.get(empty);
	if (known !== undefined) return known;
	const root = realpathSync(mkdtempSync(path.join(tmpdir(), "brood-template-")));
	const world = new World(root);
	write(
		root,
		".gitconfig",
		"[user]\n\tname = person\n\temail = person@example.invalid\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n",
	);
	mkdirSync(world.home);
	mkdirSync(world.repository);
	world.git(world.repository, "init", "-q");
	rmSync(path.join(world.repository, ".git/hooks"), { recursive: true });
	if (!empty)
		world.commit(
			world.repository,
			{ "a.txt": "one\ntwo\nthree\n", "folder/b.txt": "b\n", ".gitignore": "*.log\n.env\n" },
			"first",
		);
	templates.set(empty, root);
	return root;
}

export function expectRefusal<T extends object>(answer: T | Refusal, code: RefusalCode): Refusal {
	expect(isRefusal(answer) ? answer.code : answer).toBe(code);
	if (!isRefusal(answer)) throw new Error("it was not refused");
	return answer;
}
