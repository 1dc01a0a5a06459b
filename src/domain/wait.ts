// Waits: a row that says who waits for which agents, and for what. Whether a wait is over is decided from the rows.
import { type AgentState, noAgent } from "#contract/agent.ts";
import type { NewEvent } from "#contract/event.ts";
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import { refuse } from "#contract/refusal.ts";
import type { WaitOpen, WaitOutcome, WaitState } from "#contract/wait.ts";
import type { Decision } from "./decision.ts";
import { nextPosition, type QueueFacts } from "./prompt.ts";
import type { Claim } from "./slots.ts";

/** What decides whether a wait for an agent is over. */
export interface TargetFacts {
	agent: AgentState;
	/** prompts that could start now */
	duePrompts: number;
	/** mail that no turn has shown and nobody has read */
	newMail: number;
	/** whether that mail starts a turn */
	wakesOnMail: boolean;
	/** 0 if it has none */
	lastMail: number;
	/** it waits for other agents itself, and will continue */
	waits: boolean;
}

/** `since` is the event that opened the wait. */
export function isMet(target: TargetFacts, condition: WaitState["for"], since: number): boolean {
	const { agent } = target;
	if (agent.life === "ended") return true;
	switch (condition) {
		case "ended":
			return false;
		case "mail":
			return target.newMail > 0 || target.lastMail > since;
		case "turn":
			return agent.turnEndedIn !== null && agent.turnEndedIn > since;
		case "idle": {
			if (agent.life !== "live" || agent.activity !== "idle" || target.waits) return false;
			// a limit ends by itself, and then the agent continues
			return (
				agent.holds.some(({ kind }) => kind !== "limit") ||
				(target.duePrompts === 0 && !(target.wakesOnMail && target.newMail > 0))
			);
		}
	}
}

export interface WaitFacts {
	targets: readonly (AgentState | undefined)[];
	waiter: AgentState | null;
	/** all waits that are open */
	open: readonly WaitState[];
	/**
	 * the targets' facts, for a wait that does not block: if the condition holds already, the agent need not end its
	 * turn
	 */
	targetFacts: readonly TargetFacts[] | null;
}

export function decideOpen(command: WaitOpen, facts: WaitFacts, by: { actor: Actor; at: number }): Decision {
	const { type: _, timeoutMs, ...request } = command;
	const unknown = facts.targets.indexOf(undefined);
	if (unknown >= 0) return noAgent(command.targets[unknown]);
	const { waiter } = facts;
	const outsider = facts.targets.find((target) => waiter !== null && target?.project !== waiter.project);
	if (outsider !== undefined)
		return refuse("FORBIDDEN", "An agent can wait only for agents of its own project.", {
			details: { agent: outsider.id },
		});
	const caller = agentOf(by.actor);
	const cycle = caller === null || command.for === "mail" ? null : cycleFrom(caller, command.targets, facts.open);
	if (cycle !== null) {
		return refuse("WAIT_CYCLE", "These agents would wait for each other for ever.", {
			details: { agents: cycle },
			suggestions: ["brood agent list"],
		});
	}
	const now =
		facts.targetFacts === null
			? null
			: outcomeOf({ ...request, id: Number.POSITIVE_INFINITY, deadline: null }, facts.targetFacts, by.at);
	const deadline = timeoutMs === undefined ? null : by.at + timeoutMs;
	return [
		{
			kind: "wait.opened",
			agent: caller,
			data: { ...request, turn: waiter?.turn?.id ?? null, deadline, ...(now !== null && { seen: now.seen }) },
		},
	];
}

/**
 * The cycle from the waiter through the targets back to it; null if there is none. A wait for mail closes no cycle:
 * mail comes from outside.
 */
function cycleFrom(waiter: AgentId, targets: readonly AgentId[], open: readonly WaitState[]): AgentId[] | null {
	const waitsFor = Map.groupBy(
		open.filter((wait) => wait.agent !== null && wait.for !== "mail"),
		(wait) => wait.agent,
	);
	const paths: AgentId[][] = targets.map((target) => [waiter, target]);
	const visited = new Set<AgentId>();
	for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
		const last = path.at(-1);
		if (last === undefined || visited.has(last)) continue;
		if (last === waiter) return path;
		visited.add(last);
		for (const wait of waitsFor.get(last) ?? []) for (const next of wait.targets) paths.push([...path, next]);
	}
	return null;
}

/** The capacity that a turn has to claim again before it continues; null if it needs none. */
export type ContinueClaim = Claim | null;

/** Ends the wait if its condition holds or its deadline has passed. */
export function decideLook(
	wait: WaitState,
	targets: readonly TargetFacts[],
	{
		queue,
		continueClaim,
		now,
	}: { queue: Pick<QueueFacts, "last" | "lastFront">; continueClaim: ContinueClaim; now: number },
): Decision {
	if (wait.state !== "open") return [];
	const outcome = wait.ready ?? outcomeOf(wait, targets, now);
	if (outcome === null) return [];
	const events = conclude(wait, outcome, continueClaim);
	const ended = events.some(({ kind }) => kind === "wait.ended") && outcome.state !== "cancelled";
	return ended ? [...events, ...notifyWaiter(wait, outcome, targets, queue)] : events;
}

function outcomeOf(
	wait: Pick<WaitState, "id" | "for" | "mode" | "deadline">,
	targets: readonly TargetFacts[],
	now: number,
): WaitOutcome | null {
	const seen = targets.map((target) => ({ agent: target.agent.id, met: isMet(target, wait.for, wait.id) }));
	const met = wait.mode === "any" ? seen.length === 0 || seen.some((each) => each.met) : seen.every((each) => each.met);
	const late = wait.deadline !== null && wait.deadline <= now;
	return met || late ? { state: met ? "met" : "timeout", seen } : null;
}

/** A turn that blocks on a wait continues only once it has capacity; until then the outcome is recorded as `ready`. */
function conclude(wait: WaitState, outcome: WaitOutcome, continueClaim: ContinueClaim): NewEvent[] {
	if (continueClaim === null || wait.agent === null || wait.turn === null)
		return endWait(wait, outcome.state, outcome.seen);
	if ("short" in continueClaim)
		return wait.ready === null ? [{ kind: "wait.ready", agent: wait.agent, data: { wait: wait.id, ...outcome } }] : [];
	const { subscription, node } = continueClaim;
	const slot = { ...(subscription !== null && { subscription }), ...(node !== undefined && { node }) };
	const data = { turn: wait.turn, place: true as const, ...slot };
	return [{ kind: "turn.continued", agent: wait.agent, data }, ...endWait(wait, outcome.state, outcome.seen)];
}

export function endWait(
	wait: WaitState,
	state: "met" | "timeout" | "cancelled",
	seen: WaitState["seen"] = [],
): NewEvent[] {
	return [{ kind: "wait.ended", agent: wait.agent, data: { wait: wait.id, state, seen } }];
}

/** What did not happen in time. */
const notYet: Record<WaitState["for"], string> = {
	idle: "not idle",
	turn: "no turn has ended",
	mail: "no mail came",
	ended: "not ended",
};

/** Tells the waiting agent: a timeout is an item, and a wait that did not block queues a prompt. */
function notifyWaiter(
	wait: WaitState,
	{ state, seen }: WaitOutcome,
	targets: readonly TargetFacts[],
	queue: Pick<QueueFacts, "last" | "lastFront">,
): NewEvent[] {
	const { agent, turn } = wait;
	if (agent === null) return [];
	const met = state === "met";
	const names = (wanted: readonly { agent: AgentId }[]): string =>
		wanted
			.map((each) => targets.find((target) => target.agent.id === each.agent)?.agent.handle ?? each.agent)
			.join(", ");
	const [done, missing] = [seen.filter((each) => each.met), seen.filter((each) => !each.met)];
	const text = met
		? `What you waited for has happened (${wait.for}: ${names(seen)}).`
		: `Time ran out: ${notYet[wait.for]}: ${names(missing)}.${done.length === 0 ? "" : ` Done: ${names(done)}.`}`;
	const item: NewEvent[] = met
		? []
		: [
				{
					kind: "timeout",
					agent,
					...(wait.blocking && turn !== null && { turn }),
					text,
					data: { wait: wait.id },
				},
			];
	if (wait.blocking) return item;
	return [
		...item,
		{ kind: "prompt.queued", agent, text, data: { position: nextPosition(true, queue), source: "wait" } },
	];
}

export function decideCancelWait(
	wait: WaitState | undefined,
	id: number,
	by: { actor: Actor },
	continueClaim: ContinueClaim,
): Decision {
	if (wait === undefined) return refuse("NOT_FOUND", `There is no wait ${id}.`);
	const caller = agentOf(by.actor);
	if (caller !== null && caller !== wait.agent) return refuse("FORBIDDEN", "An agent can end only its own waits.");
	return wait.state === "open" ? conclude(wait, { state: "cancelled", seen: [] }, continueClaim) : [];
}
