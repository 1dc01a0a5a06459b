// The line between the thread and the input: who is around, how the agent is, and what needs a person. It is shortened
// from the outside in.
import { inline } from "#contract/visible.ts";
import type { Agent } from "#contract/wire.ts";
import { stateOf, styleOf } from "#views/agent-text.ts";
import { painted, type Style, signed } from "#views/paint.ts";
import type { Seen, State } from "./model.ts";
import { childrenOf, isLiving, needingYou, parentOf, siblingOf } from "./moving.ts";
import { clipped, widthOf } from "./pi/text.ts";

export function separatorRow(state: State, seen: Seen, { width, colour }: { width: number; colour: boolean }): string {
	const agent = seen.agents.get(state.current);
	if (agent === undefined) return "";
	const paint = (style: Style, text: string): string => painted(style, text, colour);
	const name = (of: Agent | null): string => (of === null ? "" : clipped(inline(of.handle), 16));
	const [parent, previous, next] = [
		parentOf(seen, agent.id),
		siblingOf(seen, agent.id, -1),
		siblingOf(seen, agent.id, 1),
	].map(name);
	const children = childrenOf(seen, agent.id).filter(isLiving).length;
	const { glyph, role } = styleOf(agent);
	const here = (room: number): string =>
		`[${paint("strong", clipped(inline(agent.handle), room))} ${signed(role, glyph, ` ${clipped(stateOf(agent), room)}`, colour)}]`;
	const needs = needsText(seen, colour);
	const slot = seen.subscriptions.find(({ name: of }) => of === agent.subscription);
	// from the least to the most important
	const node = seen.nodeOf(agent);
	const parts = [
		node === null ? "" : `at ${inline(node)}`,
		slot === undefined ? "" : `${inline(slot.name)} ${slot.used}/${slot.maxConcurrent}`,
		agent.unreadMail === 0 ? "" : `mail ${agent.unreadMail}`,
		agent.queueLength === 0 ? "" : `queue ${agent.queueLength}`,
		previous === "" ? "" : `←${previous}`,
		next === "" ? "" : `→${next}`,
		parent === "" ? "" : `↑${parent}`,
		children === 0 ? "" : `↓${children}`,
	];
	for (let without = 0; ; without++) {
		const [at, slots, mail, queue, left, right, up, down] = parts.map((part, nth) => (nth < without ? "" : part));
		const around = [up, left, here(24), right, down].filter(Boolean).join(" ");
		const more = [queue, mail, slots, at].filter(Boolean).join("  ");
		const text = more === "" ? around : `${around}   ${more}`;
		const gap = width - widthOf(text) - widthOf(needs);
		if (gap >= 1) return `${text}${" ".repeat(gap)}${needs}`;
		if (without === parts.length) return clipped(`${here(Math.max(4, width - 12 - widthOf(needs)))} ${needs}`, width);
	}
}

function needsText(seen: Seen, colour: boolean): string {
	const [asks, errors, reviews] = [seen.inbox.approvals.length, seen.inbox.errors.length, seen.inbox.reviews.length];
	const parts = [
		asks === 0 ? "" : signed("wait", "◆", String(asks), colour),
		errors === 0 ? "" : signed("bad", "✗", String(errors), colour),
		reviews === 0 ? "" : signed("wait", "▤", String(reviews), colour),
	].filter(Boolean);
	return parts.length === 0 ? "" : `${parts.join(" ")}${needingYou(seen).length > 0 ? " ^N next" : ""}`;
}
