// The driver of the agents' processes: what it needs of the home, the workspaces and the engine.
import path from "node:path";
import { ProcessDriver } from "#adapters/driver/driver.ts";
import type { DriverOptions } from "#adapters/driver/options.ts";
import { type AgentProgram, programsFrom } from "#adapters/driver/programs.ts";
import type { GitWorkspaces } from "#adapters/git/workspaces.ts";
import { systemClock } from "#adapters/system/clock.ts";
import type { Engine } from "#engine/engine.ts";
import type { ProcessTokens } from "#engine/tokens.ts";
import { programPath, withBroodOnPath } from "#local/programs.ts";
import { type Hidden, sandboxChecks, sandboxOf, variablesIn } from "./sandboxes.ts";

export function processesIn(
	home: string,
	{ programs, workspaces, tokens, engine, credentialFiles, environment, ...more }: ProcessParts,
): ProcessDriver {
	const adapters = path.join(home, "adapters");
	const { containment } = more;
	const sandbox = sandboxOf({ containment, environment, adapters, workspaces, engine, credentialFiles });
	return new ProcessDriver({
		agentFolders: path.join(home, "agent-folders"),
		environmentOf: (agent) => (agent.workspace === null ? {} : workspaces.identity(agent)),
		variablesOf: variablesIn(home, environment, workspaces, engine),
		find: programsFrom({ own: programs, adapters }),
		toolServers: (own) => [
			{ name: "brood", command: process.execPath, args: [programPath("surfaces/cli/bin"), "mcp"], env: own },
		],
		issueToken: (agent) => tokens.issue(agent),
		revokeToken: (token) => tokens.revoke(token),
		environment: withBroodOnPath(environment),
		mountsFor: (agent, folder, credentials) => sandbox.mountsFor(agent, folder, credentials),
		...sandboxChecks(workspaces, engine),
		clock: systemClock,
		...more,
	});
}

interface ProcessParts extends Pick<DriverOptions, "homeId" | "url" | "containment" | "log" | "idle"> {
	/** of the daemon */
	environment: NodeJS.ProcessEnv;
	programs: Readonly<Record<string, AgentProgram>>;
	workspaces: GitWorkspaces;
	tokens: ProcessTokens;
	/** resolves when the engine is up */
	engine: Promise<Engine>;
	credentialFiles: Hidden["credentialFiles"];
}
