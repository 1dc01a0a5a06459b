// A shell in the sandbox that an agent's process would get.
import { spawnSync } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { containedCommand, sandboxEnvironment, upText } from "#adapters/system/containment.ts";
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { freshFolder } from "./stores.ts";
import type { World } from "./world.ts";

export async function mountsFor(world: World, { project, workspace }: Checkout): Promise<SandboxMounts> {
	const mounts = await world.workspaces.mounts(project, workspace.path, workspace);
	if (mounts === null || isRefusal(mounts)) throw new Error(`no sandbox: ${mounts?.message}`);
	return mounts;
}

/** What a command says inside, and how it ends. */
export async function inside(world: World, checkout: Checkout, command: string): Promise<string> {
	return runInSandbox(await mountsFor(world, checkout), checkout.workspace.path, command, { HOME: world.root });
}

export function runInSandbox(
	mounts: SandboxMounts,
	folder: string,
	command: string,
	environment: Record<string, string>,
): string {
	const {
		command: program,
		args,
		pipes,
	} = containedCommand("bubblewrap", { command: "/bin/sh", args: ["-c", `(${command}) 2>&1; echo "exit $?"`] }, mounts);
	const env = sandboxEnvironment({ PATH: process.env["PATH"] ?? "", GIT_CONFIG_NOSYSTEM: "1", ...environment }, mounts);
	// nobody can close the lifeline while this waits, so the program counts as up
	const up = path.join(freshFolder(), "up");
	writeFileSync(up, upText);
	const stdio = [...pipes.stdio].map((pipe, number) => (number === pipes.lifeline ? openSync(up, "r") : pipe));
	const { output } = spawnSync(program, [...args], { cwd: folder, env, stdio, encoding: "utf8" });
	return output[pipes.output] ?? "";
}
