// What a key does: the next state, and what has to happen besides. Pure.
import type { AgentId } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { alwaysText } from "#views/approval-text.ts";
import { type Action, actionOf } from "./keymap.ts";
import type { Panel, PickerFilter, Seen, State } from "./model.ts";
import { agentAbove, childOf, isLiving, nextNeedingYou, pickerRows, siblingOf } from "./moving.ts";
import type { Anchor } from "./page.ts";
import { partOf, type QuestionPart, readFurther, scrolledQuestion, tooSmall } from "./question.ts";
import { goTo, type Key, modeOf, noted, only, type Reading, type Update } from "./transition.ts";
import { updatePanel } from "./update-panel.ts";

/** a second press within this time means it */
const twiceMs = 1500;
/**
 * A letter answers an approval only if nobody has typed for so long, and any key only if the question has been on the
 * screen for so long. Keys that are held begin to repeat sooner.
 */
const pauseMs = 700;

export function update(state: State, key: Key, seen: Seen): Update {
	const unnoted: State = { ...state, status: null };
	if (state.panel !== null) {
		const action = actionOf(modeOf(state), key.name) === null ? actionOf("conversation", key.name) : null;
		// the keys that open a list or go to an agent work from every list
		if (action !== null && fromAnywhere.has(action)) return act({ ...unnoted, panel: null }, action, key, seen);
		return updatePanel(unnoted, state.panel, key, seen);
	}
	if (state.selected !== null) return amongBlocks(unnoted, state.selected, key, seen);
	const answered = answerApproval(unnoted, key, seen);
	if (answered !== null) return answered;
	// while completions are shown, Esc is theirs
	const action = key.draft.isCompleting && key.name === "escape" ? null : actionOf("conversation", key.name);
	const unasked = { ...unnoted, question: unnoted.question && { ...unnoted.question, isAlways: false } };
	if (action === null)
		return only({ ...unasked, armed: null, cleared: null, typedAt: key.now }, { do: "edit", data: key.data });
	return act(action === "quit" ? unasked : { ...unasked, cleared: null }, action, key, seen);
}

const fromAnywhere: ReadonlySet<Action> = new Set([
	...(["above", "child", "previous", "next", "tree", "needs-you", "inbox", "queue", "mail", "turns", "diff"] as const),
	...(["keys", "transcript", "redraw", "suspend"] as const),
]);

function act(state: State, action: Action, key: Key, seen: Seen): Update {
	const { current } = state;
	switch (action) {
		case "above":
			return goTo(state, agentAbove(seen, current)?.id, "No agent is above it.");
		case "child":
			return goTo(state, childOf(seen, current)?.id, "It has no children.");
		case "previous":
			return goTo(state, siblingOf(seen, current, -1)?.id, "No other living agent is below the same one.");
		case "next":
			return goTo(state, siblingOf(seen, current, 1)?.id, "No other living agent is below the same one.");
		case "needs-you":
			return goTo(state, nextNeedingYou(seen, current)?.id, "Nobody else needs you.");
		case "page-up":
			return scroll(state, key, -(key.height - 2), seen);
		case "page-down":
			return scroll(state, key, key.height - 2, seen);
		case "line-up":
			return scroll(state, key, -1, seen);
		case "line-down":
			return scroll(state, key, 1, seen);
		case "top":
			return scroll(state, key, "top", seen);
		case "bottom":
			return only(scrolledTo(state, null));
		case "interrupt":
			return interrupt(state, key, seen);
		case "quit":
			return quit(state, key, seen);
		case "blocks": {
			const all = key.reading.collapsible();
			if (all.length === 0) return only(noted(state, "There is nothing to open."));
			const last = all.findLast((block) => key.reading.isShown(block));
			if (last === undefined) return only(noted(state, "Nothing on this page opens: scroll to a tool call first."));
			const paused = state.anchors.has(current) ? null : { anchor: null, opened: state.opened };
			return only({ ...state, selected: last, paused });
		}
		case "diff":
			return only(state, {
				do: "load",
				what: "diff",
				agent: current,
				id: 0,
				handle: seen.agents.get(current)?.handle ?? "",
			});
		case "tree":
			return only(opened(state, treePanel(state, seen, "living")));
		case "mail":
		case "queue":
		case "turns":
		case "inbox":
		case "keys":
			return only(opened(state, { kind: action, at: 0 }));
		case "transcript":
		case "redraw":
		case "suspend":
			return only(state, { do: action });
		default:
			return only(state);
	}
}

/** The tree with the current agent selected. */
export function treePanel(state: State, seen: Seen, filter: PickerFilter): Panel {
	const panel = { kind: "tree" as const, at: 0, filter, words: "", collapsed: new Set<AgentId>() };
	return {
		...panel,
		at: Math.max(
			0,
			pickerRows(seen, state.current, panel).findIndex(({ agent }) => agent.id === state.current),
		),
	};
}

const opened = (state: State, panel: Panel): State => ({ ...state, panel, armed: null });

/** The current conversation at another anchor; at its end with null. */
export function scrolledTo(state: State, anchor: Anchor): State {
	const anchors = new Map(state.anchors);
	if (anchor === null) anchors.delete(state.current);
	else anchors.set(state.current, anchor);
	return { ...state, anchors };
}

function scroll(state: State, key: Key, by: number | "top", seen: Seen): Update {
	const { current } = state;
	const read = (at: State, where: "older" | "newer" | "top"): Update =>
		only(at, { do: "read", agent: current, where, by: by === "top" ? 0 : by });
	if (by === "top" && seen.hasOlder(current)) return read(state, "top");
	const anchor = key.reading.scroll(by);
	const next = scrolledTo(state, anchor);
	const isUp = by === "top" || by < 0;
	// the end of what is in memory is not the end
	if (!isUp && anchor === null && seen.isDetached(current)) return read(state, "newer");
	// the top of what is in memory: older items are asked for. Whoever scrolls up and still sees the end sees everything
	const isTop = anchor === null || (anchor.row === 0 && anchor.block === seen.blocks(current)[0]?.id);
	return isUp && isTop && seen.hasOlder(current) ? read(next, "older") : only(next);
}

/** Cancels a command that waits, else interrupts the turn; the second time by force. */
function interrupt(state: State, key: Key, seen: Seen): Update {
	if (state.waiting.some(({ agent }) => agent === state.current))
		return only(state, { do: "cancel", agent: state.current });
	if (state.editing.has(state.current)) return stopEditing(state, key, seen);
	const agent = seen.agents.get(state.current);
	if (agent === undefined || agent.turn === null)
		return state.anchors.has(state.current)
			? only(scrolledTo(state, null))
			: only(noted(state, "No turn is running: there is nothing to interrupt."));
	const { id, handle, turn } = agent;
	const force = state.interrupted.get(id) === turn.id;
	const text = force
		? `Ending the turn of ${handle} by force …`
		: `Interrupting the turn of ${handle} …   (Esc again ends it by force)`;
	const interrupted = new Map(state.interrupted).set(id, turn.id);
	return only({ ...state, interrupted, status: { text, style: "wait" } }, { do: "interrupt", agent: id, force });
}

function stopEditing(state: State, { draft: { text } }: Key, seen: Seen): Update {
	const prompt = seen.queue(state.current).find(({ id }) => id === state.editing.get(state.current));
	const said = prompt === undefined ? "The prompt has left the queue" : "The prompt stays as it was";
	const next = backToQueue(state, seen);
	if (text.trim() === "" || text === prompt?.text) return only(noted(next, `${said}.`));
	return only(noted(next, `${said}; ↑ at the start of the input brings your text back.`), { do: "remember", text });
}

/** A prompt is no longer edited: the queue is shown that it is in. */
export function backToQueue(state: State, seen: Seen): State {
	const editing = new Map(state.editing);
	const at = seen.queue(state.current).findIndex(({ id }) => id === editing.get(state.current));
	editing.delete(state.current);
	return { ...state, editing, panel: { kind: "queue", at: Math.max(0, at) } };
}

/** The first Ctrl+C empties the input, or asks. */
function quit(state: State, key: Key, seen: Seen): Update {
	if (state.editing.has(state.current)) return stopEditing(state, key, seen);
	const { text, cursor } = key.draft;
	if (text !== "")
		return only(
			noted({ ...state, cleared: { text, cursor } }, "Cleared; ↑ brings it back."),
			{ do: "remember", text },
			{ do: "draft", text: "" },
		);
	const again = state.armed !== null && key.now - state.armed < twiceMs;
	if (again && state.cleared !== null) return only(state, { do: "draft", ...state.cleared }, { do: "quit" });
	if (again) return only(state, { do: "quit" });
	return only(noted({ ...state, armed: key.now }, "Ctrl+C again leaves. The agents go on."));
}

/** Null if the key does not answer the approval that is shown. */
function answerApproval(state: State, key: Key, seen: Seen): Update | null {
	const approval = seen.approvals(state.current)[0];
	if (approval === undefined) return null;
	const part = partOf(approval, state.question, key);
	const isConfirmed = state.question?.approval === approval.id && state.question.isAlways && key.name === "enter";
	if (isConfirmed && part.isRead && key.room > 0) return answered(state, part, "always", key);
	const isTyping = key.draft.text !== "" || key.now - state.typedAt < pauseMs;
	if (isTyping && !key.name.startsWith("alt+")) return null;
	switch (actionOf("approval", key.name)) {
		case "allow":
			return part.isRead && key.room > 0 ? answered(state, part, "allow", key) : readOn(state, part, key);
		case "always": {
			if (!part.isRead || key.room < 1) return readOn(state, part, key);
			const asked = { ...state, question: { ...part.state, isAlways: true } };
			return only(noted(asked, `Enter always allows ${alwaysText(approval)}. Any other key does not.`));
		}
		case "deny":
			return answered(state, part, "deny", key);
		case "whole":
			return only({ ...state, question: { ...part.state, isWide: !part.state.isWide } });
		case "line-up":
			return only({ ...state, question: scrolledQuestion(part, -1) });
		case "line-down":
			return only({ ...state, question: scrolledQuestion(part, 1) });
		default:
			return null;
	}
}

/** A key that came too early begins the time again: one that is held never answers what nobody has read. */
function answered(state: State, part: QuestionPart, answer: "allow" | "always" | "deny", { now }: Key): Update {
	const { shownAt, approval } = part.state;
	if (shownAt !== null && now - shownAt >= pauseMs)
		return only({ ...state, question: null }, { do: "answer", approval, answer });
	const next = { ...state, question: { ...part.state, shownAt: now } };
	return only(noted(next, "The question has just appeared: read it, then press the key again."));
}

function readOn(state: State, part: QuestionPart, { now, room }: Key): Update {
	const next = { ...state, question: { ...readFurther(part), shownAt: now } };
	return only(noted(next, room < 1 ? tooSmall : "Read it to its end first; the same key then answers."));
}

function amongBlocks(state: State, selected: number, key: Key, seen: Seen): Update {
	const all = key.reading.collapsible();
	const at = all.indexOf(selected);
	switch (actionOf("blocks", key.name)) {
		case "up":
			return select(state, all[Math.max(0, at - 1)] ?? selected, key);
		case "down":
			return select(state, all[Math.min(all.length - 1, at + 1)] ?? selected, key);
		case "open":
			return only(toggled(state, selected, key.reading));
		case "page-up":
			return scroll(state, key, -(key.height - 2), seen);
		case "page-down":
			return scroll(state, key, key.height - 2, seen);
		case "close": {
			// whoever has neither scrolled nor opened anything follows the end again
			const { anchor = null, opened: before } = state.paused ?? {};
			const isSame = anchor !== null && anchor === state.anchors.get(state.current) && before === state.opened;
			const there = { ...state, selected: null, paused: null };
			return only(isSame ? scrolledTo(there, null) : there);
		}
		default:
			return only(noted(state, "Enter opens the block, Esc goes back to the input."));
	}
}

/** Opens or closes a block. */
export function toggled(state: State, block: number, reading: Pick<Reading, "anchorWith">): State {
	const opened = new Set(state.opened);
	if (!opened.delete(block)) opened.add(block);
	return scrolledTo({ ...state, opened }, reading.anchorWith(opened, block));
}

/** The page moves only if the block is not on it. */
function select(state: State, block: number, { reading }: Key): Update {
	const next = reading.isShown(block) ? state : scrolledTo(state, reading.anchorOf(block));
	return only({ ...next, selected: block });
}

/** Why nothing can be sent to the agent; null if it can. */
export const unwritable = (agent: Agent): string | null =>
	isLiving(agent) ? null : `${agent.handle} is dead: it can be read, not written to.`;
