// The price of a workspace in a sandbox beside a plain one: the same verbs on the same repository, one after the other
// within a round, so that a busy moment of the machine hits both alike. What is timed is what the daemon calls.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { makeGit } from "#adapters/git/run/git.ts";
import { SandboxWorkers } from "#adapters/git/worker/workers.ts";
import { GitWorkspaces } from "#adapters/git/workspaces.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { AgentIdentity, Checkout } from "#engine/ports/workspace-requests.ts";
import { programFolder, programPath } from "#local/programs.ts";
import { median, type Result } from "./table.ts";

const files = 2000;
const rounds = 7;
const flush = "sync";

const plain = (folder: string, ...args: string[]): string =>
	execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

function makeRepository(folder: string): string {
	mkdirSync(folder, { recursive: true });
	plain(folder, "init", "-q", "-b", "main");
	for (let at = 0; at < files; at++) {
		mkdirSync(path.join(folder, `dir-${at % 40}`), { recursive: true });
		writeFileSync(
			path.join(folder, `dir-${at % 40}/file-${at}.ts`),
			`// ${at}\n${"const value = compute(input, options);\n".repeat(20 + (at % 60))}`,
		);
	}
	plain(folder, "add", "-A");
	plain(folder, "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "first");
	return folder;
}

const identity = (name: string): AgentIdentity => ({
	handle: Handle.parse(name),
	id: AgentId.parse(name.replaceAll("-", "").padEnd(22, "0")),
});

function agreed<T extends object>(answer: T | Refusal): T {
	if (isRefusal(answer)) throw new Error(answer.message);
	return answer;
}

export async function sandboxed(): Promise<Result[]> {
	const root = mkdtempSync(path.join(os.homedir(), ".brood-bench-"));
	try {
		return [await timeBoth(root)];
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

async function timeBoth(root: string): Promise<Result> {
	const times = new Map<string, number[]>();
	const kinds = ["off", "on"] as const;
	const setups = kinds.map((sandbox) => setupIn(path.join(root, sandbox), sandbox));
	const measure = async (name: string, sandbox: string, work: () => Promise<unknown>): Promise<void> => {
		execFileSync(flush);
		const start = performance.now();
		await work();
		times.set(`${name} ${sandbox}`, [...(times.get(`${name} ${sandbox}`) ?? []), performance.now() - start]);
	};
	for (let round = 0; round < rounds; round++)
		for (const setup of round % 2 === 0 ? setups : setups.toReversed()) await cycle(setup, round, measure);
	for (const { workspaces } of setups) await workspaces[Symbol.asyncDispose]();
	const verbs = [
		"provision",
		"look before a turn",
		"snapshot, nothing changed",
		"snapshot, one file changed",
		"fork",
		"commit",
		"approve",
	];
	const ms = (name: string, sandbox: string): number => median(times.get(`${name} ${sandbox}`) ?? []);
	return {
		title: `A workspace of ${files.toLocaleString("en")} files in a sandbox beside a plain one, ms`,
		columns: ["", "plain", "sandbox", "× plain"],
		rows: verbs.map((name) => [name, ms(name, "off"), ms(name, "on"), ms(name, "on") / ms(name, "off")]),
		ratio: {
			name: "an unchanged turn's snapshot in a sandbox beside a plain one",
			value: ms(verbs[2] ?? "", "on") / ms(verbs[2] ?? "", "off"),
			target: "≤ 3",
			met: ms(verbs[2] ?? "", "on") / ms(verbs[2] ?? "", "off") <= 3,
		},
	};
}

interface SandboxedAgents {
	sandbox: string;
	repository: string;
	workspaces: GitWorkspaces;
}

function setupIn(root: string, sandbox: string): SandboxedAgents {
	const [home, repository] = [path.join(root, "home"), makeRepository(path.join(root, "repository"))];
	mkdirSync(path.join(home, "projects/bench"), { recursive: true });
	writeFileSync(path.join(home, "projects/bench/config.yaml"), `sandbox: ${sandbox}\n`);
	const environment = { PATH: process.env["PATH"] ?? "", HOME: root };
	const program = { command: process.execPath, args: [programPath("programs/sandbox-worker")] };
	const workers = new SandboxWorkers({
		program,
		readable: [programFolder, path.dirname(process.execPath)],
		environment,
		containment: "bubblewrap",
	});
	const git = makeGit({ environment });
	return {
		sandbox,
		repository,
		workspaces: new GitWorkspaces({
			home,
			git,
			clock: systemClock,
			ids: randomIds,
			environment,
			containment: "bubblewrap",
			workers,
		}),
	};
}

async function cycle(
	{ sandbox, repository, workspaces }: SandboxedAgents,
	round: number,
	measure: (name: string, sandbox: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
	const project = { slug: ProjectSlug.parse("bench"), path: repository, base: "main" };
	const agent = identity(`agent-${round}`);
	let workspace: Checkout["workspace"] | undefined;
	await measure("provision", sandbox, async () => {
		({ workspace } = agreed(await workspaces.provision({ project, agent, kind: "worktree" })));
	});
	if (workspace === undefined) return;
	const checkout: Checkout = { project, agent, workspace };
	// the first step starts the worker in its sandbox, as the first turn does
	await workspaces.takeSnapshot(checkout, { reason: "first" });
	await measure("look before a turn", sandbox, async () => await workspaces.health(checkout));
	await measure(
		"snapshot, nothing changed",
		sandbox,
		async () => await workspaces.takeSnapshot(checkout, { reason: "same" }),
	);
	appendFileSync(path.join(workspace.path, "dir-1/file-1.ts"), `// ${round}\n`);
	await measure(
		"snapshot, one file changed",
		sandbox,
		async () => await workspaces.takeSnapshot(checkout, { reason: "one" }),
	);
	await measure("fork", sandbox, async () =>
		agreed(
			await workspaces.provisionFrom({ project, agent: identity(`fork-${round}`), kind: "worktree", parent: checkout }),
		),
	);
	let commit = "";
	await measure("commit", sandbox, async () => {
		({ commit } = agreed(await workspaces.commit(checkout, { message: "work" })));
	});
	await measure("approve", sandbox, async () => agreed(await workspaces.approve(checkout, { commit })));
}
