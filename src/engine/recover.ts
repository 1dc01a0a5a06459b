// Recovery: what the last daemon left is brought to a known state before anything else looks at the rows.
//
// What always holds
//   - It is written down as if it had always been going to happen: each thing found is a command, decided and recorded
//     like any other. Being killed here only means doing the rest the next time.
//   - Nothing is run again by itself that may have been done. A turn whose prompt was handed over may have done
//     anything: it is `interrupted`, and only a person retries it. One that was not has done nothing: its prompt goes
//     back to the head of the queue.
//
// The steps
//   1. processes of the last daemon that are still there are ended, by their mark, not by a remembered pid (`sweep`)
//   2. a lease means that git was cut off in a step: the agent gets a `recovery` hold (see `workspaces/steps.ts`)
//   3. open turns end. What their processes had said and nobody had recorded was kept in a file beside the store: it
//      becomes items of the turn, each once (`notRecorded`)
// Then the engine starts, and the agents' workspaces are looked at: a hold whose step left nothing half done ends.
//
// The store has recovered before that by itself: see `adapters/store/sqlite/thread.ts`. What `brood agent recover` does
// with the files of one workspace is in `adapters/git/verbs/recover.ts`.
import type { AgentState } from "#contract/agent.ts";
import { system } from "#contract/ids.ts";
import { eventsWhere } from "./loop/event-pages.ts";
import type { Partials } from "./ports/blobs.ts";
import type { Dispatch } from "./ports/dispatch.ts";
import type { Driver } from "./ports/driver.ts";
import { caught, type Log } from "./ports/log.ts";
import type { Reads } from "./ports/store.ts";
import { notRecorded } from "./turns/partial-output.ts";

export async function recover(parts: {
	reads: Reads;
	dispatch: Dispatch;
	driver: Driver | null;
	partials?: Partials;
	log: Log;
}): Promise<void> {
	await parts.driver?.sweep();
	for (const agent of await parts.reads.agents()) {
		if (agent.lease !== null)
			await parts.dispatch({ actor: system, key: null, command: { type: "workspace.crash", agent: agent.id } });
	}
	for (const turn of await parts.reads.openTurns()) {
		// a person has no process that could have ended with the daemon, and goes on
		const lasting = turn.handedAt !== null && (await parts.reads.agent(turn.agent))?.type === "human";
		if (lasting) continue;
		const kept = (await parts.partials?.kept(turn.id)) ?? [];
		const written =
			kept.length === 0
				? []
				: await eventsWhere(parts.reads, { after: turn.id, agent: turn.agent }, (event) => event.turn === turn.id);
		const partials = notRecorded(kept, written);
		await parts.dispatch({
			actor: system,
			key: null,
			command: { type: "turn.crash", agent: turn.agent, turn: turn.id, partials },
		});
	}
	// what is left is of turns that ended before somebody could tidy up
	await parts.partials
		?.dropAll()
		.catch(caught(parts.log, "recover", "Partial outputs of earlier turns could not be removed"));
}

/** Made with the first start. */
export async function ensureAgentZero(dispatch: Dispatch, agentType = "scripted"): Promise<AgentState> {
	const outcome = await dispatch({ actor: system, key: null, command: { type: "agent.init", agentType } });
	if ("refused" in outcome || outcome.done.agent === undefined) throw new Error("agent 0 could not be made");
	return outcome.done.agent;
}
