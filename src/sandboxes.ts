// Sandboxes, put together: what the driver, the workspaces and the rows each know of them.
import path from "node:path";
import type { DriverOptions } from "#adapters/driver/options.ts";
import { Sandbox } from "#adapters/driver/sandbox.ts";
import { vendorHomes } from "#adapters/driver/vendor-rooms.ts";
import type { GitWorkspaces } from "#adapters/git/workspaces.ts";
import { privatePlaces } from "#adapters/system/private-places.ts";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import type { Engine } from "#engine/engine.ts";
import type { Reads } from "#engine/ports.ts";
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
	logins: Hidden["logins"];
}

export interface Hidden {
	/** what lets subscriptions in */
	logins(): Promise<readonly string[]>;
	/** what no sandbox of any kind shows: logins of all agents, and what the daemon's own variables name */
	all(): Promise<readonly string[]>;
	/** the rows have to be known before the engine is up: sandboxes are made while it starts */
	opened(store: { reads: Pick<Reads, "subscriptions"> }): void;
}

export function hiddenIn(environment: NodeJS.ProcessEnv): Hidden {
	const { promise, resolve } = Promise.withResolvers<Parameters<Hidden["opened"]>[0]>();
	const logins = async (): Promise<string[]> => {
		const subscriptions = await (await promise).reads.subscriptions();
		return subscriptions.flatMap(({ credential }) => (credential === null ? [] : ["envFile" in credential ? credential.envFile : credential.configDir]));
	};
	return { logins, opened: resolve, all: async () => [...privatePlaces(environment), ...vendorHomes(environment), ...(await logins())] };
}

export function sandboxOf({ containment, environment, adapters, workspaces, engine, logins }: SandboxParts): Sandbox {
	return new Sandbox({
		containment,
		environment,
		programs: [programFolder, path.dirname(process.execPath), adapters],
		vendors: path.join(path.dirname(adapters), "vendors"),
		logins,
		async roomOf({ project: slug, workspace }, folder) {
			const project = slug === null ? undefined : await (await engine).reads.project(slug);
			return project === undefined ? null : await workspaces.room(placeOf(project), folder, workspace);
		},
	});
}
