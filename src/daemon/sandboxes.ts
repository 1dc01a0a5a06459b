// Puts sandboxes together from the driver, the workspaces and the rows.
import path from "node:path";
import type { DriverOptions } from "#adapters/driver/options.ts";
import { Sandbox } from "#adapters/driver/sandbox.ts";
import { vendorHomes } from "#adapters/driver/vendor-mounts.ts";
import { Layout } from "#adapters/git/layout/layout.ts";
import { projectConfig } from "#adapters/git/workspace/settings.ts";
import type { GitWorkspaces } from "#adapters/git/workspaces.ts";
import { listedVariables } from "#adapters/system/config.ts";
import { privatePaths } from "#adapters/system/private-paths.ts";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { credentialPaths } from "#contract/subscription.ts";
import type { Engine } from "#engine/engine.ts";
import type { Reads } from "#engine/ports/store.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutOf, projectRepository } from "#engine/workspaces/checkout.ts";
import { programFolder } from "#local/programs.ts";

/** Checks of a workspace that run inside its sandbox. */
export function sandboxChecks(
	workspaces: GitWorkspaces,
	engine: Promise<Engine>,
): Pick<DriverOptions, "autorunFilesInSandbox" | "checkFilesInSandbox"> {
	const checkoutFor = async (agent: AgentState): Promise<Checkout | null> =>
		await checkoutOf((await engine).reads, agent);
	return {
		async autorunFilesInSandbox(agent) {
			const checkout = await checkoutFor(agent);
			return checkout === null ? "not in a sandbox" : await workspaces.autorunFiles(checkout, agent.type);
		},
		async checkFilesInSandbox(agent, check) {
			const checkout = await checkoutFor(agent);
			return checkout === null ? "not in a sandbox" : await workspaces.checkFiles(checkout, check);
		},
	};
}

/** What `env:` lists give to an agent: the home's, its project's and, once approved, its repository's. */
export function variablesIn(
	home: string,
	environment: NodeJS.ProcessEnv,
	workspaces: GitWorkspaces,
	engine: Promise<Engine>,
): DriverOptions["variablesOf"] {
	const layout = new Layout(home);
	const here = async (project: ProjectState) => projectRepository(project, (await engine).node?.node ?? null);
	const listOf = async (slug: ProjectSlug): Promise<readonly string[] | Refusal> => {
		const project = await (await engine).reads.project(slug);
		// reading the repository's takes a git command, and nothing of it can be in force
		if (project === undefined || project.approved.length === 0) {
			const own = await projectConfig(layout, project === undefined ? { slug } : await here(project));
			return isRefusal(own) ? own : (own.env ?? []);
		}
		const effective = await workspaces.settings(await here(project), project.approved);
		return isRefusal(effective) ? effective : effective.settings.env;
	};
	return async ({ project }) => {
		const list = project === null ? [] : await listOf(project);
		return "code" in list ? list.message : await listedVariables(home, list, environment);
	};
}

interface SandboxParts {
	containment: ContainmentLevel;
	environment: NodeJS.ProcessEnv;
	adapters: string;
	workspaces: GitWorkspaces;
	/** resolves when the engine is up; agents start after that */
	engine: Promise<Engine>;
	credentialFiles: Hidden["credentialFiles"];
}

export interface Hidden {
	/** the credentials of subscriptions */
	credentialFiles(): Promise<readonly string[]>;
	/** what every sandbox hides: the credentials of all agents, and paths in the daemon's environment */
	all(): Promise<readonly string[]>;
	/** called before the engine is up: sandboxes are made while it starts */
	opened(store: { reads: Pick<Reads, "subscriptions"> }): void;
}

export function hiddenIn(environment: NodeJS.ProcessEnv): Hidden {
	const { promise, resolve } = Promise.withResolvers<Parameters<Hidden["opened"]>[0]>();
	const credentialFiles = async (): Promise<string[]> => {
		const subscriptions = await (await promise).reads.subscriptions();
		return subscriptions.flatMap(credentialPaths);
	};
	return {
		credentialFiles,
		opened: resolve,
		all: async () => [...privatePaths(environment), ...vendorHomes(environment), ...(await credentialFiles())],
	};
}

export function sandboxOf({
	containment,
	environment,
	adapters,
	workspaces,
	engine,
	credentialFiles,
}: SandboxParts): Sandbox {
	return new Sandbox({
		containment,
		environment,
		programs: [programFolder, path.dirname(process.execPath), adapters],
		vendors: path.join(path.dirname(adapters), "vendors"),
		credentialFiles,
		async mountsFor({ project: slug, workspace }, folder) {
			const project = slug === null ? undefined : await (await engine).reads.project(slug);
			return project === undefined
				? null
				: await workspaces.mounts(projectRepository(project, (await engine).node?.node ?? null), folder, workspace);
		},
	});
}
