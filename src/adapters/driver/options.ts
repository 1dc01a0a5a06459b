// What the driver of processes is given by the composition root.
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import type { CheckedFiles, FileCheck } from "#contract/file-check.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Clock } from "#engine/ports/clock.ts";
import type { Log } from "#engine/ports/log.ts";
import type { SandboxMounts } from "../system/mounts.ts";
import type { ToolServer } from "./acp/open.ts";
import type { IdleBounds } from "./idle.ts";
import type { FindProgram } from "./programs.ts";
import type { AutorunFiles } from "./trust.ts";

export interface DriverOptions {
	/** the home's random id: only processes that carry it are ever signalled */
	homeId: string;
	/** what an agent sees besides: its name on commits */
	environmentOf(agent: AgentState): Readonly<Record<string, string>>;
	/** the variables of `env:` lists for this agent; a sentence if a list cannot be read */
	variablesOf(agent: AgentState): Promise<Readonly<Record<string, string>> | string>;
	/** agents without a workspace work below this folder */
	agentFolders: string;
	find: FindProgram;
	/** the MCP servers that offer our tools to vendors' agents, given the agent's variables */
	toolServers(own: Readonly<Record<string, string>>): readonly ToolServer[];
	/** a secret for one process, and how to make it worthless */
	issueToken(agent: AgentId): string;
	revokeToken(token: string): void;
	url(): string;
	/** the daemon's own environment, of which agents see a part */
	environment: NodeJS.ProcessEnv;
	containment: ContainmentLevel;
	/** what it may see and change in its folder; a sentence if the sandbox that it needs cannot be had */
	mountsFor(
		agent: AgentState,
		folder: string,
		credentials: () => Readonly<Record<string, string>>,
	): Promise<SandboxMounts | null | string>;
	/** what a workspace brings that only a sandbox may look into */
	autorunFilesInSandbox(agent: AgentState): Promise<AutorunFiles | null | "not in a sandbox">;
	/** what has to be known of a sandboxed agent's files, which only the sandbox may look at */
	checkFilesInSandbox(agent: AgentState, check: FileCheck): Promise<CheckedFiles | "not in a sandbox">;
	clock: Clock;
	log: Log;
	idle: IdleBounds;
}
