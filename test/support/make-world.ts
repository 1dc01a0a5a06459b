// A world for one test, gone when the test is over; and what a test expects of a refusal.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { isRefusal, type Refusal, type RefusalCode } from "#contract/refusal.ts";
import { World, write } from "./world.ts";

/** A repository with one commit on `main`, and a home beside it. */
export function makeWorld(options: { empty?: boolean } = {}): World {
	const root = realpathSync(mkdtempSync(path.join(tmpdir(), "brood-world-")));
	onTestFinished(() => rmSync(root, { recursive: true, force: true }));
	const world = new World(root);
	write(root, ".gitconfig", "[user]\n\tname = person\n\temail = person@example.invalid\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n");
	mkdirSync(world.home);
	mkdirSync(world.repository);
	world.git(world.repository, "init", "-q");
	if (options.empty !== true) world.commit(world.repository, { "a.txt": "one\ntwo\nthree\n", "folder/b.txt": "b\n", ".gitignore": "*.log\n.env\n" }, "first");
	return world;
}

export function refused<T extends object>(answer: T | Refusal, code: RefusalCode): Refusal {
	expect(isRefusal(answer) ? answer.code : answer).toBe(code);
	if (!isRefusal(answer)) throw new Error("it was not refused");
	return answer;
}
