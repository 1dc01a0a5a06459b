// Prints approvals.
import { indented, inline, oneLine } from "#contract/visible.ts";
import type { Approval } from "#contract/wire.ts";
import { contentBesideCommand, filesText } from "#views/approval-text.ts";
import { age, table } from "./print.ts";

/** One line each; a cut one says how to see the rest. `agent` has become a name by now (`agent-names.ts`). */
export function approvalTable(approvals: readonly Approval[]): string {
	const rows = approvals.map(({ id, agent, askedAt, tool, title, content }) => {
		const whole = oneLine(title);
		const brief = whole.length > lineLength ? `${whole.slice(0, lineLength).toWellFormed()}…` : whole;
		const more = brief !== title || content !== "";
		return [String(id), agent, age(askedAt), tool, more ? `brood approval show ${id}` : "-", brief];
	});
	return table(["ID", "AGENT", "AGE", "TOOL", "DETAILS", "QUESTION"], rows) || "no pending approvals";
}

const lineLength = 100;

/** The whole question, uncut, because somebody may allow it. Every line from the agent begins with a bar. */
export function approvalLines(approval: Approval): string {
	const { id, handles, state, tool, title, files, askedAt, answeredBy, reason } = approval;
	const more = approval.command?.line === title ? contentBesideCommand(approval) : approval.content;
	return [
		`approval ${id}: ${handles.at(-1) ?? ""} asks for your approval (kind of tool: ${inline(tool)})`,
		`  | ${indented(title, "  | ")}`,
		...(more === "" ? [] : ["in full:", `  | ${indented(more, "  | ")}`]),
		...(files.length === 0 ? [] : [`files ${filesText(approval)}:`, ...files.map((file) => `  ${inline(file)}`)]),
		`asked ${age(askedAt)} ago${state === "pending" ? "" : `, ${state}${answeredBy === null ? "" : ` by ${answeredBy}`}${reason === null ? "" : `: ${inline(reason)}`}`}`,
		...(state === "pending"
			? [`  try: brood approval allow ${id}`, `  try: brood approval deny ${id} --reason '…'`]
			: []),
	].join("\n");
}
