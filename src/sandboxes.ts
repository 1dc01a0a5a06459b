// Sandboxes, put together: what the driver, the workspaces and the rows each know of them.
import path from "node:path";
import type { DriverOptions } from "#adapters/driver/options.ts";
import { Sandbox } from "#adapters/driver/sandbox.ts";
import type { GitWorkspaces } from "#adapters/git/workspaces.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import type { Engine } from "#engine/engine.ts";
import { placeOf, stayOf } from "#engine/stay.ts";
import { programFolder } from "#src/programs.ts";

/** What a workspace brings that only its sandbox may look into. */
export function broughtInside(workspaces: GitWorkspaces, engine: Promise<Engine>): DriverOptions["broughtInside"] {
	return async (agent) => {
		const stay = await stayOf((await engine).reads, agent);
		return stay === null ? "not in a sandbox" : await workspaces.brings(stay, agent.type);
	};
}

interface SandboxParts {
	containment: ContainmentLevel;
	environment: NodeJS.ProcessEnv;
	adapters: string;
	workspaces: GitWorkspaces;
	/** agents have no rooms before it is up */
	engine: Promise<Engine>;
}

export function sandboxOf({ containment, environment, adapters, workspaces, engine }: SandboxParts): Sandbox {
	return new Sandbox({
		containment,
		environment,
		programs: [programFolder, path.dirname(process.execPath), adapters],
		vendors: path.join(path.dirname(adapters), "vendors"),
		async logins() {
			const subscriptions = await (await engine).reads.subscriptions();
			return subscriptions.flatMap(({ credential }) => (credential === null ? [] : ["envFile" in credential ? credential.envFile : credential.configDir]));
		},
		async roomOf({ project: slug, workspace }, folder) {
			const project = slug === null ? undefined : await (await engine).reads.project(slug);
			return project === undefined ? null : await workspaces.room(placeOf(project), folder, workspace);
		},
	});
}
