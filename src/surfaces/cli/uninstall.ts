// `brood uninstall`: stops the daemon and removes what Brood keeps on this machine.

import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { type Client, Refused } from "#client/client.ts";
import { counted } from "#contract/counted.ts";
import { fullName } from "#contract/full-name.ts";
import { refuse } from "#contract/refusal.ts";
import { inline } from "#contract/visible.ts";
import { playground } from "#local/playground-repository.ts";
import { programPath } from "#local/programs.ts";
import { confirm } from "./confirm.ts";
import { connect, givenAddress, homeOf } from "./connect.ts";
import { down } from "./down.ts";
import { print, printData, printError, UsageError } from "./print.ts";
import { showingProgress } from "./progress.ts";

interface UninstallOptions {
	keepData?: boolean | undefined;
	all?: boolean | undefined;
	yes?: boolean | undefined;
	discard?: boolean | undefined;
	json?: boolean | undefined;
}

interface InProject {
	path: string;
	refs: number;
	worktrees: number;
	othersRefs: number;
	problem: string | null;
}

/** What is on this machine, of this node. */
interface Known {
	/** the projects' repositories */
	projects: string[];
	/** the ids of all its agents that ever were */
	agents: string[];
	workspaces: { agent: string; folder: string }[];
	/** whether the conversations are in the home, and not in a database */
	isStoreInHome: boolean;
}

interface Uninstalled {
	home: string;
	removedHome: boolean;
	/** what is in the home and not Brood's */
	remaining: string[];
	projects: InProject[];
}

export async function uninstall(options: UninstallOptions): Promise<void> {
	try {
		if (givenAddress() !== null)
			throw new Refused(refuse("FORBIDDEN", "BROOD_URL names a daemon: only its own machine uninstalls it."));
		if ((options.keepData === true) === (options.all === true))
			throw new UsageError("Choose one: --keep-data stops the daemon and keeps the home, --all removes everything.");
		const home = homeOf();
		const there = existsSync(home);
		if (there && !existsSync(path.join(home, "id")))
			throw new Refused(refuse("HOME_UNUSABLE", `${home} does not look like a home of Brood; nothing was removed.`));
		const known = options.all === true && there ? await knownToNode((await connect()).client) : nothing;
		if (options.all === true && there) await askFirst(home, known, options);
		await showingProgress("stopping the daemon", () => down({ json: options.json, quiet: true }));
		if (process.exitCode) return;
		const found = options.all === true && there ? await removeAll(home, known) : { remaining: [], projects: [] };
		const cache = compileCache();
		if (cache !== null) rmSync(cache, { recursive: true, force: true });
		const done: Uninstalled = { home, removedHome: options.all === true && there, ...found };
		if (options.json === true) printData(done);
		else print(summary(done, there));
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	}
}

const nothing: Known = { projects: [], agents: [], workspaces: [], isStoreInHome: false };

/** Only the store knows the projects; the snapshots of agents at other nodes are not this home's to delete. */
export async function knownToNode(client: Client): Promise<Known> {
	const [{ store }, nodes, projects, agents] = await Promise.all([
		client.call("status"),
		client.call("nodes"),
		client.call("projects", { query: {} }),
		client.call("agents", { query: { reaped: "true" } }),
	]);
	const self = nodes.find((each) => each.self)?.id ?? null;
	const isStoreInHome = store !== "postgres";
	// rows without a node are from before there were any
	const isHere = ({ node }: { node: string | null }): boolean => isStoreInHome || node === null || node === self;
	const own = agents.filter(isHere);
	const sites = await Promise.all(
		projects
			.filter((project) => !isHere(project))
			.map(async ({ slug }) => await client.call("sites", { params: { project: slug } })),
	);
	return {
		projects: [...projects, ...sites.flat()].filter(isHere).map(({ path: folder }) => folder),
		agents: own.map(({ id }) => id),
		workspaces: own.flatMap((agent) =>
			agent.workspace === null ? [] : { agent: fullName(agent), folder: agent.workspace.path },
		),
		isStoreInHome,
	};
}

/** `--yes` answers the question, but not for work that is nowhere else: that takes `--discard`. */
async function askFirst(home: string, known: Known, { yes, discard }: UninstallOptions): Promise<void> {
	const unsaved: { agent: string; files: number | null }[] = await showingProgress("looking for uncommitted work", () =>
		runUninstall(home, known, ["--look"]),
	);
	const named = unsaved
		.map(({ agent, files }) => `${agent} (${files === null ? "cannot be read from here" : counted(files, "file")})`)
		.join(", ");
	if (yes === true && (discard === true || unsaved.length === 0)) return;
	if (yes === true)
		throw new Refused(
			refuse("WORKTREE_DIRTY", `Uncommitted work may be lost, and nothing was removed: ${named}.`, {
				suggestions: [
					...unsaved.slice(0, 5).map(({ agent }) => `brood diff ${agent}`),
					"brood uninstall --all --yes --discard",
				],
			}),
		);
	const said = await confirm(questionFor(home, known, named));
	if (said === null) throw new UsageError("Nobody is there to confirm: pass --yes.");
	if (!said) throw new Refused(refuse("CONFLICT", "Nothing was removed."));
}

/** `unsaved` names the agents with uncommitted work. */
export function questionFor(home: string, { projects, isStoreInHome }: Known, unsaved: string): string {
	const repositories = counted(projects.length, "repository", "repositories");
	const loses = unsaved === "" ? "" : ` The uncommitted work of ${unsaved} is lost.`;
	const what = isStoreInHome
		? "every conversation, worktree and snapshot"
		: "the worktrees and snapshots of its agents";
	const stay = isStoreInHome ? "branches stay" : "branches stay, and so do the conversations in the database";
	return `Remove ${home} with ${what}, and Brood's refs in ${repositories}?${loses} Commits that only a clone has, and repositories added by URL, are lost; ${stay}.`;
}

async function removeAll(home: string, known: Known): Promise<Pick<Uninstalled, "remaining" | "projects">> {
	return await showingProgress("removing Brood's data", () => runUninstall(home, known, []));
}

async function runUninstall<T>(home: string, known: Known, args: readonly string[]): Promise<T> {
	const child = spawn(process.execPath, [programPath("programs/uninstall"), home, ...args], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	child.stdin.end(JSON.stringify(known));
	const [said, code] = await Promise.all([
		text(child.stdout),
		new Promise<number | null>((resolve) => child.once("close", resolve)),
	]);
	if (code !== 0) throw new Refused(refuse("INTERNAL_ERROR", `${home} could not be removed, or looked at.`));
	return JSON.parse(said);
}

/** As the launcher of a release has it. */
function compileCache(): string | null {
	const { XDG_CACHE_HOME: given, HOME: user } = process.env;
	const folder = given || (user && path.join(user, ".cache"));
	return folder ? path.join(folder, "brood") : null;
}

function summary({ home, removedHome, remaining, projects }: Uninstalled, there: boolean): string {
	const lines = projects.map(({ path: folder, refs, worktrees, othersRefs, problem }) => {
		const others = othersRefs === 0 ? "" : `; ${counted(othersRefs, "ref")} of another home and all branches stay`;
		return problem === null
			? `${inline(folder)}: removed ${counted(refs, "ref")} and ${counted(worktrees, "worktree")}${others || "; branches stay"}`
			: `${inline(folder)}: not cleaned: ${inline(problem)}`;
	});
	const some = remaining
		.slice(0, 5)
		.map((name) => (name === playground ? `${name} (a repository with work in it)` : inline(name)))
		.join(", ");
	const rest =
		remaining.length === 0 ? "" : `, but for what is not Brood's: ${some}${remaining.length > 5 ? ", …" : ""}`;
	const first = removedHome ? `removed ${home}${rest}` : there ? `stopped; ${home} stays` : `${home} does not exist`;
	return [first, ...lines, "To remove the program: npm uninstall -g brood"].join("\n");
}
