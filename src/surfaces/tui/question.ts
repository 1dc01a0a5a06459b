// An agent's question. It is answered only once all of it was on the screen.
import { inline, visible } from "#contract/visible.ts";
import type { Approval } from "#contract/wire.ts";
import { painted } from "#views/paint.ts";
import { ageOf } from "./agent-text.ts";
import { hint } from "./keymap.ts";
import type { Panel, Seen } from "./model.ts";
import { clipped, wrapped } from "./pi.ts";

/** rows of a question that are shown in place */
const rowsMax = 10;

/** The whole question: what it wants to do, to which files, and everything it said about it. */
export function questionLines({ tool, title, content, files, inside }: Approval): string[] {
	const place = inside ? "all in its workspace" : "not all in its workspace, or run by a program";
	return [
		`${tool}  ${title}`,
		...(files.length === 0 ? [] : [`files, ${place}:`, ...files.map((file) => `  ${inline(file)}`)]),
		...(content === "" || content === title ? [] : content.split("\n")),
	].flatMap((line) => line.split("\n"));
}

export const questionPanel = (approval: Approval): Panel => ({
	...{ kind: "approval", at: 0, approval: approval.id, lines: questionLines(approval) },
	title: `${approval.path[0] ?? "an agent"} asks`,
});

const rowsOf = (approval: Approval, width: number): string[] =>
	questionLines(approval).flatMap((line) => wrapped(visible(line).replaceAll("\t", "    "), width - 4));

/** Whether the question is longer than what is shown in place. */
export const isCut = (approval: Approval, width: number): boolean => rowsOf(approval, width).length > rowsMax;

/** The question above the input. */
export function questionRows(approval: Approval, seen: Seen, look: { width: number; colour: boolean }): string[] {
	const { width, colour } = look;
	const { path, askedAt } = approval;
	const head = `◆ ${path[0] ?? ""} (${path.toReversed().join("/")}) asks, ${ageOf(askedAt, seen.now)} ago`;
	const rows = rowsOf(approval, width);
	const keys = isCut(approval, width)
		? `… ${rows.length - rowsMax} rows more: ${hint("approval", "whole", "shows all of it, then answer")}`
		: [
				hint("approval", "allow", "allow"),
				hint("approval", "deny", "deny"),
				hint("approval", "always", "always"),
				hint("approval", "whole", "whole text"),
			].join(" · ");
	return [
		clipped(painted("wait", inline(head), colour), width),
		...rows.slice(0, rowsMax).map((row) => `  ${row}`),
		clipped(painted("faint", `  ${keys}   (while you type: with Alt)`, colour), width),
	];
}
