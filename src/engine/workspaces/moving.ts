// Moving an agent to this node: its tree is made again from the bundles of its last snapshot, then it is this node's.
// Its former node, now or when it comes back, puts the old tree into its trash.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import { isActive, type NodeState, noNode, noOtherNode } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { refusedMove } from "#domain/agent/move.ts";
import { agentMoveFacts } from "../commands/move-facts.ts";
import type { Reactor } from "../loop/reactor.ts";
import { bySystem } from "../ports/dispatch.ts";
import type { Driver } from "../ports/driver.ts";
import { caught } from "../ports/log.ts";
import type { Provisioned } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { approvedIn, projectRepository } from "./checkout.ts";
import type { Sites } from "./sites.ts";
import { keyAndFingerprint, type Requester } from "./steps.ts";
import { bundlesOf, olderUpload, type UploadParts } from "./uploading.ts";

export interface MovingParts extends UploadParts {
	driver: Pick<Driver, "end"> | null;
	/** the agents whose trees are being made or put away here because of a move */
	moving: Set<AgentId>;
	/** null where there is no git */
	sites: Pick<Sites, "settingsProblem"> | null;
}

/** What of the agent's files did not come along, and what else the agent was told of its new ones. */
export type MoveResult = Pick<Provisioned, "missing" | "notes">;

/** Has the agent's present node take a snapshot and upload it. */
export type AskToUpload = (node: NodeState) => Promise<Refusal | null>;

export async function moveHere(
	parts: MovingParts,
	agent: AgentState,
	options: { force: boolean },
	by: Requester,
	askToUpload: AskToUpload,
): Promise<MoveResult | Refusal> {
	const { id, handle } = agent;
	const busy = refuse("AGENT_BUSY", `${handle} is being moved.`, {
		details: { agent: id },
		suggestions: [`brood agent status ${handle}`],
	});
	return (await oneAtATime(parts, agent, async () => await move(parts, agent, options, by, askToUpload))) ?? busy;
}

/** One move of an agent at a time: two would make and remove the same tree and branch. Null during another move. */
async function oneAtATime<T>({ moving }: MovingParts, { id }: AgentState, work: () => Promise<T>): Promise<T | null> {
	if (moving.has(id)) return null;
	moving.add(id);
	try {
		return await work();
	} finally {
		moving.delete(id);
	}
}

async function move(
	parts: MovingParts,
	given: AgentState,
	{ force }: { force: boolean },
	by: Requester,
	askToUpload: AskToUpload,
): Promise<MoveResult | Refusal> {
	const { reads, node: me } = parts;
	const from = given.node === null ? undefined : await reads.node(given.node);
	if (me === null || from === undefined) return noOtherNode();
	if (from.id === me.node)
		return refuse("CONFLICT", `${given.handle} is at node ${from.name} already.`, { suggestions: ["brood node list"] });
	const facts = await agentMoveFacts(reads, given, me.node);
	const refusal = facts === null ? noNode(me.node) : refusedMove(given, facts);
	if (refusal !== null) return refusal;
	const unknown = given.project === null ? null : await parts.sites?.settingsProblem(given.project);
	if (unknown != null) return unknown;
	// what is on the other machine now, if it can be asked
	const refused = given.workspace !== null && isActive(from) && !force ? await askToUpload(from) : null;
	if (refused !== null) return refused.code === "NODE_DOWN" ? notUploaded(given, from, refused) : refused;
	const agent = (await reads.agent(given.id)) ?? given;
	const older = await olderUpload(reads, agent);
	if (older !== null && !isActive(from) && !force) return lastIsElsewhere(agent, from, older);
	// what it left here earlier is at the same path
	await putAway(parts, agent);
	const made = agent.workspace === null ? null : await rebuilt(parts, agent, by);
	if (made !== null && isRefusal(made)) return made;
	const { id, turnEndedIn, bundles } = agent;
	const outcome = await parts.dispatch({
		actor: by.actor,
		...keyAndFingerprint(by),
		command: {
			type: "agent.move",
			agent: id,
			from: { node: from.id, epoch: from.epoch, turnEndedIn, snapshot: bundles.at(-1)?.snapshot ?? null },
			...(made !== null && { workspace: made.workspace, head: made.head }),
		},
	});
	if ("refused" in outcome) {
		if (made !== null) await discardMade(parts, agent, made);
		return outcome.refused;
	}
	if (made === null) return { missing: [], notes: [] };
	const behind = `Your files are as snapshot ${older} has them, the newest one in the database: what you changed after it is only at node ${from.name}.`;
	const notes = [...(older === null ? [] : [behind]), ...made.notes];
	await tell(parts, agent, from, { ...made, notes });
	return { missing: made.missing, notes };
}

/** Files that the agent made would be missing, and it would not know. */
const lastIsElsewhere = (
	{ id, handle, notUploaded: why }: AgentState,
	{ id: node, name }: NodeState,
	older: string,
): Refusal =>
	refuse(
		"SNAPSHOT_GONE",
		`The last snapshot of ${handle} is not in the database${why === null ? "" : `: ${why.reason}`}. Its files are only at node ${name}, which has to be started again. With --force, ${handle} is moved with snapshot ${older}, without what it changed after that.`,
		{ details: { agent: id, node, snapshot: older }, suggestions: ["brood node list"] },
	);

/** Only the upload was asked for: the agent and its files are where they were. */
const notUploaded = (
	{ id, handle }: AgentState,
	{ id: node, name }: NodeState,
	{ suggestions }: Pick<Refusal, "suggestions">,
): Refusal =>
	refuse(
		"NODE_DOWN",
		`Nothing was moved: node ${name} stopped before it had uploaded the files of ${handle}. Once \`brood node list\` shows it as stopped or down, the same command moves ${handle} with its last snapshot.`,
		{ details: { agent: id, node }, suggestions },
	);

async function rebuilt(parts: MovingParts, agent: AgentState, by: Requester): Promise<Provisioned | Refusal> {
	const { workspaces, reads, node } = parts;
	const project = agent.project === null ? undefined : await reads.project(agent.project);
	const { id, handle, workspace } = agent;
	const bundles = await bundlesOf(parts, agent);
	if (isRefusal(bundles)) return bundles;
	const snapshot = agent.bundles.at(-1)?.snapshot;
	if (workspaces === null || project === undefined || workspace === null || snapshot === undefined)
		return refuse("SNAPSHOT_GONE", `${handle} has no files that could be moved.`);
	const refused = await ensureSiteHere(parts, project, by);
	if (refused !== null) return refused;
	const there = projectRepository((await reads.project(project.slug)) ?? project, node?.node ?? null);
	const request = { project: there, agent: { id, handle }, workspace, bundles, snapshot };
	const made = await workspaces.provisionMoved(request, { approved: project.approved });
	if (isRefusal(made) || !made.found) return made;
	// a move that a crash cut off has left an older state of the tree
	const checkout = { project: there, agent: { id, handle }, workspace: made.workspace };
	const removed = await workspaces.remove(checkout, { force: true, approved: project.approved });
	return isRefusal(removed) ? removed : await workspaces.provisionMoved(request, { approved: project.approved });
}

/** A project with a URL is cloned here; any other needs a repository that a person has named. */
export async function ensureSiteHere(
	{ node, reads, workspaces, dispatch }: MovingParts,
	project: ProjectState,
	by: Requester,
): Promise<Refusal | null> {
	if (node === null || workspaces === null) return null;
	const known = project.node === node.node || (project.sites ?? []).some((each) => each.node === node.node);
	if (known) return null;
	const { slug, url } = project;
	if (url === null) {
		const { name = node.node } = (await reads.node(node.node)) ?? {};
		return refuse("CONFLICT", `${slug} has no repository at node ${name}.`, {
			details: { project: slug, node: node.node },
			suggestions: [`brood project site add ${slug} --node ${name} --path FOLDER`],
		});
	}
	const opened = await workspaces.openProject({ slug, source: url });
	if (isRefusal(opened)) return opened;
	const outcome = await dispatch({
		actor: by.actor,
		key: null,
		command: { type: "site.add", project: slug, node: node.node, path: opened.path },
	});
	return "refused" in outcome ? outcome.refused : null;
}

async function discardMade(
	{ workspaces, reads, node, log }: MovingParts,
	agent: AgentState,
	made: Provisioned,
): Promise<void> {
	const project = agent.project === null ? undefined : await reads.project(agent.project);
	if (project === undefined) return;
	const { id, handle } = agent;
	const checkout = {
		project: projectRepository(project, node?.node ?? null),
		agent: { id, handle },
		workspace: made.workspace,
	};
	await workspaces
		?.remove(checkout, { force: true, deleteBranch: true })
		.catch(caught(log, "move", "The tree of a move that was refused could not be removed", { agent: id }));
}

/** The agent knows that it is elsewhere, and what of its files did not come along. */
async function tell({ dispatch }: MovingParts, { id }: AgentState, from: NodeState, made: Provisioned): Promise<void> {
	const missing = made.missing.slice(0, 20).map(({ path, reason }) => `${path} did not come along: ${reason}.`);
	const moved = `You were moved from node ${from.name} to another machine. Your files are in ${made.workspace.path} now, as your last snapshot in the database has them; files that git ignores did not come along.`;
	for (const text of [moved, ...missing, ...made.notes])
		await dispatch(bySystem({ type: "item.append", agent: id, kind: "system", text }));
}

/**
 * At a node that agents were moved away from: ends what is left of their processes, and keeps their old trees in the
 * trash.
 */
export function formerWorkspacesReactor(parts: MovingParts): Reactor {
	const { reads, log } = parts;
	return {
		name: "former workspaces",
		wakes: ({ kind }) => kind === "agent.moved",
		async look(signal) {
			for (const agent of await reads.agentsWithStrayFiles()) {
				if (signal.aborted) return "done";
				const failed = "The tree of an agent that was moved away could not be put into the trash";
				await oneAtATime(parts, agent, async () => await putAway(parts, agent)).catch(
					caught(log, "move", failed, { agent: agent.id }),
				);
			}
			return "done";
		},
	};
}

async function putAway(parts: MovingParts, agent: AgentState): Promise<void> {
	const { node, workspaces, driver, dispatch } = parts;
	if (node === null || workspaces === null) return;
	for (const former of agent.former) {
		if (former.node !== node.node || former.trash !== null) continue;
		if (agent.node !== node.node) await driver?.end(agent.id);
		const trash = await trashFormer(workspaces, parts, agent, former.workspace);
		await dispatch(bySystem({ type: "agent.trash", agent: agent.id, node: node.node, trash }));
	}
}

/** Where the tree is in the trash; null if there was none. */
async function trashFormer(
	workspaces: Workspaces,
	{ reads, node }: MovingParts,
	agent: AgentState,
	workspace: NonNullable<AgentState["workspace"]>,
): Promise<string | null> {
	const project = agent.project === null ? undefined : await reads.project(agent.project);
	if (project === undefined) return null;
	const { id, handle } = agent;
	const checkout = { project: projectRepository(project, node?.node ?? null), agent: { id, handle }, workspace };
	const removed = await workspaces.remove(checkout, { force: true, approved: await approvedIn(reads, agent) });
	if (isRefusal(removed)) throw new Error(removed.message);
	return removed.trash;
}
