// An agent's hands inside of its sandbox: a shell in the room that its process would get.
import { spawnSync } from "node:child_process";
import type { Room } from "#adapters/system/mounts.ts";
import { contained, inRoom } from "#adapters/system/walls.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Stay } from "#engine/workspaces.ts";
import type { World } from "./world.ts";

export async function roomOf(world: World, { project, workspace }: Stay): Promise<Room> {
	const room = await world.workspaces.room(project, workspace.path, workspace);
	if (room === null || isRefusal(room)) throw new Error(`no room: ${room?.message}`);
	return room;
}

/** What a command says inside, and how it ends. */
export async function inside(world: World, stay: Stay, command: string): Promise<string> {
	return runIn(await roomOf(world, stay), stay.workspace.path, command, { HOME: world.root });
}

export function runIn(room: Room, folder: string, command: string, environment: Record<string, string>): string {
	const { command: program, args, pipes } = contained("bubblewrap", { command: "/bin/sh", args: ["-c", `(${command}) 2>&1; echo "exit $?"`] }, room);
	const env = inRoom({ PATH: process.env["PATH"] ?? "", GIT_CONFIG_NOSYSTEM: "1", ...environment }, room);
	const { output } = spawnSync(program, [...args], { cwd: folder, env, stdio: [...pipes.stdio], encoding: "utf8" });
	return output[pipes.output] ?? "";
}
