// Where an agent's files are.
import path from "node:path";
import type { Agent } from "#contract/wire.ts";

/** A file in the agent's workspace; without names its folder. Never one of this checkout, in which tests run. */
export function at({ handle, workspace }: Pick<Agent, "handle" | "workspace">, ...names: string[]): string {
	if (!workspace) throw new Error(`${handle} has no workspace`);
	return path.join(workspace.path, ...names);
}
