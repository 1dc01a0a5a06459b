// Prints the inbox, the tree and the board.
import type { BoardColumn, Inbox, TreeRow } from "#contract/overviews.ts";
import { inline } from "#contract/visible.ts";
import { finishHint } from "#views/agent-text.ts";
import { continueCommand, errorReason } from "#views/holds.ts";
import { fallenNodeHint } from "#views/overviews.ts";
import { table } from "./print.ts";
import { labelText } from "./print-agents.ts";
import { approvalTable } from "./print-approvals.ts";
import { issueStateText, issueTable } from "./print-issues.ts";

/** Sections with nothing in them are left out. */
export function inboxText({ approvals, errors, humanAgents, reviews, limits, nodes }: Inbox): string {
	const problems = errors.map((agent) => [
		agent.handle,
		agent.project ?? "-",
		agent.lastError?.code ?? "-",
		inline(errorReason(agent)),
		continueCommand(agent),
	]);
	const human = humanAgents.map(({ handle, project, turn }) => [
		handle,
		project ?? "-",
		turn?.startedAt ?? "-",
		finishHint(handle),
	]);
	const cooling = limits.map(({ name, type, coolingUntil }) => [name, type, coolingUntil ?? ""]);
	const fallen = nodes.map((node) => [
		node.name,
		node.fellAt ?? "-",
		node.agents.map(({ handle }) => handle).join(", ") || "-",
		fallenNodeHint(node),
	]);
	const sections: [string, number, string][] = [
		["approvals", approvals.length, approvalTable(approvals)],
		["errors", errors.length, table(["AGENT", "PROJECT", "CODE", "REASON", "TRY"], problems, { cut: "REASON" })],
		["turns of human agents", humanAgents.length, table(["AGENT", "PROJECT", "SINCE", "WHEN DONE"], human)],
		["reviews", reviews.length, issueTable(reviews)],
		["usage limits", limits.length, table(["SUBSCRIPTION", "TYPE", "UNTIL"], cooling)],
		["nodes that stopped answering", nodes.length, table(["NODE", "SINCE", "AGENTS THERE", "TRY"], fallen)],
	];
	const shown = sections.filter(([, count]) => count > 0).map(([title, count, text]) => `${title} (${count})\n${text}`);
	return shown.join("\n\n") || "nothing needs you";
}

/** A line runs down from an agent to the last of those below it. */
export function treeText(rows: readonly TreeRow[]): string {
	// from the end: whether a row of a depth follows before one that is less deep
	const follows: boolean[] = [];
	const lines = rows.toReversed().map(({ depth, agent }) => {
		follows.length = Math.min(follows.length, depth + 1);
		const isDrawn = (level: number): boolean => level > 0 && follows[level] === true;
		const before = Array.from({ length: depth }, (_, level) => (isDrawn(level) ? "│  " : "   "));
		const corner = isDrawn(depth) ? "├─ " : "└─ ";
		follows[depth] = true;
		const { handle, type, project } = agent;
		const own = `${handle}  ${labelText(agent)}  ${type}${project === null ? "" : `  ${project}`}`;
		return `${before.join("")}${corner}${own}`;
	});
	return lines.toReversed().join("\n");
}

export function boardText(columns: readonly BoardColumn[]): string {
	return columns
		.map(({ stage, wipMax, issues, more }) => {
			const lines = issues.map((issue) => `  #${issue.number}  ${inline(issue.title)}  (${issueStateText(issue)})`);
			const many = wipMax === null ? `${issues.length}` : `${issues.length} of at most ${wipMax}`;
			return [`${stage} (${many}${more ? ", older ones in `brood issue list`" : ""})`, ...lines].join("\n");
		})
		.join("\n");
}
