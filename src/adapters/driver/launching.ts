// Starting an agent's program: in which folder, with which variables, behind which wall.
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { AgentState } from "#contract/agent.ts";
import { markName } from "../system/processes.ts";
import { inRoom } from "../system/walls.ts";
import { type Launched, launch } from "./acp/launch.ts";
import { environmentFor } from "./environment.ts";
import type { DriverOptions } from "./options.ts";
import type { AgentProgram } from "./programs.ts";
import { type RoomWish, toldOf } from "./warm.ts";

interface Start {
	agent: AgentState;
	program: AgentProgram;
	wish: RoomWish;
	token: string;
	paid: Readonly<Record<string, string>>;
}

export async function launchAgent(options: DriverOptions, { agent, program, wish, token, paid }: Start, signal: AbortSignal): Promise<Launched> {
	const folder = folderOf(options, agent);
	const own = { BROOD_AGENT: agent.id, BROOD_TOKEN: token, BROOD_URL: options.url() };
	const { environmentOf, environment, mark } = options;
	return await launch({
		command: program.command,
		args: program.args,
		...(program.complains && { complains: program.complains }),
		containment: options.containment,
		folder,
		session: {
			folder,
			// ours have the tools already, or no use for them
			toolServers: program.leavesNothing ? [] : options.toolServers(own),
			resume: wish.own?.afresh === true ? wish.own.session : null,
			...{ copyOf: wish.copyOf, costBefore: wish.costBefore },
			...toldOf(agent, program, wish),
		},
		room: wish.room,
		environment: inRoom(environmentFor({ ...environmentOf(agent), ...own, [markName]: mark }, environment, { ...program.environment, ...paid }), wish.room),
		bad: (what) => options.log.warn("agents", "An agent's program sent what is no message", { agent: agent.id, what }),
		signal,
	});
}

export function folderOf({ scratch }: Pick<DriverOptions, "scratch">, { workspace, project, handle }: AgentState): string {
	if (workspace !== null) return workspace.path;
	const folder = path.join(scratch, project ?? "_", handle);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	return folder;
}
