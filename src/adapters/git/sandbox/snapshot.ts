// Snapshots of a sandboxed workspace: taken in the sandbox, kept in the project's repository.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { branchRef } from "../format/refs.ts";
import { serialized } from "../run/exclusive.ts";
import { findSnapshot, type StoredSnapshot } from "../snapshot/snapshots.ts";
import { steps } from "../worker/steps.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { clientFor, openClient, type SandboxedCheckout } from "./worker-client.ts";

type Taken = { snapshot: StoredSnapshot; fresh: boolean };

/** One at a time for each agent: a second one finds what the first has taken. */
export const snapshotSandboxed = async (
	context: GitContext,
	checkout: SandboxedCheckout,
	reason: string,
	turn: number | null = null,
): Promise<Taken | Refusal> =>
	await serialized(
		`snapshots ${checkout.project.path}\0${checkout.agent.id}`,
		async () => await takeOne(context, checkout, reason, turn),
	);

async function takeOne(
	context: GitContext,
	checkout: SandboxedCheckout,
	reason: string,
	turn: number | null,
): Promise<Taken | Refusal> {
	const client = await openClient(context, checkout);
	if (isRefusal(client)) return client;
	const { commit, fresh } = await client.ask(steps.snapshot, { reason, turn });
	const { last } = client.given;
	if (fresh || last === null || last.commit !== commit)
		return { snapshot: await client.pullSnapshot(commit), fresh: true };
	const snapshot = await findSnapshot(context.git, checkout.project.path, last.ref);
	if (snapshot === null) throw new Error(`${last.ref} cannot be read`);
	return { snapshot, fresh: false };
}

/** Takes a snapshot and imports the branch, so that the project has everything a turn has done. */
export async function keepSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	reason: string,
	turn: number | null,
): ReturnType<typeof snapshotSandboxed> {
	const taken = await snapshotSandboxed(context, checkout, reason, turn);
	if (isRefusal(taken)) return taken;
	const { head } = taken.snapshot.manifest;
	const client = await clientFor(context, checkout);
	if (isRefusal(client)) return taken;
	const isKnown = head.branch === branchRef(checkout.workspace.branch) && head.commit === client.seen;
	if (!isKnown) await client.pullChanges();
	return taken;
}
