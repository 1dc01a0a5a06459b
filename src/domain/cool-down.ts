// A turn that reached a usage limit: it failed, its prompt is queued again, and its subscription cools down.
import type { AgentState } from "#contract/agent.ts";
import type { NewEvent } from "#contract/event.ts";
import type { ProjectState } from "#contract/project.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { TurnEnd, TurnState } from "#contract/turn.ts";
import type { Decision } from "./decision.ts";
import { workSettingsOf } from "./project.ts";
import { limitedUntil } from "./slots.ts";
import { coolingEnd, limited } from "./subscription.ts";
import { type PromptText, retryPrompt } from "./turn.ts";
import { ending, type OpenWork, refusedIfNotOpen } from "./turn-end.ts";
import { heldForBudget } from "./usage.ts";

export interface LimitFacts {
	turn: TurnState;
	/** the prompt; null if it was never handed over */
	promptText: PromptText | null;
	/** the position before all others in the queue */
	position: number;
	subscriptions: readonly SubscriptionState[];
	project: ProjectState | undefined;
	coolDownMs: number;
	now: number;
}

/**
 * The agent is held only if it has no fallback; without a subscription only this agent is held, and nothing cools
 * down.
 */
export function decideLimitedEnd(agent: AgentState, command: TurnEnd, openWork: OpenWork, facts: LimitFacts): Decision {
	const { turn, promptText, position, subscriptions, project, now } = facts;
	const refusal = refusedIfNotOpen(agent, turn.id);
	if (refusal) return refusal;
	const until = coolingEnd(command.limit?.until ?? null, now, facts.coolDownMs);
	const cooled = subscriptions.map((each) =>
		each.name === turn.subscription ? { ...each, coolingUntil: Math.max(until, each.coolingUntil ?? 0) } : each,
	);
	const found = cooled.find((each) => each.name === turn.subscription);
	const cooling: NewEvent[] =
		found === undefined
			? []
			: [{ kind: "subscription.coolDownChanged", agent: null, data: { name: found.name, until: found.coolingUntil } }];
	// the limit was reached again, so a waiver of it ends
	const held =
		found === undefined
			? until
			: limitedUntil(
					{ ...agent, limitWaivedUntil: null },
					{ subscriptions: cooled, projects: project === undefined ? [] : [project], now },
				);
	return [
		...ending(agent, turn.id, { ...command, commit: turn.commit }, openWork),
		...(promptText === null ? [] : [retryPrompt(agent, turn, promptText, position)]),
		...cooling,
		...(held === null ? [] : limited(agent, held)),
		...heldForBudget(agent),
		...(project?.onLimit === "stop" ? stopped(agent, project) : []),
	];
}

/** Nothing starts until a person resumes, not even after the limit's end. */
function stopped(agent: AgentState, project: ProjectState): NewEvent[] {
	const held: NewEvent = {
		kind: "agent.held",
		agent: agent.id,
		data: { hold: "user", reason: "a usage limit was reached, and its project says stop" },
	};
	const off: NewEvent[] = project.auto
		? [
				{
					kind: "project.configured",
					agent: null,
					data: { slug: project.slug, settings: { ...workSettingsOf(project), auto: false } },
				},
			]
		: [];
	return [held, ...off];
}
