// The workspaces of the home: git, the project's commands and the workers in sandboxes, stopped together by one signal.
import path from "node:path";
import { environmentFor } from "#adapters/driver/environment.ts";
import { makeGit } from "#adapters/git/run/git.ts";
import { momentText, startedName } from "#adapters/git/sandbox/old-locks.ts";
import { SandboxWorkers } from "#adapters/git/worker/workers.ts";
import { GitWorkspaces } from "#adapters/git/workspaces.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { listedVariables } from "#adapters/system/config.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { homeIdName } from "#contract/own-variables.ts";
import { programFolder, programPath } from "#local/programs.ts";

export function workspacesIn(
	home: string,
	{ record, homeId, environment: daemonEnvironment, ...more }: WorkspaceParts,
): GitWorkspaces {
	const halt = new AbortController();
	const git = makeGit({ environment: daemonEnvironment, record, halt: halt.signal });
	const environment = environmentFor({ [homeIdName]: homeId }, daemonEnvironment);
	const program = { command: process.execPath, args: [programPath("programs/sandbox-worker")] };
	const readable = [programFolder, path.dirname(process.execPath)];
	const workers = new SandboxWorkers({
		program,
		readable,
		environment: { ...environment, [startedName]: momentText(systemClock.now()) },
		containment: more.containment ?? "groups",
		halt: halt.signal,
	});
	const variables = async (entries: readonly string[]) => await listedVariables(home, entries, daemonEnvironment);
	const own = { home, git, halt, clock: systemClock, ids: randomIds, environment, variables, workers };
	return new GitWorkspaces({ ...own, ...more });
}

interface WorkspaceParts
	extends Pick<ConstructorParameters<typeof GitWorkspaces>[0], "containment" | "retention" | "log" | "hides"> {
	record: NonNullable<Parameters<typeof makeGit>[0]["record"]>;
	/** finds processes that projects' commands leave behind */
	homeId: string;
	/** of the daemon */
	environment: NodeJS.ProcessEnv;
}
