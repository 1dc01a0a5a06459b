// Worktrees of a large repository: making one, forking one with uncommitted changes, taking snapshots; beside plain git
// and beside a clone. What is timed is what the daemon calls: `provision` and `provisionFrom` of the workspaces, with
// all that they read, mark and flush. Each kind in turn within a round, and each round begins with another kind, so
// that a busy moment of the machine hits all of them alike; what one of them left to be written is written before the
// next begins. Nothing is removed in between: on some disks new files were many times slower for minutes after that.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { copyWorktree } from "#adapters/git/copy/copy-worktree.ts";
import { materialize } from "#adapters/git/copy/materialize.ts";
import { type Git, makeGit } from "#adapters/git/run/git.ts";
import { takeSnapshot } from "#adapters/git/snapshot/snapshot.ts";
import { GitWorkspaces } from "#adapters/git/workspaces.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { AgentIdentity, Checkout, Provisioned } from "#engine/ports/workspace-requests.ts";
import { median, type Result } from "./table.ts";

const files = 20_000;
/** many forks at once would only measure the disk */
const filesOfMany = 2000;
const rounds = 7;
const parallel = 32;
const diskUse = "du";
const flush = "sync";

export async function workspaces(): Promise<Result[]> {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	try {
		const repository = makeRepository(path.join(home, "repository"), files);
		const git = makeGit({ environment: { ...process.env, HOME: home } });
		const trees = await timeTrees(git, home, repository);
		return [...trees, await timeSnapshots(git, home, repository), await timeMany(git, home)];
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

function plain(folder: string, args: readonly string[], input?: string): string {
	return execFileSync("git", args, {
		cwd: folder,
		input: input ?? "",
		encoding: "utf8",
		stdio: ["pipe", "pipe", "ignore"],
		maxBuffer: 1e9,
	});
}

function makeRepository(folder: string, count: number): string {
	mkdirSync(folder, { recursive: true });
	plain(folder, ["init", "-q", "-b", "main"]);
	const line = "const value = compute(input, options);\n";
	const names = Array.from({ length: count }, (_, at) => `pkg-${at % 20}/dir-${at % (count / 50)}/file-${at}.ts`);
	let stream = "";
	const commit = (at: number, changed: readonly string[]): void => {
		stream += `commit refs/heads/main\ncommitter b <b@b> ${1_700_000_000 + at} +0000\ndata 1\nc\n`;
		for (const [number, name] of changed.entries()) {
			const text = `// ${name} ${at}\n${line.repeat(20 + (number % 160))}`;
			stream += `M 100644 inline ${name}\ndata ${text.length}\n${text}\n`;
		}
	};
	commit(0, names);
	// a history worth the name, for those who fetch it
	for (let at = 1; at <= 200; at++) commit(at, names.slice((at * 20) % count, ((at * 20) % count) + 20));
	plain(folder, ["fast-import", "--quiet"], stream);
	plain(folder, ["reset", "-q", "--hard"]);
	plain(folder, ["config", "user.email", "b@b"]);
	plain(folder, ["config", "user.name", "b"]);
	return folder;
}

function makeDirty(folder: string): void {
	for (let at = 0; at < 40; at++)
		appendFileSync(path.join(folder, `pkg-${at % 20}/dir-${at}/file-${at}.ts`), "// changed\n");
	plain(folder, ["add", "pkg-0", "pkg-1"]);
	for (let at = 0; at < 20; at++) writeFileSync(path.join(folder, `pkg-${at}/untracked.ts`), "// new\n");
	rmSync(path.join(folder, "pkg-3/dir-3/file-3.ts"));
}

const identity = (name: string): AgentIdentity => ({
	handle: Handle.parse(name),
	id: AgentId.parse(name.replaceAll("-", "").padEnd(22, "0")),
});

const forkAt = (home: string, round: number): string => path.join(home, "home/projects/bench/agents", `fork-${round}`);

function made(answer: Provisioned | Refusal): Provisioned {
	if (isRefusal(answer)) throw new Error(answer.message);
	return answer;
}

async function timed(work: () => unknown): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

async function timeTrees(git: Git, home: string, repository: string): Promise<Result[]> {
	const workspaces = new GitWorkspaces({
		home: path.join(home, "home"),
		git,
		clock: systemClock,
		ids: randomIds,
		environment: {},
	});
	const project = { slug: ProjectSlug.parse("bench"), path: repository, base: "main" };
	const request = (name: string) => ({ project, agent: identity(name), kind: "worktree" }) as const;
	const parent: Checkout = {
		...request("parent"),
		workspace: made(await workspaces.provision(request("parent"))).workspace,
	};
	makeDirty(parent.workspace.path);
	const times = new Map<string, number[]>();
	const measure = async (name: string, work: () => unknown): Promise<void> => {
		execFileSync(flush);
		const ms = await timed(work);
		times.set(name, [...(times.get(name) ?? []), ms]);
	};
	const kinds = (round: number): (() => Promise<void>)[] => {
		const at = (name: string): string => path.join(home, `${name}-${round}`);
		return [
			() => measure("plain", () => plain(repository, ["worktree", "add", "-q", "-b", `plain-${round}`, at("plain")])),
			() => measure("ours", async () => made(await workspaces.provision(request(`ours-${round}`)))),
			async () => {
				await measure("fork", async () =>
					made(await workspaces.provisionFrom({ ...request(`fork-${round}`), parent })),
				);
				await measure("first", () => git(forkAt(home, round), ["status", "--porcelain"]));
				await measure("second", () => git(forkAt(home, round), ["status", "--porcelain"]));
			},
			() =>
				measure("clone", () => {
					plain(home, ["clone", "-q", "--depth", "1", `file://${repository}`, at("clone")]);
					plain(at("clone"), ["fetch", "-q", "--unshallow"]);
				}),
		];
	};
	for (let round = 0; round < rounds; round++) {
		const all = kinds(round);
		for (const at of all.keys()) await all[(round + at) % all.length]?.();
	}
	return treeResults(times, home);
}

function treeResults(times: ReadonlyMap<string, readonly number[]>, home: string): Result[] {
	const ms = (name: string): number => median([...(times.get(name) ?? [])]);
	const row = (title: string, name: string): (string | number)[] => [title, ms(name), ms(name) / ms("plain")];
	const size = (folder: string): string =>
		`${(Number(execFileSync(diskUse, ["-sk", folder], { encoding: "utf8" }).split("\t")[0]) / 1024).toFixed(0)} MB`;
	const [provision, fork, look] = [ms("ours") / ms("plain"), ms("fork") / ms("plain"), ms("first") / ms("second")];
	return [
		{
			title: `A worktree of ${files.toLocaleString("en")} files, ms`,
			columns: ["", "median ms", "× plain"],
			rows: [
				row("git worktree add", "plain"),
				row("a workspace of ours, ready for its agent", "ours"),
				row("clone --depth 1, then unshallow", "clone"),
			],
			ratio: { name: "a new worktree beside plain git", value: provision, target: "≤ 1.0", met: provision <= 1 },
		},
		{
			title: "A fork of a worktree with 40 changed, 20 new, some staged and one deleted file, ms",
			columns: ["", "median ms", "× plain worktree add", "on the disk"],
			rows: [[...row("fork", "fork"), size(forkAt(home, 0))]],
			ratio: {
				name: "a fork with everything in it beside a plain worktree add",
				value: fork,
				target: "≤ 1.3",
				met: fork <= 1.3,
			},
		},
		{
			title: "git status in a fork, ms",
			columns: ["", "median ms"],
			rows: [
				["first", ms("first")],
				["second", ms("second")],
			],
			ratio: { name: "the first beside the second", value: look, target: "≤ 1.5", met: look <= 1.5 },
		},
	];
}

async function timeSnapshots(git: Git, home: string, repository: string): Promise<Result> {
	const folder = forkAt(home, 0);
	const request = (at: number) => ({ folder, agent: "bench", reason: "bench", turn: null, at });
	const first = await timed(() => takeSnapshot(git, request(1)));
	const [same, one]: [number[], number[]] = [[], []];
	for (let round = 0; round < rounds; round++) {
		same.push(await timed(() => takeSnapshot(git, request(2 + round))));
		appendFileSync(path.join(folder, "pkg-5/untracked.ts"), `// ${round}\n`);
		one.push(await timed(() => takeSnapshot(git, request(20 + round))));
	}
	const snapshot = await takeSnapshot(git, request(99));
	const older = await timed(() =>
		materialize(git, snapshot, { folder: path.join(home, "older"), branch: "brood/older", repository }),
	);
	return {
		title: `Snapshots of ${files.toLocaleString("en")} files, ms`,
		columns: ["", "ms"],
		rows: [
			["the first", first],
			["nothing changed", median(same)],
			["one file changed", median(one)],
			["a worktree made from one", older],
		],
	};
}

async function timeMany(git: Git, home: string): Promise<Result> {
	const repository = makeRepository(path.join(home, "smaller"), filesOfMany);
	const parent = path.join(home, "smaller-parent");
	plain(repository, ["worktree", "add", "-q", "-b", "brood/parent", parent]);
	makeDirty(parent);
	let failed = 0;
	const one = async (at: number): Promise<void> => {
		const to = { folder: path.join(home, `many-${at}`), branch: `brood/many-${at}` };
		const refusal = await copyWorktree(git, {
			from: { folder: parent },
			to,
			repository,
			copy: [],
			sharesBlocks: false,
		}).catch((error: unknown) => error);
		if (refusal !== null) failed += 1;
	};
	const all = await timed(() => Promise.all(Array.from({ length: parallel }, (_, at) => one(at))));
	return {
		title: `${parallel} forks at once of ${filesOfMany.toLocaleString("en")} files`,
		columns: ["", "ms", "ms each", "failed"],
		rows: [["forks of a dirty worktree", all, all / parallel, failed]],
		ratio: { name: "forks that failed", value: failed, target: "0", met: failed === 0 },
	};
}
