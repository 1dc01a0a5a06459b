// Snapshots for other nodes: after every snapshot a git bundle of it goes into the store's blobs, so that the agent's
// tree can be made again elsewhere even if this machine is gone. Each bundle has only what those before it lack.

import type { AgentState } from "#contract/agent.ts";
import { dataOf } from "#contract/event-data.ts";
import type { AgentId } from "#contract/ids.ts";
import { isActive, isOwn, type NodeEpoch, type NodeState } from "#contract/node.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Reactor } from "../loop/reactor.ts";
import { untilRecorded } from "../loop/retry.ts";
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

/**
 * Takes a snapshot now, if something changed, and uploads it; null also without a workspace, refused where snapshots
 * stay local.
 */
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
	{ blobs, reads }: Pick<UploadParts, "blobs" | "reads">,
	agent: AgentState,
): Promise<string[] | Refusal> {
	const { handle, bundles } = agent;
	if (blobs === null || bundles.length === 0)
		return neverUploaded(agent, agent.node === null ? undefined : await reads.node(agent.node));
	const texts: string[] = [];
	for (const { blob } of bundles) {
		const text = await blobs.get(blob);
		if (text === null)
			return refuse("SNAPSHOT_GONE", `A part of the snapshots of ${handle} is missing in the database.`);
		texts.push(text);
	}
	return texts;
}

function neverUploaded({ id, handle, notUploaded }: AgentState, at: NodeState | undefined): Refusal {
	const up = at !== undefined && isActive(at);
	const name = at?.name ?? "of its own";
	return refuse(
		"SNAPSHOT_GONE",
		`No snapshot of ${handle} is in the database: its files are only at node ${name}${up ? ". That node is up: without --force it is asked for one." : ", which has to be started again."}`,
		{
			details: { agent: id, ...(notUploaded && { reason: notUploaded.reason }) },
			suggestions: [up ? `brood agent health ${handle}` : "brood node list"],
		},
	);
}

/** Why snapshots of an agent with files are not uploaded; null if they are, "" where nobody could read them. */
export async function whyNotUploaded(
	{ reads, workspaces, blobs, node }: Omit<UploadParts, "dispatch" | "log">,
	agent: AgentState,
): Promise<string | null> {
	const project = agent.project === null ? undefined : await reads.project(agent.project);
	if (workspaces === null || blobs === null || node === null || project === undefined) return "";
	if (agent.workspace === null || !isOwn(node, agent) || (await reads.nodes()).length < 2) return "";
	if (agent.workspace.kind === "main") return "it works in the repository itself";
	// a repository without a remote can be at another node only where it has a site
	if (project.url === null && (project.sites ?? []).length === 0)
		return `${project.slug} has no repository at another node`;
	const checkout = await checkoutOf(reads, agent);
	if (checkout === null) return "";
	const effective = await workspaces.settings(checkout.project);
	if (isRefusal(effective)) return "the settings of its project cannot be read";
	return effective.settings.snapshots === "database" ? null : "its project has the setting `snapshots: local`";
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
	const outcome = await untilRecorded(dispatch, bySystem({ type: "agent.upload", agent: id, bundle, whole }));
	// its row names the old ones until this is recorded
	if (whole && outcome !== null && "done" in outcome)
		for (const old of agent.bundles) if (old.blob !== blob) await blobs.drop(old.blob);
	return null;
}

/**
 * Uploads each snapshot of this node's agents, and a first one of a new agent: its node may be gone before its first
 * turn ends. What was made before other nodes could use it, or was missed at a stop, is uploaded as soon as that
 * changes. The first node that sees that an agent was deleted drops its bundles; what a stop leaves of them is dropped
 * after the next start.
 */
export function uploadReactor(parts: UploadParts): Reactor {
	const due = new Set<AgentId>();
	// also after a start
	let [deleted, all] = [true, true];
	return {
		name: "upload",
		wakes(event) {
			if (event.kind === "agent.deleted") deleted = true;
			if (event.kind === "site.added" || event.kind === "node.joined") all = true;
			const isDue = event.kind === "workspace.snapshotted" || event.kind === "agent.provisioned";
			if (isDue && event.agent !== null) due.add(event.agent);
			return isDue || ["agent.deleted", "site.added", "node.joined"].includes(event.kind);
		},
		async look(signal) {
			const agents = all && parts.blobs !== null ? await parts.reads.agents({ life: "live" }) : [];
			all = false;
			for (const agent of agents) if (agent.workspace !== null && isOwn(parts.node, agent)) due.add(agent.id);
			for (const id of due) {
				if (signal.aborted) return "done";
				due.delete(id);
				await uploadNewest(parts, id).catch(
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

async function uploadNewest(parts: UploadParts, id: AgentId): Promise<void> {
	const agent = await parts.reads.agent(id);
	if (agent === undefined || (await whyNotUploaded(parts, agent)) !== null) return;
	const newest = await newestSnapshot(parts.reads, id);
	if (newest !== null) await uploadSnapshot(parts, id, newest);
	// while it works its tree changes: its turn ends with a snapshot
	else if (agent.turn === null && agent.lease === null) await upload(parts, agent);
}

/** Null if none was taken at its present node: a repository numbers its snapshots by itself. */
async function newestSnapshot(reads: Reads, id: AgentId): Promise<string | null> {
	const newest = async (kind: "workspace.snapshotted" | "agent.moved") =>
		await reads.newestOfKind(id, kind, Number.MAX_SAFE_INTEGER);
	const [taken, moved] = [await newest("workspace.snapshotted"), await newest("agent.moved")];
	if (taken === undefined || taken.id < (moved?.id ?? 0)) return null;
	return dataOf(taken, "workspace.snapshotted")?.snapshot ?? null;
}

/** The newest snapshot that was uploaded, if the agent has a newer one: other nodes would make an older tree. */
export async function olderUpload(reads: Reads, { id, bundles }: AgentState): Promise<string | null> {
	const uploaded = bundles.at(-1)?.snapshot ?? null;
	const newest = uploaded === null ? null : await newestSnapshot(reads, id);
	return newest === null || newest === uploaded ? null : uploaded;
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
