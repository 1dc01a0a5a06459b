// Starts an agent's program: its folder, its environment and its containment.
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { AgentState } from "#contract/agent.ts";
import { homeIdName } from "#contract/own-variables.ts";
import { sandboxEnvironment } from "../system/containment.ts";
import { type Launched, launch } from "./acp/launch.ts";
import { environmentFor } from "./environment.ts";
import { launchSettings, type StartRequest } from "./kept-process.ts";
import type { DriverOptions } from "./options.ts";
import type { AgentProgram } from "./programs.ts";

interface LaunchRequest {
	agent: AgentState;
	program: AgentProgram;
	request: StartRequest;
	token: string;
	/** of the daemon's environment for this program, and of `env:` lists */
	variables: Readonly<Record<string, string>>;
	credentials: Readonly<Record<string, string>>;
}

export async function launchAgent(
	options: DriverOptions,
	{ agent, program, request, token, variables, credentials }: LaunchRequest,
	signal: AbortSignal,
): Promise<Launched> {
	const folder = ensureWorkingFolder(options, agent);
	const own = { BROOD_AGENT: agent.id, BROOD_TOKEN: token, BROOD_URL: options.url() };
	const { environmentOf, environment, homeId } = options;
	return await launch({
		command: program.command,
		args: program.args,
		...(program.limitLogPattern && { limitLogPattern: program.limitLogPattern }),
		containment: options.containment,
		folder,
		session: {
			folder,
			// ours have the tools already, or no use for them
			toolServers: program.leavesNothing ? [] : options.toolServers(own),
			resume: request.own?.resumable === true ? request.own.sessionId : null,
			...{ copyOf: request.copyOf, costBefore: request.costBefore },
			...launchSettings(agent, program, request),
		},
		mounts: request.mounts,
		environment: {
			...sandboxEnvironment(environmentFor({}, environment, program.environment), request.mounts),
			// what a person named is passed into a sandbox as well
			...{ ...variables, ...credentials, ...request.mounts?.environment },
			...{ ...environmentOf(agent), ...own, [homeIdName]: homeId },
		},
		bad: (what) =>
			options.log.warn("agents", "An agent's program sent what is not a message", { agent: agent.id, what }),
		signal,
	});
}

export function ensureWorkingFolder(
	{ agentFolders }: Pick<DriverOptions, "agentFolders">,
	{ workspace, project, handle }: AgentState,
): string {
	if (workspace !== null) return workspace.path;
	const folder = path.join(agentFolders, project ?? "_", handle);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	return folder;
}
