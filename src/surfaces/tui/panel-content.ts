// The lists over the conversation: their titles, rows and hints.

import { counted } from "#contract/counted.ts";
import type { AgentId } from "#contract/ids.ts";
import { inline, visible } from "#contract/visible.ts";
import type { Prompt } from "#contract/wire.ts";
import { ageOf } from "#views/age.ts";
import { counters } from "#views/agent-text.ts";
import { withLocalTimes } from "#views/local-times.ts";
import { painted, type Style } from "#views/paint.ts";
import { glyph, nameOf, stateText } from "./agent-text.ts";
import { layoutOf, reviewMark, wasViewed } from "./diff.ts";
import { diffLine, saidOfLine } from "./diff-line.ts";
import { commandRows, keyRows } from "./help.ts";
import { inboxRows } from "./inbox.ts";
import { hint, keyName } from "./keymap.ts";
import type { DiffPanel, Panel, PanelFile, Seen, State } from "./model.ts";
import { isLiving, pickerRows, treeAround } from "./moving.ts";
import { clipped, filled, uncoloured, widthOf, wrapped } from "./pi/text.ts";
import { drawnRow, type Said, saidIn } from "./said.ts";

export interface Look {
	width: number;
	height: number;
	colour: boolean;
}

/** Only the rows on the screen are drawn. */
export interface DrawnRows {
	length: number;
	row(at: number): string;
}

export interface Content {
	title: string;
	rows: string[] | DrawnRows;
	hints: string[];
	/** what a row says, if that is not the row as it is drawn */
	said?(at: number): Said;
	/** what is said if there are no rows */
	none?: string;
}

export function contentOf(state: State, panel: Panel, seen: Seen, look: Look): Content {
	const [close, scroll] = [hint("list", "close", "close"), "↑↓ scroll"];
	switch (panel.kind) {
		case "tree":
			return treeContent(state, panel, seen, look);
		case "inbox":
			return {
				title: "needs you",
				rows: inboxRows(seen).map(
					({ style, glyph: mark, text }) => `${painted(style, mark, look.colour)} ${inline(text)}`,
				),
				hints: [hint("list", "go", "go there"), close],
				none: "nothing needs you",
			};
		case "queue":
			return {
				title: `queue of ${handleOf(seen, state.current)}`,
				rows: seen.queue(state.current).map((prompt) => inline(promptLine(seen, prompt))),
				hints: [
					`${keyName("shift+up")}/${keyName("down")} move`,
					hint("queue", "edit", "edit"),
					hint("queue", "remove", "remove"),
					close,
				],
				none: "no prompt waits",
			};
		case "mail":
			return {
				title: `mail of ${handleOf(seen, state.current)}`,
				rows: seen
					.mail(state.current)
					.map(
						({ state: read, from, body, sentAt }) =>
							`${read === "read" ? " " : "✉"} ${inline(nameOf(seen, from))}  ${inline(body)}  ${ageOf(sentAt, seen.now)}`,
					),
				hints: [hint("mail", "go", "show"), hint("mail", "reply", "answer"), hint("mail", "remove", "delete"), close],
				none: "no mail",
			};
		case "turns":
			return turnsContent(state, seen, look);
		case "diff":
			return diffContent(panel, state, look);
		case "keys":
			return { title: "keys (/help shows the commands)", rows: keyRows(look), hints: [scroll, close] };
		case "commands":
			return { title: "commands (F1 shows the keys)", rows: commandRows(look), hints: [scroll, close] };
		case "text": {
			const rows = textRows(panel.lines, look.width);
			return {
				title: panel.title,
				rows,
				said: saidInText(rows, panel.lines),
				hints: [scroll, ...(panel.back?.kind === "mail" ? [hint("mail", "reply", "answer")] : []), close],
			};
		}
	}
}

/** The margin marks parts of a line that did not fit into the row before. */
export const diffLineWidth = (width: number): number => width - 2;

export const textRows = (lines: readonly string[], width: number): string[] =>
	lines.flatMap((line) => wrapped(visible(line).replaceAll("\t", "    "), Math.max(8, width)));

/** Looked for when it is asked for first. */
function saidInText(rows: readonly string[], lines: readonly string[]): (at: number) => Said {
	let said: Said[] | null = null;
	return (at) => {
		said ??= saidIn(
			rows,
			lines.flatMap((line) => visible(line).split("\n")).map((text) => ({ text })),
		);
		return said[at] ?? drawnRow("");
	};
}

function promptLine(seen: Seen, { position, text, from, createdBy, notBefore }: Prompt): string {
	const author = from ?? createdBy;
	const due = notBefore === null ? "" : `  (not before ${withLocalTimes(notBefore, seen.now)})`;
	return `${position}  ${text}${due}${author === "human" ? "" : `  by ${nameOf(seen, author)}`}`;
}

function treeContent(state: State, panel: Extract<Panel, { kind: "tree" }>, seen: Seen, look: Look): Content {
	const isEverywhere = panel.filter === "everywhere" || panel.filter === "needs you";
	const all = (isEverywhere ? seen.everywhere : treeAround(seen, state.current)).map(({ agent }) => agent);
	const living = all.filter(isLiving).length;
	const asked = new Map(seen.inbox.approvals.map(({ agent, tool, title }) => [agent, `${tool} ${title}`]));
	const picked = pickerRows(seen, state.current, panel);
	const deepest = Math.max(0, ...picked.map(({ depth }) => depth));
	const shown = picked.map(({ agent, depth, hidden }) => {
		// deep trees keep room for the names: there each level takes one column
		const indent = " ".repeat(deepest * 2 > look.width / 4 ? Math.min(depth, Math.floor(look.width / 4)) : 2 * depth);
		const more = `${hidden === 0 ? "" : ` +${hidden}`}${agent.id === state.current ? " ←" : ""}`;
		return {
			left: `${indent}${glyph(agent, look.colour)} ${inline(agent.handle)}`,
			more,
			doing: inline(asked.get(agent.id) ?? stateText(agent, seen.now)),
			counts: counters(agent),
			age: ageOf(agent.lastActiveAt, seen.now),
		};
	});
	const widest = (of: "counts" | "age"): number => Math.max(0, ...shown.map((row) => widthOf(row[of])));
	const names = shown.map(({ left, more }) => widthOf(left) + widthOf(more));
	const name = Math.min(Math.max(0, ...names), Math.floor(look.width / 2));
	const doing = Math.max(0, look.width - name - widest("counts") - widest("age") - 6);
	const rows = shown.map(({ left, more, doing: what, counts, age }) => {
		// a name that does not fit is cut before its marks
		const named = filled(clipped(left, name - widthOf(more)) + more, name);
		const said = painted("faint", filled(what, doing), look.colour);
		return `${named}  ${said}  ${counts.padStart(widest("counts"))}  ${age.padStart(widest("age"))}`;
	});
	const tab = look.width < 90 ? "Tab filter" : "Tab living / needs you / all / everywhere";
	return {
		title: `agents (${panel.filter}) ${panel.words}▏ ${rows.length} of ${all.length} · ${living} living, ${all.length - living} dead`,
		rows,
		hints: ["type to search", "Enter go", tab, "←/→ expand", "Esc close"],
		none: noneText(panel),
	};
}

const noneText = ({ words, filter }: Extract<Panel, { kind: "tree" }>): string =>
	(words === "" ? "no agent" : "no agent has such a name") +
	(filter === "everywhere" ? "" : ` under "${filter}"; Tab shows others`);

function turnsContent(state: State, seen: Seen, { colour }: Look): Content {
	const prompts = new Map(
		seen.blocks(state.current).flatMap(({ kind, turn, text }) => (kind === "prompt" ? [[turn, text]] : [])),
	);
	const rows = seen
		.turns(state.current)
		.toReversed()
		.map(({ id, state: how, startedAt, reason, commit }) => {
			const style: Style = how === "completed" ? "ok" : how === "open" ? "run" : "bad";
			const why = reason === null || reason === how ? "" : reason;
			const more = [why, commit === null ? "" : `commit ${commit.slice(0, 7)}`].filter(Boolean).join("  ");
			const mark = painted(style, how === "open" ? "●" : how === "completed" ? "◐" : "✗", colour);
			return `${mark} ${ageOf(startedAt, seen.now).padStart(5)}  ${how}  ${inline(prompts.get(id) ?? "")}  ${inline(more)}`;
		});
	return {
		title: `turns of ${handleOf(seen, state.current)}, newest first`,
		rows,
		hints: [
			hint("turns", "go", "its diff"),
			hint("turns", "fork-here", "fork from here"),
			hint("list", "close", "close"),
		],
		none: "no turns yet",
	};
}

function diffContent(panel: DiffPanel, { viewed }: State, { width, colour }: Look): Content {
	const { files, opened } = panel;
	const isViewed = (file: PanelFile): boolean => viewed.has(reviewMark(panel.source, file) ?? "");
	const isBefore = (file: PanelFile): boolean => wasViewed(panel.source, file, viewed);
	const before = files.filter(isBefore).length;
	const layout = layoutOf(panel, diffLineWidth(width));
	const fileRow = (file: PanelFile, isOpen: boolean): string => {
		const unloaded = isBefore(file) ? "viewed before, not loaded" : "not loaded";
		const { path, from, added, deleted, lines, note = lines === null ? unloaded : "" } = file;
		const counts =
			added === null
				? "not text"
				: `${painted("added", `+${added}`, colour)} ${painted("deleted", `−${deleted}`, colour)}`;
		const mark = isBefore(file) ? painted("faint", "✓", colour) : painted("strong", isViewed(file) ? "✓" : "○", colour);
		const left = ` ${isOpen ? "▾" : "▸"} ${inline(from === undefined ? path : `${from} → ${path}`)}`;
		const more = note === "" ? "" : `  ${note}`;
		const free = Math.max(8, width - 15 - more.length);
		return `${mark}${painted("strong", clipped(left, free), colour)}  ${counts}${painted("faint", more, colour)}`;
	};
	const said = (at: number): Said => {
		const { file, line, part } = layout.rowAt(at);
		return line === null || part === null
			? { text: uncoloured(row(at)).trimEnd(), lead: 0, joint: null }
			: saidOfLine(files[file]?.lines?.[line] ?? "", part);
	};
	const row = (at: number): string => {
		const { file: index, line, part } = layout.rowAt(at);
		const file = files[index];
		if (file === undefined) return "";
		if (line === null || part === null) return fileRow(file, opened.has(index));
		return diffLine(file.lines?.[line] ?? "", part, file.path, colour);
	};
	return {
		title: `${panel.title}: ${counted(files.length, "file")}, ${files.filter(isViewed).length} viewed${before === 0 ? "" : `, ${before} viewed before`}`,
		rows: { length: layout.count, row },
		said,
		none: "nothing has changed",
		hints: [
			hint("diff", "open", "open"),
			hint("diff", "viewed", "viewed"),
			`${hint("diff", "next-file", "")}/${hint("diff", "previous-file", "file")}`.replace(" /", "/"),
			hint("diff", "open-all", "all"),
			hint("list", "close", "close"),
		],
	};
}

const handleOf = ({ agents }: Seen, id: AgentId): string => agents.get(id)?.handle ?? "?";
