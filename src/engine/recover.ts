// Recovery at boot: ends the processes that the last daemon left and marks every open turn as interrupted. Each step
// may be repeated, so that being killed here only means doing it again.
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
