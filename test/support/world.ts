// A small world for tests of workspaces: a person's repository, a home, and real git between them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeGit } from "#adapters/git/run/git.ts";
import { SandboxWorkers } from "#adapters/git/worker/workers.ts";
import { GitWorkspaces } from "#adapters/git/workspaces.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Retention } from "#contract/retention.ts";
import type { WorkspaceKind } from "#contract/workspace.ts";
import type { AgentIdentity, Checkout, ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import { programFolder, programPath } from "#local/programs.ts";

/** Something that happens around each git command. */
export type AroundGit = <T>(run: () => Promise<T>) => Promise<T>;

export class World {
	readonly root: string;
	readonly home: string;
	readonly repository: string;
	readonly project: ProjectRepository;
	readonly workspaces: GitWorkspaces;
	readonly commands: (readonly string[])[] = [];
	/** what a clock of the world says; turned by tests */
	now = Date.parse("2030-01-02T03:04:05Z");

	constructor(
		root: string,
		options: {
			aroundGit?: AroundGit;
			containment?: ContainmentLevel;
			retention?: Retention;
			hides?(): Promise<readonly string[]>;
			fetchWaitMs?: number;
		} = {},
	) {
		this.root = root;
		this.home = path.join(root, "home");
		this.repository = path.join(root, "repository");
		this.project = { slug: ProjectSlug.parse("p"), path: this.repository };
		const git = makeGit({ environment: environmentIn(root), record: ({ args }) => this.commands.push(args) });
		const { aroundGit } = options;
		this.workspaces = new GitWorkspaces({
			home: this.home,
			git: aroundGit === undefined ? git : async (...call) => await aroundGit(async () => await git(...call)),
			clock: { now: () => this.now },
			ids: randomIds,
			environment: environmentIn(root),
			...(options.retention && { retention: options.retention }),
			...(options.hides && { hides: options.hides }),
			...(options.fetchWaitMs !== undefined && { fetchWaitMs: options.fetchWaitMs }),
			...(options.containment && { containment: options.containment, workers: workersIn(root, options.containment) }),
		});
	}

	git(folder: string, ...args: string[]): string {
		return execFileSync("git", args, {
			cwd: folder,
			env: environmentIn(this.root),
			encoding: "utf8",
			stdio: ["ignore", "pipe", "pipe"],
		}).trimEnd();
	}

	/** Writes files and commits them as the person. */
	commit(folder: string, files: Readonly<Record<string, string>>, message = "change"): string {
		for (const [name, text] of Object.entries(files)) write(folder, name, text);
		this.git(folder, "add", "-A");
		this.git(folder, "commit", "-qm", message);
		return this.git(folder, "rev-parse", "HEAD");
	}

	configure(text: string): void {
		write(path.join(this.home, "projects", this.project.slug), "config.yaml", text);
	}

	async agent(
		handle: string,
		options: { kind?: WorkspaceKind; from?: string; live?: StepControl } = {},
	): Promise<Checkout> {
		const agent = identity(handle);
		const { kind = "worktree", from, live } = options;
		const { workspace } = agreed(
			await this.workspaces.provision(
				{ project: this.project, agent, kind, ...(from === undefined ? {} : { from }) },
				live,
			),
		);
		return { project: this.project, agent, workspace };
	}

	tip(ref: string, folder = this.repository): string {
		return this.git(folder, "rev-parse", ref);
	}
}

/** As the daemon makes them. */
function workersIn(root: string, containment: ContainmentLevel): SandboxWorkers {
	const program = { command: process.execPath, args: [programPath("programs/sandbox-worker")] };
	return new SandboxWorkers({
		program,
		readable: [programFolder, path.dirname(process.execPath)],
		environment: environmentIn(root),
		containment,
	});
}

function environmentIn(root: string): Record<string, string> {
	return { PATH: process.env["PATH"] ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
}

export const identity = (handle: string): AgentIdentity => ({
	handle: Handle.parse(handle),
	id: AgentId.parse(createHash("sha256").update(handle).digest("hex").slice(0, 22)),
});

export function write(folder: string, name: string, text: string): void {
	mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
	writeFileSync(path.join(folder, name), text);
}

export const read = (folder: string, name: string): string => readFileSync(path.join(folder, name), "utf8");

export function agreed<T extends object>(answer: T | Refusal): T {
	if (isRefusal(answer)) throw new Error(`${answer.code}: ${answer.message} ${JSON.stringify(answer.details)}`);
	return answer;
}

/** Every path below a folder with what is in it, so that two moments can be compared byte by byte. */
export function fingerprint(folder: string, except: (name: string) => boolean = () => false): Record<string, string> {
	const found: Record<string, string> = {};
	const visit = (name: string): void => {
		if (name !== "" && except(name)) return;
		const file = path.join(folder, name);
		const kind = lstatSync(file);
		if (kind.isDirectory()) {
			found[`${name}/`] = "folder";
			for (const inner of readdirSync(file).sort()) visit(path.join(name, inner));
		} else if (kind.isSymbolicLink()) found[name] = `link ${readlinkSync(file)}`;
		else found[name] = `${kind.mode.toString(8)} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
	};
	visit("");
	return found;
}

/**
 * The working files and the index as git lists it, without what git only remembers for itself (times, caches, logs).
 */
export function treeState(world: World, folder: string): unknown {
	return {
		files: fingerprint(folder, (name) => name === ".git"),
		index: world.git(folder, "ls-files", "--stage", "--debug").replace(/^ .*\n?/gm, ""),
		head: world.git(folder, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD"),
		status: world.git(folder, "status", "--porcelain=v2"),
	};
}
