// kill -9 of the whole daemon inside a git step, by the very git that it runs: the same request under the same key
// finds what was done, does the rest and nothing twice, and people find their way back with `resume` and `recover`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Agent } from "#contract/wire.ts";
import { type AddedAgent, KillableDaemon } from "#test/support/killable-daemon.ts";
import { git } from "#test/support/test-daemon.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
vi.setConfig({ testTimeout: torture ? 1_800_000 : 120_000, hookTimeout: 60_000 });

let daemon: KillableDaemon;
beforeAll(async () => {
	daemon = await KillableDaemon.start();
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const write = ({ folder }: AddedAgent, name: string, text: string): void =>
	writeFileSync(path.join(folder, name), text);
const commits = ({ folder }: AddedAgent): number => Number(git(folder, "rev-list", "--count", "HEAD"));
const now = async ({ agent }: AddedAgent): Promise<Agent> =>
	await daemon.client.ask("agent", { params: { agent: agent.id } });

function baseHas({ repository }: AddedAgent, name: string): void {
	writeFileSync(path.join(repository, name), "base\n");
	git(repository, "add", "--all");
	git(repository, "-c", "user.name=p", "-c", "user.email=p@localhost", "commit", "--quiet", "--message=more");
}

interface Verb {
	/** the git command that does it */
	word: string;
	prepare(at: AddedAgent): Promise<object>;
	/** what a person sees in the repository when it was done once */
	check(at: AddedAgent, data: ReturnType<typeof JSON.parse>): void;
}

const verbs: Record<string, Verb> = {
	commit: {
		word: "commit",
		prepare: async (at) => {
			write(at, "new.txt", "new\n");
			return { message: "The work\n\n\nwith two paragraphs  " };
		},
		check: (at, data) => {
			expect([commits(at), git(at.folder, "status", "--porcelain"), git(at.folder, "rev-parse", "HEAD")]).toEqual([
				2,
				"",
				data.commit,
			]);
			expect(data).toMatchObject({
				branch: "brood/worker",
				files: [{ status: "A", path: "new.txt" }],
				trailers: { "Brood-Agent": "worker" },
			});
		},
	},
	approve: {
		word: "merge",
		prepare: async (at) => {
			write(at, "new.txt", "new\n");
			await daemon.post(`/api/agents/${at.agent.id}/commit`, { message: "Work" });
			return { strategy: "merge" };
		},
		check: (at, { merged }) => {
			expect(git(at.repository, "log", "--first-parent", "--format=%H", "main").split("\n")).toHaveLength(2);
			expect([git(at.repository, "rev-parse", "main"), existsSync(path.join(at.repository, "new.txt"))]).toEqual([
				merged.commit,
				true,
			]);
		},
	},
	sync: {
		word: "checkout",
		prepare: async (at) => {
			baseHas(at, "base.txt");
			return { strategy: "ff" };
		},
		check: (at, data) => {
			expect([existsSync(path.join(at.folder, "base.txt")), git(at.folder, "status", "--porcelain")]).toEqual([
				true,
				"",
			]);
			expect(data).toMatchObject({
				updated: true,
				text: "Files updated to main: 1 commit (ff).",
				branchStatus: { behind: 0 },
			});
		},
	},
	release: {
		word: "checkout",
		prepare: async (at) => {
			baseHas(at, "base.txt");
			return {};
		},
		check: (at, data) => {
			expect([existsSync(path.join(at.folder, "base.txt")), git(at.folder, "status", "--porcelain")]).toEqual([
				true,
				"",
			]);
			expect(data).toMatchObject({ updated: true, text: "brood/worker was updated to main: 1 commit." });
		},
	},
	restore: {
		word: "read-tree",
		prepare: async (at) => {
			write(at, "a.txt", "then\n");
			await daemon.post(`/api/agents/${at.agent.id}/fork`, { type: "human" });
			write(at, "a.txt", "now\n");
			return { snapshot: "1" };
		},
		check: (at, data) => {
			expect([readFileSync(path.join(at.folder, "a.txt"), "utf8"), data.snapshot]).toEqual(["then\n", "2"]);
			expect(git(at.repository, "show", `refs/brood/snapshots/${at.agent.id}/2:tree/a.txt`)).toBe("now");
		},
	},
};

type Death = [count: number, when: "before" | "after", word: string];

/** Where in the verb it dies: everywhere, or right after it was done, and for one of them before anything was. */
const deathsOf = (verb: string, word: string): Death[] => {
	if (!torture) return [...(verb === "commit" ? [[1, "before", ""] satisfies Death] : []), [1, "after", word]];
	return Array.from(
		{ length: 80 },
		(_, index) => [1 + Math.floor(index / 2), index % 2 === 0 ? "before" : "after", ""] satisfies Death,
	);
};

describe.each(Object.entries(verbs))("%s", (verb, { word, prepare, check }) => {
	test("that the daemon died in is ended by the same request, once", async () => {
		let deaths = 0;
		for (const [count, when, at] of deathsOf(verb, word)) {
			const where = await daemon.addAgent();
			const body = await prepare(where);
			const [route, key] = [`/api/agents/${where.agent.id}/${verb}`, `${verb}-${count}-${when}-${at}`];
			daemon.dieAt(count, when, at);
			const cut = await daemon.post(route, body, key);
			const died = daemon.spare();
			// it may also die of what goes on after the answer
			expect(cut !== null || died).toBe(true);
			if (died) await restarted();
			const again = await daemon.post(route, body, key);
			expect(again?.status, `${key} ${again?.text}`).toBe(200);
			if (cut !== null) expect(again).toEqual(cut);
			check(where, JSON.parse(again?.text ?? "").data);
			expect((await now(where)).holds).toEqual([]);
			// and from then on it is the answer
			write(where, "later.txt", "later\n");
			expect(await daemon.post(route, body, key)).toEqual(again);
			if (!died) break;
			deaths++;
		}
		expect(deaths).toBeGreaterThanOrEqual(torture ? 8 : 1);
	});
});

async function restarted(): Promise<void> {
	await daemon.kill();
	await daemon.start();
}

describe("without the same request", () => {
	/** A daemon that died over a commit that was not made, with files that are in no commit. */
	async function cutOff(): Promise<AddedAgent> {
		const at = await daemon.addAgent();
		for (const name of ["new.txt", "a.txt"]) write(at, name, "work\n");
		daemon.dieAt(1, "before", "commit");
		expect(await daemon.post(`/api/agents/${at.agent.id}/commit`, { message: "Work" })).toBeNull();
		expect(daemon.spare()).toBe(true);
		await restarted();
		expect((await now(at)).holds).toMatchObject([{ kind: "recovery", step: "commit" }]);
		return at;
	}

	test.each(["resume", "recover"])("%s leads back to the work, and the files are in the tree", async (verb) => {
		const at = await cutOff();
		expect((await daemon.post(`/api/agents/${at.agent.id}/${verb}`, {}))?.status).toBe(200);
		expect(await now(at)).toMatchObject({ label: "idle", holds: [] });
		expect(["new.txt", "a.txt"].map((name) => readFileSync(path.join(at.folder, name), "utf8"))).toEqual([
			"work\n",
			"work\n",
		]);
		const committed = await daemon.post(`/api/agents/${at.agent.id}/commit`, { message: "Work" });
		expect([committed?.status, commits(at)]).toEqual([200, 2]);
	});

	test("resume of a tree that is not whole is refused, and recover keeps what it takes out", async () => {
		const at = await cutOff();
		// the control: somebody went elsewhere meanwhile
		git(at.folder, "checkout", "--quiet", "--detach");
		expect((await daemon.post(`/api/agents/${at.agent.id}/resume`, {}))?.status).toBe(409);
		expect((await daemon.post(`/api/agents/${at.agent.id}/recover`, {}))?.status).toBe(200);
		expect([existsSync(path.join(at.folder, "new.txt")), git(at.folder, "branch", "--show-current")]).toEqual([
			false,
			"brood/worker",
		]);
		const [newest] = await daemon.client.ask("snapshots", { params: { agent: at.agent.id } });
		expect(git(at.repository, "show", `refs/brood/snapshots/${at.agent.id}/${newest?.id}:tree/new.txt`)).toBe("work");
	});
});

test("an approve that is repeated merges what was meant the first time, and not what came since", async () => {
	const at = await daemon.addAgent();
	const [route, key] = [`/api/agents/${at.agent.id}/approve`, "reviewed"];
	const commit = async (name: string): Promise<void> => {
		write(at, name, `${name}\n`);
		await daemon.post(`/api/agents/${at.agent.id}/commit`, { message: name });
	};
	await commit("reviewed.txt");
	const first = await daemon.post(route, { strategy: "merge" }, key);
	await commit("unseen.txt");
	expect(await daemon.post(route, { strategy: "merge" }, key)).toEqual(first);
	expect([
		existsSync(path.join(at.repository, "reviewed.txt")),
		existsSync(path.join(at.repository, "unseen.txt")),
	]).toEqual([true, false]);
	// a request that names the reviewed commit is refused once the branch has moved
	const seen = git(at.folder, "rev-parse", "HEAD");
	await commit("more.txt");
	const late = await daemon.post(route, { strategy: "merge", commit: seen });
	expect([late?.status, JSON.parse(late?.text ?? "").error.code]).toEqual([409, "CONFLICT"]);
	expect(existsSync(path.join(at.repository, "unseen.txt"))).toBe(false);
});
