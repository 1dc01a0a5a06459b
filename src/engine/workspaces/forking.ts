// A fork with its parent's files: the conversation and the tree are cut at one moment.
//
// While the parent is idle, a lease keeps turns and other git steps away until the cut is made. While it runs, its
// processes are frozen and the cut is made between two tool calls; nothing is frozen while the fork waits for such a
// moment. A fork from an older item takes the last snapshot before the end of that item's turn: a turn that changed
// nothing takes none, so an earlier one has its files.

import type { AgentState } from "#contract/agent.ts";
import type { CommandInput } from "#contract/command.ts";
import { dataOf } from "#contract/event-data.ts";
import { fullName } from "#contract/full-name.ts";
import { type AgentId, agentOf } from "#contract/ids.ts";
import { nearestSnapshot } from "#contract/nearest-snapshot.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { suggestion } from "#domain/agent-state/transitions.ts";
import { openCallsOf } from "#domain/turn-end.ts";
import type { Publisher } from "../loop/publish.ts";
import { until } from "../loop/until.ts";
import { bySystem, type CommandRequest, type Dispatch, type Outcome } from "../ports/dispatch.ts";
import type { Driver } from "../ports/driver.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { checkoutOf } from "./checkout.ts";
import { leaseBySystem, whileLeased } from "./leased.ts";
import { snapshot } from "./snapshot.ts";

export interface ForkParts {
	reads: Reads;
	dispatch: Dispatch;
	publisher: Publisher;
	driver: Driver | null;
	workspaces: Workspaces | null;
	log: Log;
}

export interface SpawnRequest extends CommandRequest {
	command: Extract<CommandInput, { type: "agent.spawn" }> & { parent: AgentId };
	/** aborted when nobody waits for the fork any longer: it is given up unless the cut has been made */
	gone?: AbortSignal | undefined;
}

/** how long a fork waits for a moment to cut, or for a tool call to end, before it is refused */
export const forkTimeoutMs = 5000;

/** how long a fork waits for its own tool call to be recorded */
const callTimeoutMs = 1000;

type Files = { snapshot: string; snapshotOf: AgentId };

/** Null if the fork takes no files along: then only the conversation is cut. */
export async function forkWithFiles(parts: ForkParts, { gone, ...request }: SpawnRequest): Promise<Outcome | null> {
	const { command: params } = request;
	await callRecorded(parts, request);
	const parent = await parts.reads.agent(params.parent);
	const caller = agentOf(request.actor);
	const wanted = params.workspace !== "none" && params.workspace !== "share" && params.from === undefined;
	const may = caller === null || caller === params.parent;
	if (
		parts.workspaces === null ||
		parent === undefined ||
		parent.workspace === null ||
		parent.workspaceRemovedAt !== null ||
		!wanted ||
		!may
	)
		return null;
	if (params.at !== undefined) {
		const files = await filesAt(parts, params.at);
		return files !== null && isRefusal(files)
			? { refused: files, replayed: false }
			: await parts.dispatch(withFiles(request, files));
	}
	const attempt = async (): Promise<Outcome | null> => {
		const outcome = await cut(parts, request);
		return outcome === "not now" ? null : outcome;
	};
	return (await untilFree(parts.publisher, attempt, gone)) ?? { refused: busy(parent), replayed: false };
}

/** Tries a fork again after every event until its parent is free. Null after the deadline, or if the caller is gone. */
export async function untilFree(
	publisher: Publisher,
	attempt: () => Promise<Outcome | null>,
	gone: AbortSignal | undefined,
): Promise<Outcome | null> {
	return await until(publisher, attempt, {
		timeoutMs: forkTimeoutMs,
		signals: gone === undefined ? [] : [gone],
	});
}

/**
 * An agent forks itself with a tool call, which reaches the journal on another path than the fork itself. The call
 * belongs to the conversation that the child inherits, so the fork waits for it.
 */
async function callRecorded(
	{ reads, publisher }: ForkParts,
	{ actor, command: { parent, context, at } }: SpawnRequest,
): Promise<void> {
	if (agentOf(actor) !== parent || context !== "inherit" || at !== undefined) return;
	const isRecorded = async (): Promise<true | null> => {
		const turn = (await reads.agent(parent))?.turn;
		return turn == null || openCallsOf(await reads.callsOfTurn(parent, turn.id)).length > 0 ? true : null;
	};
	await until(publisher, isRecorded, { timeoutMs: callTimeoutMs });
}

async function cut(parts: ForkParts, request: SpawnRequest): Promise<Outcome | "not now"> {
	const parent = await parts.reads.agent(request.command.parent);
	if (parent === undefined) return await parts.dispatch(request);
	if (parent.turn === null)
		return await whileLeased(parts, leaseBySystem({ agent: parent.id, step: "fork" }), async (refused) =>
			refused?.code === "AGENT_BUSY"
				? "not now"
				: await parts.dispatch(withFiles(request, await filesNow(parts, parent))),
		);
	if (await inToolCall(parts, parent, request)) return "not now";
	const made = async (lasted: () => boolean): Promise<Outcome | "not now"> => {
		if (await inToolCall(parts, parent, request)) return "not now";
		const outcome = await parts.dispatch(withFiles(request, await filesNow(parts, parent)));
		if (isForkBusy(outcome)) return "not now";
		if ("done" in outcome && !lasted()) await noteSlowSnapshot(parts, outcome);
		return outcome;
	};
	return parts.driver === null ? await made(() => true) : await parts.driver.frozen(parent.id, made);
}

export const isForkBusy = (outcome: Outcome): boolean => "refused" in outcome && outcome.refused.code === "FORK_BUSY";

/** A person's fork waits for the end of a call; for an agent's fork, that call is its own. */
async function inToolCall(
	{ reads }: ForkParts,
	{ id, turn }: AgentState,
	{ actor, command }: SpawnRequest,
): Promise<boolean> {
	if (turn === null || command.context !== "inherit" || agentOf(actor) !== null) return false;
	return openCallsOf(await reads.callsOfTurn(id, turn.id)).length > 0;
}

/** A snapshot of the tree now; the newest one if the tree is gone. */
async function filesNow(parts: ForkParts, parent: AgentState): Promise<Files | null> {
	const checkout = await checkoutOf(parts.reads, parent);
	if (checkout === null || parts.workspaces === null) return null;
	const taken = await snapshot(parts, checkout, { reason: "fork" }).catch(
		caught(parts.log, "fork", "No snapshot could be taken for a fork", { agent: parent.id }),
	);
	if (taken !== undefined) return { snapshot: taken.id, snapshotOf: parent.id };
	const all = await parts.workspaces
		.snapshots(checkout)
		.catch(caught(parts.log, "fork", "The snapshots of an agent could not be listed", { agent: parent.id }));
	const newest = all?.[0];
	return newest === undefined ? null : { snapshot: newest.id, snapshotOf: parent.id };
}

async function filesAt({ reads, workspaces }: ForkParts, at: number): Promise<Files | null | Refusal> {
	const item = await reads.event(at);
	const owner = item?.agent == null ? undefined : await reads.agent(item.agent);
	const checkout = owner === undefined ? null : await checkoutOf(reads, owner);
	if (item === undefined || owner === undefined || checkout === null || workspaces === null) return null;
	const turn = item.turn === null ? undefined : await reads.turn(item.turn);
	const bound = turn === undefined ? item.id : (turn.finalItem ?? Number.MAX_SAFE_INTEGER);
	const wanted = await reads.newestOfKind(owner.id, "workspace.snapshotted", bound);
	const id = wanted && dataOf(wanted, "workspace.snapshotted")?.snapshot;
	if (id !== undefined && (await workspaces.hasSnapshot(checkout, id))) return { snapshot: id, snapshotOf: owner.id };
	const { nearest, sentence } = nearestSnapshot(await workspaces.snapshots(checkout), Number(id ?? 0));
	const text = `There is no snapshot of the files that belong to item ${at} of ${owner.handle}. ${sentence}`;
	const { id: nearestId = null, turn: nearestTurn = null } = nearest ?? {};
	return refuse("SNAPSHOT_GONE", text, {
		details: { agent: owner.id, item: at, turn: item.turn, nearest: nearestId, nearestTurn },
		suggestions: [`brood snapshot list ${fullName(owner)}`],
	});
}

const withFiles = (request: SpawnRequest, files: Files | null): CommandRequest => ({
	...request,
	command: { ...request.command, ...files },
});

async function noteSlowSnapshot({ dispatch }: ForkParts, outcome: Outcome): Promise<void> {
	const child = "done" in outcome ? outcome.done.agent?.id : undefined;
	const text = "The snapshot took longer than the agent may be frozen: its files may be newer than the conversation.";
	if (child !== undefined) await dispatch(bySystem({ type: "item.append", agent: child, kind: "system", text }));
}

function busy(parent: AgentState): Refusal {
	return refuse("FORK_BUSY", `${parent.handle} is in a step that cannot be interrupted; try again.`, {
		details: { agent: parent.id },
		suggestions: [suggestion("wait", parent)],
	});
}
