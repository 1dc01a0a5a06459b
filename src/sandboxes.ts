// Sandboxes, put together: what the driver, the workspaces and the rows each know of them.
import path from "node:path";
import type { DriverOptions } from "#adapters/driver/options.ts";
import { Sandbox } from "#adapters/driver/sandbox.ts";
import type { GitWorkspaces } from "#adapters/git/workspaces.ts";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import type { Engine } from "#engine/engine.ts";
import { placeOf, stayOf } from "#engine/stay.ts";
import type { Stay } from "#engine/workspaces.ts";
import { programFolder } from "#src/programs.ts";

/** What only its sandbox may look at in a workspace. */
export function seenInside(workspaces: GitWorkspaces, engine: Promise<Engine>): Pick<DriverOptions, "broughtInside" | "ownInside"> {
	const stayIn = async (agent: AgentState): Promise<Stay | null> => await stayOf((await engine).reads, agent);
	return {
		async broughtInside(agent) {
			const stay = await stayIn(agent);
			return stay === null ? "not in a sandbox" : await workspaces.brings(stay, agent.type);
		},
		async ownInside(agent, places) {
			const stay = await stayIn(agent);
			return stay === null ? "not in a sandbox" : await workspaces.areInside(stay, places);
		},
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
