// Recovery: brings what the last daemon left into a known state before anything else reads the rows.
//
// What always holds
//   - Everything found is handled by a command, decided and recorded like any other. A daemon that is killed here
//     leaves the rest to the next one.
//   - No prompt that may have run is run again. A turn whose prompt was handed over may have done anything: it is
//     `interrupted`, its agent is held, and only a person retries it. A turn whose prompt was not handed over has done
//     nothing: its prompt goes back to the head of the queue, and its agent is held too.
//   - An issue is another matter: where automatic work is on, further attempts follow a failed one, with new prompts
//     (`domain/issue/runs.ts`).
//
// Only what belongs to this node is looked at: other nodes are alive, or another one replaces them
// (`domain/membership.ts`).
//
// The steps
//   1. processes of the last daemon are ended; they are found by the home id in their environment, not by a stored pid
//      (`sweep`)
//   2. a lease means that a git step was interrupted: the agent gets a `recovery` hold, unless the step
//      was a fork or a snapshot (see `workspaces/steps.ts`)
//   3. open turns end. Output that was not recorded yet is in a file beside the store, on PostgreSQL a row: it becomes
//      items of the turn, each once (`notRecorded`)
// Then the engine starts and checks the agents' workspaces (`reactors/drift.ts`).
//
// The store has recovered by itself before that (`adapters/store/sqlite/thread.ts`). `brood agent recover`, which
// repairs the files of one workspace, is in `adapters/git/verbs/recover.ts`.
import type { AgentState } from "#contract/agent.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import { notRecorded } from "#domain/turn-end.ts";
import { eventsWhere } from "./loop/event-pages.ts";
import type { Partials } from "./ports/blobs.ts";
import { bySystem, type Dispatch } from "./ports/dispatch.ts";
import type { Driver } from "./ports/driver.ts";
import { caught, type Log } from "./ports/log.ts";
import type { Reads } from "./ports/store.ts";

export async function recover(parts: {
	reads: Reads;
	dispatch: Dispatch;
	driver: Driver | null;
	partials?: Partials;
	log: Log;
	/** only what is of this node is recovered; everything if null */
	node: NodeEpoch | null;
}): Promise<void> {
	await parts.driver?.sweep();
	for (const agent of await parts.reads.agentsWithLeasedWorkspace()) {
		if (isOwn(parts.node, agent)) await parts.dispatch(bySystem({ type: "workspace.crash", agent: agent.id }));
	}
	for (const turn of await parts.reads.openTurns()) {
		if (!isOwn(parts.node, turn)) continue;
		// a human agent's turn has no process that could have ended with the daemon
		if (turn.handedAt !== null && (await parts.reads.agent(turn.agent))?.type === "human") continue;
		const kept = (await parts.partials?.kept(turn.id)) ?? [];
		const written =
			kept.length === 0
				? []
				: await eventsWhere(parts.reads, { after: turn.id, agent: turn.agent }, (event) => event.turn === turn.id);
		const partials = notRecorded(kept, written);
		await parts.dispatch(bySystem({ type: "turn.crash", agent: turn.agent, turn: turn.id, partials }));
	}
	// the rest belongs to turns that have ended
	await parts.partials
		?.dropAll()
		.catch(caught(parts.log, "recover", "Partial outputs of earlier turns could not be removed"));
}

/** Makes agent 0 on the first start. */
export async function ensureAgentZero(dispatch: Dispatch, agentType = "scripted"): Promise<AgentState> {
	const outcome = await dispatch(bySystem({ type: "agent.init", agentType }));
	if ("refused" in outcome || outcome.done.agent === undefined) throw new Error("agent 0 could not be made");
	return outcome.done.agent;
}
