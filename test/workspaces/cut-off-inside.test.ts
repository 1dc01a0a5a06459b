// The end of a daemon, or of what it started in a sandbox, while git is at work in there: the same request under the
// same key completes what is missing, once, and a temporary failure is never stored as its answer.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Agent } from "#contract/wire.ts";
import { at as fileOf } from "#test/support/in-workspace.ts";
import { type AddedAgent, KillableDaemon } from "#test/support/killable-daemon.ts";
import { hasSandboxes, killAll } from "#test/support/processes.ts";
import { git } from "#test/support/test-daemon.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
vi.setConfig({ testTimeout: torture ? 10_800_000 : 120_000, hookTimeout: 60_000 });

let daemon: KillableDaemon;
beforeAll(async () => {
	daemon = await KillableDaemon.start();
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

async function addAgent(): Promise<AddedAgent> {
	const made = await daemon.addAgent({ sandbox: true });
	// the control: its git folder is elsewhere, so that whatever git does in it, it does inside
	expect(readdirSync(path.join(made.folder, ".git"))).not.toContain("index");
	return made;
}

const write = ({ folder }: AddedAgent, name: string, text: string): void =>
	writeFileSync(path.join(folder, name), text);
const read = ({ folder }: AddedAgent, name: string): string => readFileSync(path.join(folder, name), "utf8");
const now = async ({ agent }: AddedAgent): Promise<Agent> =>
	await daemon.client.ask("agent", { params: { agent: agent.id } });
const routeOf = ({ agent }: AddedAgent, verb: string): string => `/api/agents/${agent.id}/${verb}`;
const snapshotHas = ({ agent, repository }: AddedAgent, name: string): string[] =>
	git(repository, "for-each-ref", "--format=%(refname)", `refs/brood/snapshots/${agent.id}`)
		.split("\n")
		.flatMap((ref) =>
			git(repository, "ls-tree", "-r", "--name-only", ref).includes(`tree/${name}`)
				? [git(repository, "show", `${ref}:tree/${name}`)]
				: [],
		);

async function restarted(): Promise<void> {
	await daemon.kill();
	await daemon.start();
}

interface Verb {
	/** commands of git inside, at which it dies; the first one in the gate */
	inside: readonly [word: string, ...words: string[]];
	prepare(at: AddedAgent): Promise<object>;
	/** what is seen from outside when it was done once */
	check(at: AddedAgent, data: ReturnType<typeof JSON.parse>): Promise<void> | void;
}

const verbs: Record<string, Verb> = {
	commit: {
		inside: ["commit", "add", "diff-tree", "for-each-ref", "pack-objects", "rev-parse"],
		prepare: async (at) => {
			write(at, "new.txt", "new\n");
			return { message: "The work" };
		},
		check: ({ repository }, data) => {
			expect(git(repository, "log", "--format=%s", "brood/worker").split("\n")).toEqual(["The work", "begin"]);
			expect([git(repository, "rev-parse", "brood/worker"), git(repository, "show", "brood/worker:new.txt")]).toEqual([
				data.commit,
				"new",
			]);
		},
	},
	approve: {
		inside: ["for-each-ref", "rev-parse", "pack-objects", "write-tree"],
		prepare: async (at) => {
			write(at, "new.txt", "new\n");
			await daemon.post(routeOf(at, "commit"), { message: "Work" });
			return { strategy: "merge" };
		},
		check: ({ repository }, { merged }) => {
			expect(git(repository, "log", "--first-parent", "--format=%H", "main").split("\n")).toHaveLength(2);
			expect([git(repository, "rev-parse", "main"), existsSync(path.join(repository, "new.txt"))]).toEqual([
				merged.commit,
				true,
			]);
		},
	},
	fork: {
		inside: ["update-index", "diff-files", "ls-files", "write-tree"],
		prepare: async (at) => {
			write(at, "new.txt", "untracked\n");
			return { type: "human", name: "child" };
		},
		check: async (at) => {
			const children = (await daemon.client.ask("agents", { query: {} })).filter(
				({ supervisor }) => supervisor === at.agent.id,
			);
			expect(children.map(({ label, holds }) => [label, holds])).toEqual([["idle", []]]);
			expect(
				[...children.map((child) => fileOf(child)), at.folder].map((folder) => read({ ...at, folder }, "new.txt")),
			).toEqual(Array(2).fill("untracked\n"));
		},
	},
	restore: {
		inside: ["read-tree", "update-index", "write-tree", "symbolic-ref", "diff-tree", "pack-objects"],
		prepare: async (at) => {
			write(at, "a.txt", "then\n");
			await daemon.post(routeOf(at, "fork"), { type: "human" });
			write(at, "a.txt", "now\n");
			return { snapshot: "1" };
		},
		check: (at) => {
			expect(read(at, "a.txt")).toBe("then\n");
			expect(snapshotHas(at, "a.txt")).toEqual(expect.arrayContaining(["then", "now"]));
		},
	},
	recover: {
		inside: ["reset", "write-tree", "for-each-ref", "pack-objects"],
		prepare: async (at) => {
			for (const name of ["new.txt", "a.txt"]) write(at, name, "work\n");
			return {};
		},
		check: (at) => {
			expect([existsSync(path.join(at.folder, "new.txt")), read(at, "a.txt")]).toEqual([false, "a\n"]);
			for (const name of ["new.txt", "a.txt"]) expect(snapshotHas(at, name)).toContain("work");
			// its git folder was sound all the time, and is the one that it had
			const trash = path.join(daemon.home, "trash");
			const own = path.basename(path.dirname(path.dirname(at.folder)));
			expect((existsSync(trash) ? readdirSync(trash) : []).filter((name) => name.includes(`${own}-worker`))).toEqual(
				[],
			);
		},
	},
};

/** Whether it came to where it dies, and did; then it is asked again. */
async function cut(
	verb: string,
	{ prepare, check }: Verb,
	die: (where: AddedAgent, key: string, body: object) => Promise<boolean>,
): Promise<boolean> {
	const where = await addAgent();
	const body = await prepare(where);
	const key = `${verb}-${where.agent.project}`;
	const died = await die(where, key, body);
	const again = await daemon.post(routeOf(where, verb), body, key);
	expect(again?.status, `${key} ${again?.text}`).toBeLessThan(300);
	await check(where, JSON.parse(again?.text ?? "").data);
	expect((await now(where)).holds).toEqual([]);
	// and from then on it is the answer
	write(where, "later.txt", "later\n");
	expect(await daemon.post(routeOf(where, verb), body, key)).toEqual(again);
	return died;
}

describe.runIf(hasSandboxes).each(Object.entries(verbs))("%s in a sandbox", (name, verb) => {
	test("is ended by the same request when the daemon was killed over it", async () => {
		let deaths = 0;
		for (const word of torture ? verb.inside : [verb.inside[0]]) {
			for (const when of torture ? (["before", "after"] as const) : (["after"] as const)) {
				const died = await cut(name, verb, async (where, key, body) => {
					daemon.stopInside(when, word);
					const answer = daemon.post(routeOf(where, name), body, key);
					if ((await daemon.stoodInside(answer)) === null) return false;
					await restarted();
					expect(await answer).toBeNull();
					return true;
				});
				if (died) deaths++;
			}
		}
		expect(deaths).toBeGreaterThanOrEqual(torture ? verb.inside.length : 1);
	});

	test.runIf(torture)("is ended by the same request when it was killed by the git outside", async () => {
		let deaths = 0;
		for (let at = 0; ; at++) {
			const died = await cut(name, verb, async (where, key, body) => {
				daemon.dieAt(1 + Math.floor(at / 2), at % 2 === 0 ? "before" : "after");
				await daemon.post(routeOf(where, name), body, key);
				if (!daemon.spare()) return false;
				await restarted();
				return true;
			});
			if (!died) break;
			deaths++;
		}
		expect(deaths).toBeGreaterThan(4);
	});
});

describe.runIf(hasSandboxes)("a step in a sandbox that is cancelled", () => {
	const codeOf = (text: string | undefined): unknown => JSON.parse(text ?? "").error.code;

	test("because its program was killed: that is not the answer to its key", async () => {
		const died = await cut("commit", verbs["commit"] ?? unknown(), async (where, key, body) => {
			daemon.stopInside("after", "add");
			const answer = daemon.post(routeOf(where, "commit"), body, key);
			killAll([parentOf((await daemon.stoodInside(answer)) ?? 0)]);
			const given = await answer;
			expect([given?.status, codeOf(given?.text)]).toEqual([500, "GIT_FAILED"]);
			return true;
		});
		expect(died).toBe(true);
	});

	test("because the daemon stops: it goes on under its key, and the git folder is not taken for damaged", async () => {
		const verb = verbs["recover"] ?? unknown();
		const died = await cut("recover", verb, async (where, key, body) => {
			daemon.stopInside("before", verb.inside[0]);
			const answer = daemon.post(routeOf(where, "recover"), body, key);
			expect(await daemon.stoodInside(answer)).not.toBeNull();
			await daemon.kill("SIGTERM");
			const given = await answer;
			await daemon.start();
			if (given !== null) expect(codeOf(given.text)).toBe("GIT_FAILED");
			return true;
		});
		expect(died).toBe(true);
	});
});

const parentOf = (pid: number): number =>
	Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

function unknown(): never {
	throw new Error("there is no such verb");
}

describe.runIf(hasSandboxes)("a lock in the git folder of a sandbox", () => {
	const lockOf = ({ folder }: AddedAgent): string =>
		path.join(path.dirname(path.dirname(folder)), "git", path.basename(folder), "index.lock");

	test("that git left when the daemon was killed is in nobody's way after the next start", async () => {
		const at = await addAgent();
		write(at, "new.txt", "new\n");
		writeFileSync(lockOf(at), "");
		await restarted();
		const made = await daemon.post(routeOf(at, "commit"), { message: "The work" });
		expect([made?.status, existsSync(lockOf(at))]).toEqual([200, false]);
	});

	test.runIf(torture)("that is younger than the daemon is respected: the control", async () => {
		const at = await addAgent();
		write(at, "new.txt", "new\n");
		writeFileSync(lockOf(at), "");
		const made = await daemon.post(routeOf(at, "commit"), { message: "The work" });
		expect([JSON.parse(made?.text ?? "{}").error?.code, existsSync(lockOf(at))]).toEqual(["GIT_FAILED", true]);
	});
});
