// The line between the conversation and the input: who is around, how the agent is, and what needs a person. In a
// narrow window its words become signs first, so that the counts stay.
import { inline } from "#contract/visible.ts";
import type { Agent } from "#contract/wire.ts";
import { painted, signed } from "#views/paint.ts";
import { styleOf } from "#views/state-style.ts";
import { stateText } from "./agent-text.ts";
import type { Seen, State } from "./model.ts";
import { agentAbove, childrenOf, isLiving, needingYou, siblingOf } from "./moving.ts";
import { clipped, widthOf } from "./pi/text.ts";

/** What is given up for room, one after the other. */
const givenUp = ["words", "names", "node", "slot", "reason", "siblings", "family", "mail", "queue"] as const;
type GivenUp = ReadonlySet<(typeof givenUp)[number]>;

export function separatorRow({ current }: State, seen: Seen, look: { width: number; colour: boolean }): string {
	const agent = seen.agents.get(current);
	if (agent === undefined) return "";
	const { width, colour } = look;
	const state = stateText(agent, seen.now);
	const here = (room: number, text: string, more = 0): string =>
		hereText(agent, { name: room, state: clipped(text, room + more) }, colour);
	for (let count = 0; count <= givenUp.length; count++) {
		const without: GivenUp = new Set(givenUp.slice(0, count));
		const said = without.has("reason") ? withoutReason(state) : state;
		const text = (more: number): string =>
			[aroundText(agent, seen, { without, here: here(24, said, more) }), countsText(agent, seen, without)]
				.filter(Boolean)
				.join("   ");
		const needs = needsText(seen, { colour, without });
		const free = width - widthOf(text(0)) - widthOf(needs);
		if (free < 1) continue;
		// a state with a long reason takes what is free
		const row = text(free - 1);
		return `${row}${" ".repeat(width - widthOf(row) - widthOf(needs))}${needs}`;
	}
	const needs = needsText(seen, { colour, without: new Set(givenUp) });
	return clipped(`${here(Math.max(4, width - 12 - widthOf(needs)), withoutReason(state))} ${needs}`, width);
}

/** `paused (until 08:30)` is paused, `waits: a slot` waits. */
const withoutReason = (state: string): string => state.replace(/(?: \(|: )[\s\S]*$/, "");

function hereText(agent: Agent, { name, state }: { name: number; state: string }, colour: boolean): string {
	const { glyph, tone } = styleOf(agent);
	const shown = signed(tone, glyph, ` ${state}`, colour);
	return `[${painted("strong", clipped(inline(agent.handle), name), colour)} ${shown}]`;
}

/** The agent between the one above, its siblings and its children. */
function aroundText({ id }: Agent, seen: Seen, { without, here }: { without: GivenUp; here: string }): string {
	const named = (arrow: string, of: Agent | null): string =>
		of === null ? "" : `${arrow}${clipped(inline(of.handle), without.has("names") ? 8 : 16)}`;
	const [left, right] = without.has("siblings")
		? ["", ""]
		: [named("←", siblingOf(seen, id, -1)), named("→", siblingOf(seen, id, 1))];
	const children = childrenOf(seen, id).filter(isLiving).length;
	const [up, down] = without.has("family")
		? ["", ""]
		: [named("↑", agentAbove(seen, id)), children === 0 ? "" : `↓${children}`];
	return [up, left, here, right, down].filter(Boolean).join(" ");
}

function countsText(agent: Agent, seen: Seen, without: GivenUp): string {
	const { queueLength, unreadMail } = agent;
	const isShort = without.has("words");
	const slot = seen.subscriptions.find(({ name }) => name === subscriptionOf(agent, seen));
	const node = seen.nodeOf(agent);
	return [
		queueLength === 0 || without.has("queue") ? "" : isShort ? `${queueLength}⧗` : `queue ${queueLength}`,
		unreadMail === 0 || without.has("mail") ? "" : isShort ? `${unreadMail}✉` : `mail ${unreadMail}`,
		slot === undefined || without.has("slot") ? "" : `${inline(slot.name)} ${slot.used}/${slot.maxConcurrent}`,
		node === null || without.has("node") ? "" : `at ${inline(node)}`,
	]
		.filter(Boolean)
		.join("  ");
}

/** Without one of its own, an agent has a slot of some subscription as long as its turn runs. */
const subscriptionOf = ({ id, subscription, turn }: Agent, seen: Seen): string | null =>
	subscription ?? seen.turns(id).find((each) => each.id === turn?.id)?.subscription ?? null;

function needsText(seen: Seen, { colour, without }: { colour: boolean; without: GivenUp }): string {
	const { approvals, humanAgents, errors, reviews } = seen.inbox;
	const asks = approvals.length + humanAgents.length;
	const parts = [
		asks === 0 ? "" : signed("wait", "◆", String(asks), colour),
		errors.length === 0 ? "" : signed("bad", "✗", String(errors.length), colour),
		reviews.length === 0 ? "" : signed("wait", "▤", String(reviews.length), colour),
	].filter(Boolean);
	return parts.length === 0
		? ""
		: `${parts.join(" ")}${!without.has("words") && needingYou(seen).length > 0 ? " ^N next" : ""}`;
}
