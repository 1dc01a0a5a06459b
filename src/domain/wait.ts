// Waiting: a row that says who wants to know what of whom. Whether it is over is decided with the rows in hand.
import type { AgentState } from "#contract/agent.ts";
import type { NewEvent } from "#contract/event.ts";
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import { refuse } from "#contract/refusal.ts";
import type { WaitOpen, WaitOutcome, WaitState } from "#contract/wait.ts";
import type { Decision } from "./decision.ts";
import { nextPosition, type QueueFacts } from "./prompt.ts";
import type { Claim } from "./slots.ts";

/** What has to be known of an agent to say whether it is waited for any longer. */
export interface TargetFacts {
	agent: AgentState;
	/** prompts whose time has come */
	duePrompts: number;
	unreadMail: number;
	/** mail that no turn was shown and that would wake it */
	newMail: number;
	/** it waits for others itself, and will go on when that is over */
	waits: boolean;
}

/** `since` is the event with which the wait was opened. */
export function holds(target: TargetFacts, condition: WaitState["for"], since: number): boolean {
	const { agent } = target;
	if (agent.life === "ended") return true;
	switch (condition) {
		case "ended":
			return false;
		case "mail":
			return target.unreadMail > 0;
		case "turn":
			return agent.turnEndedIn !== null && agent.turnEndedIn > since;
		case "idle": {
			if (agent.life !== "live" || agent.activity !== "idle" || target.waits) return false;
			// a limit ends by itself, and then the agent goes on
			return agent.holds.some(({ kind }) => kind !== "limit") || (target.duePrompts === 0 && target.newMail === 0);
		}
	}
}

export interface WaitFacts {
	targets: readonly (AgentState | undefined)[];
	waiter: AgentState | null;
	/** all waits that are open */
	open: readonly WaitState[];
	/**
	 * what has become of the targets, for a wait that does not block: whoever has nothing to wait for need not end its
	 * turn
	 */
	targetFacts: readonly TargetFacts[] | null;
}

export function decideOpen(command: WaitOpen, seen: WaitFacts, by: { actor: Actor; at: number }): Decision {
	const { type: _, timeoutMs, ...request } = command;
	const unknown = seen.targets.indexOf(undefined);
	if (unknown >= 0)
		return refuse("AGENT_NOT_FOUND", `There is no agent ${command.targets[unknown]}.`, {
			suggestions: ["brood agent list"],
		});
	const { waiter } = seen;
	const outsider = seen.targets.find((target) => waiter !== null && target?.project !== waiter.project);
	if (outsider !== undefined)
		return refuse("FORBIDDEN", "An agent waits only for agents of its project.", { details: { agent: outsider.id } });
	const caller = agentOf(by.actor);
	const circle = caller === null || command.for === "mail" ? null : circleFrom(caller, command.targets, seen.open);
	if (circle !== null) {
		return refuse("WAIT_CYCLE", "These agents would wait for each other for ever.", {
			details: { agents: circle },
			suggestions: ["brood agent list"],
		});
	}
	const now =
		seen.targetFacts === null
			? null
			: outcomeOf({ ...request, id: Number.POSITIVE_INFINITY, deadline: null }, seen.targetFacts, by.at);
	const deadline = timeoutMs === undefined ? null : by.at + timeoutMs;
	return [
		{
			kind: "wait.opened",
			agent: caller,
			data: { ...request, turn: waiter?.turn?.id ?? null, deadline, ...(now !== null && { met: now.seen }) },
		},
	];
}

/**
 * The way from the targets back to the waiter, if one waits for the other; mail comes from outside and closes no
 * circle.
 */
function circleFrom(waiter: AgentId, targets: readonly AgentId[], open: readonly WaitState[]): AgentId[] | null {
	const waitsFor = Map.groupBy(
		open.filter((wait) => wait.agent !== null && wait.for !== "mail"),
		(wait) => wait.agent,
	);
	const ways: AgentId[][] = targets.map((target) => [waiter, target]);
	const met = new Set<AgentId>();
	for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
		const last = way.at(-1);
		if (last === undefined || met.has(last)) continue;
		if (last === waiter) return way;
		met.add(last);
		for (const wait of waitsFor.get(last) ?? []) for (const next of wait.targets) ways.push([...way, next]);
	}
	return null;
}

/** The capacity that a waiting turn must claim again before it goes on; null if it needs none. */
export type ResumeClaim = Claim | null;

/** Over when the condition holds or the time is up; else nothing changes. */
export function decideLook(
	wait: WaitState,
	targets: readonly TargetFacts[],
	{ queue, resumeClaim, now }: { queue: Pick<QueueFacts, "last" | "lastFront">; resumeClaim: ResumeClaim; now: number },
): Decision {
	if (wait.state !== "open") return [];
	const outcome = wait.ready ?? outcomeOf(wait, targets, now);
	if (outcome === null) return [];
	const events = concluded(wait, outcome, resumeClaim);
	const ended = events.some(({ kind }) => kind === "wait.ended") && outcome.state !== "cancelled";
	return ended ? [...events, ...told(wait, outcome.state === "met", targets, queue)] : events;
}

function outcomeOf(
	wait: Pick<WaitState, "id" | "for" | "mode" | "deadline">,
	targets: readonly TargetFacts[],
	now: number,
): WaitOutcome | null {
	const seen = targets.map((target) => ({ agent: target.agent.id, met: holds(target, wait.for, wait.id) }));
	const met = wait.mode === "any" ? seen.length === 0 || seen.some((each) => each.met) : seen.every((each) => each.met);
	const late = wait.deadline !== null && wait.deadline <= now;
	return met || late ? { state: met ? "met" : "timeout", seen } : null;
}

/** Whoever waits inside a turn hears of the end only with a place to go on in; until then it is written down. */
function concluded(wait: WaitState, outcome: WaitOutcome, resumeClaim: ResumeClaim): NewEvent[] {
	if (resumeClaim === null || wait.agent === null || wait.turn === null) return over(wait, outcome.state, outcome.seen);
	if ("short" in resumeClaim)
		return wait.ready === null ? [{ kind: "wait.ready", agent: wait.agent, data: { wait: wait.id, ...outcome } }] : [];
	const { subscription } = resumeClaim;
	const data = { turn: wait.turn, place: true as const, ...(subscription !== null && { subscription }) };
	return [{ kind: "turn.continued", agent: wait.agent, data }, ...over(wait, outcome.state, outcome.seen)];
}

export function over(
	wait: WaitState,
	state: "met" | "timeout" | "cancelled",
	seen: WaitState["seen"] = [],
): NewEvent[] {
	return [{ kind: "wait.ended", agent: wait.agent, data: { wait: wait.id, state, seen } }];
}

/**
 * An agent that waited learns how it ended: a timeout is an item, and one that does not block goes on with a prompt.
 */
function told(
	wait: WaitState,
	met: boolean,
	targets: readonly TargetFacts[],
	queue: Pick<QueueFacts, "last" | "lastFront">,
): NewEvent[] {
	const { agent, turn } = wait;
	if (agent === null) return [];
	const names = targets.map((target) => target.agent.handle).join(", ");
	const words = met
		? `What you waited for has happened (${wait.for}: ${names}).`
		: `Your wait is over: time ran out (${wait.for}: ${names}).`;
	const item: NewEvent[] = met
		? []
		: [
				{
					kind: "timeout",
					agent,
					...(wait.blocking && turn !== null && { turn }),
					text: words,
					data: { wait: wait.id },
				},
			];
	if (wait.blocking) return item;
	return [
		...item,
		{ kind: "prompt.queued", agent, text: words, data: { position: nextPosition(true, queue), source: "wait" } },
	];
}

export function decideCancelWait(
	wait: WaitState | undefined,
	id: number,
	by: { actor: Actor },
	resumeClaim: ResumeClaim,
): Decision {
	if (wait === undefined) return refuse("NOT_FOUND", `There is no wait ${id}.`);
	const caller = agentOf(by.actor);
	if (caller !== null && caller !== wait.agent) return refuse("FORBIDDEN", "An agent ends only its own waits.");
	return wait.state === "open" ? concluded(wait, { state: "cancelled", seen: [] }, resumeClaim) : [];
}
