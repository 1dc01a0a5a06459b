// Turns a worker's fault into a refusal for the caller.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { GitFailed } from "../run/git.ts";
import { CalledOff, SandboxFault } from "./workers.ts";

/** It was ended on purpose: whoever looks at a workspace has learned nothing of it. */
export const isCalledOff = (error: unknown): boolean =>
	error instanceof CalledOff || (error instanceof GitFailed && error.calledOff);

/**
 * What was asked, or a refusal if it cannot be had: the workspace is damaged, and `recover` makes it whole, or its
 * program was too slow or was killed. The refusal passes: under the same key it is tried again.
 */
export async function orDamaged<T>({ project, agent, workspace }: Checkout, asked: Promise<T>): Promise<T | Refusal> {
	try {
		return await asked;
	} catch (error) {
		if (!(error instanceof SandboxFault)) throw error;
		const whose = `${project.slug}/${agent.handle}`;
		return refuse("GIT_FAILED", `The workspace of ${whose} cannot be read: ${error.message}`, {
			details: { path: workspace.path },
			suggestions: [`brood agent health ${whose}`, `brood agent recover ${whose}`],
		});
	}
}
