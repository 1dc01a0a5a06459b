// Prints issues.
import type { Issue, IssueDetails, NamedPreset } from "#contract/issue-wire.ts";
import type { AnswerOf } from "#contract/routes.ts";
import { indented, inline } from "#contract/visible.ts";
import { blockedText, stageNamesBeforeStart, waitingTexts } from "#views/issue.ts";
import { money } from "#views/usage-lines.ts";
import { table } from "./print.ts";

export function issueTable(issues: readonly Issue[]): string {
	const rows = issues.map((issue) => [
		`${issue.project}#${issue.number}`,
		issue.stage,
		issue.priority,
		issue.assigneeHandle ?? "-",
		issueStateText(issue),
		issue.title,
	]);
	return table(["ISSUE", "STAGE", "PRIORITY", "AGENT", "STATE", "TITLE"], rows) || "no issues";
}

export function documentTable(documents: AnswerOf<"issueDocuments">): string {
	const rows = documents.map(({ name, version, type, by, at }) => [name, String(version), type ?? "-", by, at]);
	return table(["DOCUMENT", "VERSION", "TYPE", "BY", "AT"], rows) || "no documents";
}

/** What the issue waits for, in a word or two. */
export function issueStateText({
	deletedAt,
	attention,
	broken,
	blockedBy,
	waiting,
	assignee,
	notBefore,
	doneAt,
}: Issue): string {
	if (deletedAt !== null) return "deleted";
	if (attention !== null) return "needs attention";
	if (broken !== null) return "preset broken";
	if (doneAt !== null) return "done";
	if (assignee !== null) return "being worked on";
	if (waiting !== null) return waitingTexts[waiting];
	if (blockedBy.length > 0) return blockedText(blockedBy);
	return notBefore === null ? "open" : "tried again later";
}

export function issueLines(issue: IssueDetails): string {
	const { project, number, title, attention, artifacts, filesAtNodeName } = issue;
	const fields: [string, string | null][] = [
		["stage", `${issue.stage} (${issueStateText(issue)}), preset ${issue.preset}`],
		["attention", attention && `${attention.reason} (${attention.at})`],
		["broken", issue.broken],
		["agent", issue.assigneeHandle],
		["branch", issue.branch],
		["commit", issue.commit],
		["merged", issue.mergedCommit],
		["remote", issue.mergeNote ?? null],
		["approved by", issue.approvedBy],
		["priority", issue.priority],
		["labels", issue.labels.join(", ") || null],
		[
			"depends on",
			issue.dependsOn.map((on) => `#${on}${issue.blockedBy.includes(on) ? "" : " (done or deleted)"}`).join(", ") ||
				null,
		],
		["moves", issue.moves.join(", ") || null],
		[
			"folder",
			artifacts === null ? null : `${artifacts.path}${artifacts.nodeName ? `  at node ${artifacts.nodeName}` : ""}`,
		],
		[
			"files",
			filesAtNodeName === undefined
				? artifacts?.files.join(", ") || null
				: `out of reach: node ${filesAtNodeName} is down`,
		],
	];
	const section = (name: string, lines: readonly string[]): string[] =>
		lines.length === 0 ? [] : ["", `${name}:`, ...lines];
	return [
		`${project}#${number} ${inline(title)}`,
		...fields.flatMap(([name, value]) => (value === null ? [] : `${name.padEnd(12)} ${inline(value)}`)),
		...section("body", issue.body === "" ? [] : [`  ${indented(issue.body, "  ")}`]),
		...section("runs", issue.runs.map(runLine)),
		...section(
			"comments",
			issue.comments.map(({ by, at, text }) => `${at} ${by}: ${indented(text, "  | ")}`),
		),
		...section(
			"documents",
			issue.documents.map(({ name, version, by }) => `${inline(name)} (version ${version}, by ${by})`),
		),
		...section(
			"messages",
			issue.messages.map(
				({ stage, by, text, delivered }) =>
					`${stage}, from ${by}${delivered ? "" : ", not delivered yet"}: ${indented(text, "  | ")}`,
			),
		),
	].join("\n");
}

function runLine({
	stage,
	handle,
	agent,
	state,
	work,
	durationMs,
	inputTokens,
	outputTokens,
	costUsd,
	summary,
}: Issue["runs"][number]): string {
	const time = durationMs === null ? "" : `, ${(durationMs / 1000).toFixed(1)} s`;
	const used = inputTokens === null ? "" : `, ${inputTokens + (outputTokens ?? 0)} tokens`;
	const paid = costUsd === null ? "" : `, ${money({ costs: [{ amount: costUsd, currency: "USD" }] })}`;
	const words = summary === null ? "" : `: ${summary.replaceAll(/\s+/g, " ").trim().slice(0, 200)}`;
	return `${stage}  ${handle ?? agent}  ${state}${work ? " with work" : ""}${time}${used}${paid}${words}`;
}

export function presetLines(presets: readonly NamedPreset[]): string {
	return presets
		.map(({ name, default: usual, loaded }) => {
			const how =
				"broken" in loaded
					? `broken: ${inline(loaded.broken)}`
					: [
							loaded.preset.stages.map((stage) => stage.name).join(" → "),
							`issues wait in ${stageNamesBeforeStart(loaded.preset).join(" and ")} until they are started`,
						].join("\n  ");
			return `${name}${usual ? " (default)" : ""}\n  ${how}`;
		})
		.join("\n");
}
