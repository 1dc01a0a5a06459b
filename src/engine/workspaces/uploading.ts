// Snapshots for other nodes: after every snapshot a git bundle of it goes into the store's blobs, so that the agent's
// tree can be made again elsewhere even if this machine is gone. Each bundle has only what those before it lack.

import type { AgentState } from "#contract/agent.ts";
import { dataOf } from "#contract/event-data.ts";
import { AgentId } from "#contract/ids.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Reactor } from "../loop/reactor.ts";
import type { Blobs } from "../ports/blobs.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";
import type { Checkout } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { checkoutOf } from "./checkout.ts";
import { snapshot } from "./snapshot.ts";

export interface UploadParts {
	reads: Reads;
	dispatch: Dispatch;
	workspaces: Workspaces | null;
	/** null where other nodes cannot read them */
	blobs: Blobs | null;
	node: NodeEpoch | null;
	log: Log;
}

export const bytesMax = 64 * 1024 * 1024;
/** after so many bundles the next one needs none of them, and they are deleted */
const chainMax = 20;

/** Takes a snapshot now, if something changed, and uploads it; null also without a workspace, refused where snapshots stay local. */
export async function upload(parts: UploadParts, agent: AgentState): Promise<Refusal | null> {
	const { reads, workspaces } = parts;
	const checkout = workspaces === null ? null : await checkoutOf(reads, agent);
	if (checkout === null) return null;
	if (!(await uploads(parts, checkout)))
		return refuse("CONFLICT", `${agent.handle} stays at its node: its project has the setting \`snapshots: local\`.`, {
			suggestions: [`brood project settings ${checkout.project.slug}`],
		});
	const taken = await snapshot(parts, checkout, { reason: "uploaded" });
	return taken === undefined ? null : await uploadSnapshot(parts, agent.id, taken.id);
}

/** What other nodes need of an agent's work, oldest first. */
export async function bundlesOf(
	{ blobs }: Pick<UploadParts, "blobs">,
	{ id, handle, bundles, notUploaded }: AgentState,
): Promise<string[] | Refusal> {
	if (blobs === null || bundles.length === 0)
		return refuse("SNAPSHOT_GONE", `No snapshot of ${handle} is in the database.`, {
			details: { agent: id, ...(notUploaded && { reason: notUploaded.reason }) },
			suggestions: [`brood agent health ${handle}`],
		});
	const texts: string[] = [];
	for (const { blob } of bundles) {
		const text = await blobs.get(blob);
		if (text === null)
			return refuse("SNAPSHOT_GONE", `A part of the snapshots of ${handle} is missing in the database.`);
		texts.push(text);
	}
	return texts;
}

/** Whether an agent's snapshots are uploaded. */
async function uploadsSnapshots({ reads, workspaces, blobs, node }: UploadParts, agent: AgentState): Promise<boolean> {
	if (workspaces === null || blobs === null || node === null || agent.project === null) return false;
	if (agent.workspace === null || agent.workspace.kind === "main" || !isOwn(node, agent)) return false;
	if ((await reads.nodes()).length < 2) return false;
	const project = await reads.project(agent.project);
	if (project === undefined) return false;
	// a repository without a remote can be at another node only where it has a site
	if (project.url === null && (project.sites ?? []).length === 0) return false;
	const checkout = await checkoutOf(reads, agent);
	return checkout !== null && (await uploads({ workspaces }, checkout));
}

async function uploads({ workspaces }: Pick<UploadParts, "workspaces">, { project }: Checkout): Promise<boolean> {
	const effective = await workspaces?.settings(project);
	return effective !== undefined && !isRefusal(effective) && effective.settings.snapshots === "database";
}

async function uploadSnapshot(parts: UploadParts, id: AgentId, snapshotId: string): Promise<Refusal | null> {
	const { reads, dispatch, workspaces, blobs } = parts;
	const agent = await reads.agent(id);
	const checkout = workspaces === null || agent === undefined ? null : await checkoutOf(reads, agent);
	if (agent === undefined || checkout === null || workspaces === null || blobs === null) return null;
	if (agent.bundles.at(-1)?.snapshot === snapshotId) return null;
	const whole = agent.bundles.length === 0 || agent.bundles.length >= chainMax;
	const since = whole ? null : (agent.bundles.at(-1)?.commit ?? null);
	const made = await workspaces.bundle(checkout, { snapshot: snapshotId, since, bytesMax });
	if (isRefusal(made)) {
		await dispatch(bySystem({ type: "agent.upload", agent: id, reason: made.message.slice(0, 1000) }));
		return made;
	}
	const blob = await blobs.put(made.text);
	const bundle = { blob, snapshot: snapshotId, commit: made.commit, bytes: made.bytes };
	await dispatch(bySystem({ type: "agent.upload", agent: id, bundle, whole }));
	if (whole) for (const old of agent.bundles) if (old.blob !== blob) await blobs.drop(old.blob);
	return null;
}

/**
 * Uploads each snapshot of this node's agents. One that is missed is uploaded with the next, or when the agent is moved. Those of
 * an agent that was deleted go, whoever sees it first; what is left of them after a stop goes after the next start.
 */
export function uploadReactor(parts: UploadParts): Reactor {
	const taken = new Map<AgentId, string>();
	// also after a start
	let deleted = true;
	return {
		name: "upload",
		wakes(event) {
			const made = dataOf(event, "workspace.snapshotted");
			if (event.kind === "agent.deleted") deleted = true;
			if (made === undefined || event.agent === null) return event.kind === "agent.deleted";
			taken.set(event.agent, made.snapshot);
			return true;
		},
		async look(signal) {
			for (const [id, number] of taken) {
				if (signal.aborted) return "done";
				taken.delete(id);
				const agent = await parts.reads.agent(AgentId.parse(id));
				if (agent === undefined || !(await uploadsSnapshots(parts, agent))) continue;
				await uploadSnapshot(parts, id, number).catch(
					caught(parts.log, "upload", "A snapshot could not be uploaded", { agent: id }),
				);
			}
			const gone = deleted && parts.blobs !== null ? await parts.reads.agentsWithStrayFiles() : [];
			deleted = false;
			for (const agent of gone) if (!signal.aborted && agent.workspaceRemovedAt !== null) await drop(parts, agent);
			return "done";
		},
	};
}

async function drop({ blobs, dispatch, log }: UploadParts, { id, bundles }: AgentState): Promise<void> {
	if (blobs === null || bundles.length === 0) return;
	try {
		for (const { blob } of bundles) await blobs.drop(blob);
		await dispatch(bySystem({ type: "agent.upload", agent: id, reason: "it was deleted", dropped: true }));
	} catch (error) {
		caught(log, "upload", "The bundles of a deleted agent could not be dropped", { agent: id })(error);
	}
}
