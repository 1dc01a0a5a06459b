// Keys in the lists over the conversation.
import { counted } from "#contract/counted.ts";
import type { AgentId } from "#contract/ids.ts";
import { clearedText } from "#views/conversation.ts";
import { mailLines, nameOf } from "./agent-text.ts";
import { type DiffLayout, layoutOf, reviewMark, wasViewed } from "./diff.ts";
import { commandRows, keyRows } from "./help.ts";
import { inboxRows } from "./inbox.ts";
import { type Action, actionOf, hint, keyName } from "./keymap.ts";
import { type DiffPanel, type Effect, type Panel, pickerFilters, type Seen, type State } from "./model.ts";
import { pickerRows } from "./moving.ts";
import { diffLineWidth, textRows } from "./panel-content.ts";
import { goTo, type Key, modeOf, noted, only, type Update } from "./transition.ts";

export function updatePanel(state: State, panel: Panel, key: Key, seen: Seen): Update {
	const mode = modeOf(state);
	const action = actionOf(mode, key.name);
	// a mail that is open is answered as in the list
	if (panel.kind === "text" && panel.back?.kind === "mail" && actionOf("mail", key.name) === "reply")
		return inMail(state, panel.back.at, "reply", key, seen);
	if (action === null && mode !== "tree")
		return only(noted(state, `${keyName(key.name)} does nothing in this list; ${hint(mode, "close", "closes it")}.`));
	const count = countOf(state, panel, seen, key.width);
	const at = Math.min(panel.at, Math.max(0, count - 1));
	const to = moved(action, at, count, key.height);
	if (to !== null) return only({ ...state, panel: { ...panel, at: to } });
	if (action === "close") return only({ ...state, panel: panel.back ?? null });
	switch (panel.kind) {
		case "tree":
			return inTree(state, { ...panel, at }, action, key, seen);
		case "inbox":
			return action === "go" ? fromInbox(state, at, seen) : only(state);
		case "queue":
			return inQueue(state, at, action, seen);
		case "mail":
			return inMail(state, at, action, key, seen);
		case "turns":
			return inTurns(state, at, action, key, seen);
		case "diff":
			return inDiff(state, { ...panel, at }, action, layoutIn(key.width));
		default:
			return only(state);
	}
}

function moved(action: Action | null, at: number, count: number, height: number): number | null {
	const bound = (to: number): number => Math.max(0, Math.min(count - 1, to));
	switch (action) {
		case "up":
			return bound(at - 1);
		case "down":
			return bound(at + 1);
		case "page-up":
			return bound(at - height + 4);
		case "page-down":
			return bound(at + height - 4);
		case "top":
			return 0;
		case "bottom":
			return bound(count);
		default:
			return null;
	}
}

function countOf({ current }: State, panel: Panel, seen: Seen, width: number): number {
	switch (panel.kind) {
		case "tree":
			return pickerRows(seen, current, panel).length;
		case "inbox":
			return inboxRows(seen).length;
		case "queue":
			return seen.queue(current).length;
		case "mail":
			return seen.mail(current).length;
		case "turns":
			return seen.turns(current).length;
		case "text":
			return textRows(panel.lines, width - 4).length;
		case "diff":
			return layoutIn(width)(panel).count;
		case "keys":
			return keyRows({ width: width - 4, colour: false }).length;
		case "commands":
			return commandRows({ width: width - 4, colour: false }).length;
	}
}

type TreePanel = Extract<Panel, { kind: "tree" }>;

function inTree(state: State, panel: TreePanel, action: Action | null, key: Key, seen: Seen): Update {
	const row = pickerRows(seen, state.current, panel)[panel.at];
	const next = (change: Partial<TreePanel>): Update => only({ ...state, panel: { ...panel, ...change } });
	switch (action) {
		case "go":
			return goTo(state, row?.agent.id, "There is no such agent.");
		case "collapse":
			return row === undefined ? only(state) : next({ collapsed: new Set([...panel.collapsed, row.agent.id]) });
		case "expand":
			return next({ collapsed: new Set([...panel.collapsed].filter((id) => id !== row?.agent.id)) });
		case "filter": {
			const filter = pickerFilters[(pickerFilters.indexOf(panel.filter) + 1) % pickerFilters.length] ?? "living";
			return next({ filter, at: 0 });
		}
		case "erase":
			return next({ words: [...panel.words].slice(0, -1).join(""), at: 0 });
		default:
			return isPrintable(key.data) ? next({ words: panel.words + key.data, at: 0 }) : only(state);
	}
}

const isPrintable = (data: string): boolean => data !== "" && !/\p{Cc}/u.test(data);

function fromInbox(state: State, at: number, seen: Seen): Update {
	const row = inboxRows(seen)[at];
	return row?.agent === null || row === undefined
		? only(noted(state, row?.hint ?? "Nothing needs you."))
		: goTo(state, row.agent, "");
}

function inQueue(state: State, at: number, action: Action | null, seen: Seen): Update {
	const [agent, prompt] = [state.current, seen.queue(state.current)[at]];
	if (prompt === undefined) return only(noted(state, "The queue is empty."));
	const follow = (to: number): State => ({ ...state, panel: { kind: "queue", at: to } });
	switch (action) {
		case "move-up":
			if (at === 0) return only(noted(state, "It is the first one already."));
			return only(follow(at - 1), { do: "queue", agent, prompt: prompt.id, change: { to: at } });
		case "move-down":
			if (at === seen.queue(agent).length - 1) return only(noted(state, "It is the last one already."));
			return only(follow(at + 1), { do: "queue", agent, prompt: prompt.id, change: { to: at + 2 } });
		case "remove":
			return only(state, { do: "queue", agent, prompt: prompt.id, change: "remove" });
		case "edit":
			return only(
				noted(
					{ ...state, panel: null, editing: new Map(state.editing).set(agent, prompt.id) },
					"Enter replaces the prompt, Esc keeps it.",
				),
				{ do: "draft", text: prompt.text },
			);
		default:
			return only(state);
	}
}

function inMail(state: State, at: number, action: Action | null, key: Key, seen: Seen): Update {
	const [agent, mail] = [state.current, seen.mail(state.current)[at]];
	if (mail === undefined) return only(noted(state, "There is no mail."));
	switch (action) {
		case "go": {
			const lines = mailLines(seen, mail);
			const back: Panel = { kind: "mail", at };
			// it stays unread: mail that was read is not given to the agent any more
			return only({ ...state, panel: { kind: "text", at: 0, title: `mail ${mail.id}`, lines, back } });
		}
		case "remove":
			return only(state, { do: "delete-mail", agent, mail: mail.id });
		case "reply":
			return mail.from.startsWith("agent:")
				? begun(state, key, `/send ${nameOf(seen, mail.from)} `)
				: only(noted(state, "No agent sent it: there is nobody to answer by mail."));
		default:
			return only(state);
	}
}

/** Begins a command in the input. What is written there is not replaced. */
function begun(state: State, { draft }: Key, text: string): Update {
	return draft.text === ""
		? only({ ...state, panel: null }, { do: "draft", text })
		: only(noted(state, "There is unsent text in the input: send it, or clear it with Ctrl+C, first."));
}

function inTurns(state: State, at: number, action: Action | null, key: Key, seen: Seen): Update {
	const agent: AgentId = state.current;
	const turn = seen.turns(agent).toReversed()[at];
	if (turn === undefined) return only(noted(state, "It has had no turns yet."));
	if (action === "go")
		return only(state, {
			do: "load",
			what: "turn-diff",
			agent,
			id: turn.id,
			handle: seen.agents.get(agent)?.handle ?? "",
			back: { kind: "turns", at },
		});
	if (action !== "fork-here") return only(state);
	if (turn.finalItem === null) return only(noted(state, "This turn has no end yet: fork from another one."));
	const cleared = seen.blocks(agent).findLast(({ kind, text }) => kind === "note" && text === clearedText);
	if (turn.finalItem < (cleared?.id ?? 0))
		return only(noted(state, "The context was cleared after this turn: fork from a later one."));
	return begun(state, key, `/fork --at ${turn.finalItem} `);
}

type LayoutOf = (panel: DiffPanel) => DiffLayout;
const layoutIn =
	(width: number): LayoutOf =>
	(panel) =>
		layoutOf(panel, diffLineWidth(width - 4));

function inDiff(state: State, panel: DiffPanel, action: Action | null, layout: LayoutOf): Update {
	const { file } = layout(panel).rowAt(panel.at);
	const shown = panel.files[file];
	const to = (next: DiffPanel, other: number): Update => {
		const bound = Math.max(0, Math.min(panel.files.length - 1, other));
		return only({ ...state, panel: { ...next, at: layout(next).rowOfFile(bound) } });
	};
	if (shown === undefined) return only(state);
	const load: Effect = { do: "load-file", source: panel.source, path: shown.path };
	switch (action) {
		case "open": {
			if (shown.lines === null) return only(state, load);
			const opened = new Set(panel.opened);
			if (!opened.delete(file)) opened.add(file);
			return to({ ...panel, opened }, file);
		}
		case "open-all": {
			if (panel.opened.size > 0) return to({ ...panel, opened: new Set() }, file);
			const loaded = [...panel.files.keys()].filter((each) => panel.files[each]?.lines !== null);
			const { state: next } = to({ ...panel, opened: new Set(loaded) }, file);
			const rest = panel.files.length - loaded.length;
			const said = `${counted(rest, "file")} more: the lines of a long diff are loaded when you open a file.`;
			return only(rest === 0 ? next : noted(next, said));
		}
		case "next-file":
			return to(panel, file + 1);
		case "previous-file":
			return to(panel, file - 1);
		case "viewed": {
			const mark = reviewMark(panel.source, shown);
			const then = wasViewed(panel.source, shown, state.viewed)
				? "it stays marked if they are as you viewed them."
				: "then mark it.";
			if (mark === null) return only(noted(state, `Its lines are loaded first: ${then}`), load);
			const marks = new Set(state.viewed);
			const isMarked = marks.delete(mark);
			if (!isMarked) marks.add(mark);
			const opened = new Set([...panel.opened].filter((each) => each !== file));
			const next = to({ ...panel, opened }, isMarked ? file : file + 1);
			return only({ ...next.state, viewed: marks }, ...next.effects);
		}
		default:
			return only(state);
	}
}
