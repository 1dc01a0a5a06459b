// `brood uninstall`: stops the daemon and removes what Brood keeps on this machine.

import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { Refused } from "#client/client.ts";
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

interface Known {
	/** the projects' repositories */
	projects: string[];
	/** the ids of all agents that ever were */
	agents: string[];
	workspaces: { agent: string; folder: string }[];
}

interface Uninstalled {
	home: string;
	removedHome: boolean;
	/** what is in the home and not Brood's */
	left: string[];
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
		const known = options.all === true && there ? await knownToDaemon() : { projects: [], agents: [], workspaces: [] };
		if (options.all === true && there) await askFirst(home, known, options);
		await showingProgress("stopping the daemon", () => down({ json: options.json, quiet: true }));
		if (process.exitCode) return;
		const found = options.all === true && there ? await removeAll(home, known) : { left: [], projects: [] };
		const cache = compileCache();
		if (cache !== null) rmSync(cache, { recursive: true, force: true });
		const done: Uninstalled = { home, removedHome: options.all === true && there, ...found };
		if (options.json === true) printData(done);
		else print(summary(done, there));
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	}
}

/** Starts the daemon if it does not run: only the store knows the projects. */
async function knownToDaemon(): Promise<Known> {
	const { client } = await connect();
	const [projects, agents] = [
		await client.call("projects", { query: {} }),
		await client.call("agents", { query: { reaped: "true" } }),
	];
	return {
		projects: projects.map(({ path: folder }) => folder),
		agents: agents.map(({ id }) => id),
		workspaces: agents.flatMap((agent) =>
			agent.workspace === null ? [] : { agent: fullName(agent), folder: agent.workspace.path },
		),
	};
}

/** `--yes` answers the question, but not for work that is nowhere else: that takes `--discard`. */
async function askFirst(home: string, known: Known, { yes, discard }: UninstallOptions): Promise<void> {
	const unsaved: { agent: string; files: number }[] = await showingProgress("looking for uncommitted work", () =>
		runUninstall(home, known, ["--look"]),
	);
	const named = unsaved.map(({ agent, files }) => `${agent} (${counted(files, "file")})`).join(", ");
	if (yes === true && (discard === true || unsaved.length === 0)) return;
	if (yes === true)
		throw new Refused(
			refuse("WORKTREE_DIRTY", `Uncommitted work would be lost, and nothing was removed: ${named}.`, {
				suggestions: [
					...unsaved.slice(0, 5).map(({ agent }) => `brood diff ${agent}`),
					"brood uninstall --all --yes --discard",
				],
			}),
		);
	const repositories = counted(known.projects.length, "repository", "repositories");
	const loses = unsaved.length === 0 ? "" : `The uncommitted work of ${named} is lost. `;
	const question = `Remove ${home} with every conversation, worktree and snapshot, and Brood's refs in ${repositories}? ${loses}Commits that only a clone has, and repositories added by URL, are lost; branches stay.`;
	const said = await confirm(question);
	if (said === null) throw new UsageError("Nobody is there to confirm: pass --yes.");
	if (!said) throw new Refused(refuse("CONFLICT", "Nothing was removed."));
}

async function removeAll(home: string, known: Known): Promise<Pick<Uninstalled, "left" | "projects">> {
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

function summary({ home, removedHome, left, projects }: Uninstalled, there: boolean): string {
	const lines = projects.map(({ path: folder, refs, worktrees, othersRefs, problem }) => {
		const others = othersRefs === 0 ? "" : `; ${counted(othersRefs, "ref")} of another home and all branches stay`;
		return problem === null
			? `${inline(folder)}: removed ${counted(refs, "ref")} and ${counted(worktrees, "worktree")}${others || "; branches stay"}`
			: `${inline(folder)}: not cleaned: ${inline(problem)}`;
	});
	const some = left
		.slice(0, 5)
		.map((name) => (name === playground ? `${name} (a repository with work in it)` : inline(name)))
		.join(", ");
	const rest = left.length === 0 ? "" : `, but for what is not Brood's: ${some}${left.length > 5 ? ", …" : ""}`;
	const first = removedHome ? `removed ${home}${rest}` : there ? `stopped; ${home} stays` : `${home} does not exist`;
	return [first, ...lines, "To remove the program: npm uninstall -g brood"].join("\n");
}
