// Workspaces: an agent's changes, and merging them.

import { type Command, Option } from "@commander-js/extra-typings";
import type { Node } from "#contract/node-wire.ts";
import type { AnswerOf } from "#contract/routes.ts";
import { inline } from "#contract/visible.ts";
import type { CliContext } from "./act.ts";
import { call } from "./call.ts";
import { agentSubcommand, allProjects, isIssue, mergeStrategyOption, scopedSubcommand } from "./options.ts";

const whose = "name, project/name, id, or the first characters of the id";
const agentOrIssue = "an agent (name or project/name), or an issue (project#3, or just 3 in its directory)";

export function workspaceSubcommands(program: Command, agent: Command): void {
	for (const parent of [agent, program]) {
		diffSubcommand(parent);
		commitSubcommand(parent);
		approveSubcommand(parent);
		prSubcommand(parent);
	}
	workSubcommands(agent);
	moveSubcommand(agent);
	for (const parent of [agent, program]) syncSubcommand(parent);
	snapshotSubcommands(program);
}

function diffSubcommand(parent: Command): void {
	scopedSubcommand(parent, "diff", "show the changes of an agent, committed or not, or those of an issue's branch")
		.argument("<agent|issue>", agentOrIssue)
		.option("--against <what>", "compare with base, index, parent, or another agent", "base")
		.option("--stat", "only file names and line counts")
		.action(async (reference, { against, stat, ...options }) => {
			if (isIssue(reference))
				return await (await import("./diff.ts")).issueDiff(reference, { stat, against, ...options });
			await (await import("./diff.ts")).agentDiff(reference, { stat, against, ...options });
		});
}

function prSubcommand(parent: Command): void {
	scopedSubcommand(parent, "pr", "push a branch and open a pull request with gh or glab, or print the link to open one")
		.argument("<agent|issue>", agentOrIssue)
		.option("--title <text>", "the title; default: the issue's, or the commit's")
		.option("--body <text>", "the description; default: the issue's, or the list of commits")
		.option("-f, --file <file>", "read the description from a file; - is standard input")
		.option("--draft", "open it as a draft")
		.option("--link", "only push and print the link, also if gh or glab is there")
		.option("--dry-run", "push nothing; show what would be pushed, and its title and description")
		.addHelpText("after", "\nExamples:\n  brood pr opus-1\n  brood pr web#3 --draft")
		.action(async (name, options) => await (await import("./pr.ts")).pr(name, options));
}

function commitSubcommand(parent: Command): void {
	agentSubcommand(parent, "commit", "commit an agent's changes under its name")
		.argument("[paths...]", "only these paths; default: everything that is not ignored")
		.requiredOption("-m, --message <text>", "the commit message")
		.action((reference, paths, { message, ...options }) =>
			call(
				"commit",
				options,
				{ params: { agent: reference }, body: { message, ...(paths.length > 0 && { paths }) } },
				async (committed) => (await import("./print-work.ts")).commitText(committed),
			),
		);
}

async function health(agent: string, options: { json?: boolean | undefined }): Promise<void> {
	let nodes: readonly Node[] = [];
	const input = async ({ client }: CliContext) => {
		if (options.json !== true) nodes = await client.call("nodes");
		return { params: { agent } };
	};
	await call("health", options, input, async (found) => (await import("./print-work.ts")).healthText(found, nodes));
}

function workSubcommands(agent: Command): void {
	agentSubcommand(agent, "health", "check an agent's workspace; nothing is repaired", whose).action(
		(reference, options) => health(reference, options),
	);
	agentSubcommand(
		agent,
		"release",
		"return to the agent's home branch: it gives its issue back and begins a new context, unless the project keeps it",
		whose,
	).action((reference, options) =>
		call("release", options, { params: { agent: reference }, body: {} }, (moved) => moved.text),
	);
}

function moveSubcommand(agent: Command): void {
	agentSubcommand(agent, "move", "move an idle agent and its files to another node, also away from a node that is down")
		.requiredOption("--to <node>", "the node's name or id; see brood node list")
		.option("--force", "use its last snapshot in the database, without asking its present node for a newer one")
		.action((reference, { to, force = false, ...options }) =>
			call("agentMove", options, { params: { agent: reference }, body: { to, force } }, (moved) =>
				movedText(moved, to),
			),
		);
}

const missingMax = 20;

/** Also what stayed behind: on the old machine it is in the trash, which is emptied. */
function movedText({ handle, workspace, missing, notes }: AnswerOf<"agentMove">, to: string): string {
	const where = workspace === null ? "" : `  ${inline(workspace.path)}`;
	const left = missing.slice(0, missingMax).map(({ path, reason }) => `${path} did not come along: ${reason}.`);
	const more = missing.length - left.length;
	const lines = [
		...left,
		...(more > 0 ? [`${more} more did not come along.`] : []),
		...notes.map((note) => `note to ${handle}: ${note}`),
	];
	return [`moved ${handle} to ${to}${where}`, ...lines.map((line) => `  ${inline(line)}`)].join("\n");
}

function syncSubcommand(agent: Command): void {
	scopedSubcommand(
		agent,
		"sync",
		"update agents' branches to base",
		"the project whose idle agents are updated; with names: look for them there first",
	)
		.argument("[agents...]", "the agents; default: all idle agents of the project")
		.option(
			"--all",
			"every living agent with files of its own, in the project of --project or of this directory, else in all",
		)
		.addOption(allProjects())
		.addOption(
			new Option("--strategy <how>", "how to update")
				.choices(["ff", "rebase", "merge"] as const)
				.default("ff" as const),
		)
		.action(async (references, options) => await (await import("./sync.ts")).sync(references, options));
}

function approveSubcommand(parent: Command): void {
	scopedSubcommand(
		parent,
		"approve",
		"approve work: merges an agent's into base, or an issue's at its last gate; then updates the other agents",
	)
		.argument("<agent|issue>", agentOrIssue)
		.option(
			"--commit <hash>",
			"the commit that you reviewed; default: an agent's newest, of an issue that of its last run",
		)
		.addOption(mergeStrategyOption())
		.option("-m, --message <text>", "the message of the merge commit")
		.action(async (reference, { commit, strategy, message, ...options }) => {
			if (isIssue(reference))
				return await (await import("./issues.ts")).approve(reference, { commit, strategy, message, ...options });
			const body = { commit: commit || undefined, strategy, message: message || undefined };
			return await call("approve", options, { params: { agent: reference }, body }, async (approved) =>
				(await import("./print-work.ts")).approveText(approved),
			);
		});
}

function snapshotSubcommands(program: Command): void {
	const snapshot = program.command("snapshot").description("list and restore snapshots of an agent's files");
	agentSubcommand(snapshot, "list", "list snapshots, newest first").action((agent, options) =>
		call("snapshots", options, { params: { agent } }, async (snapshots) =>
			(await import("./print-work.ts")).snapshotTable(snapshots),
		),
	);
	agentSubcommand(snapshot, "show", "show what changed in a snapshot", "the agent's name or id")
		.argument("<snapshot>", "the snapshot's number")
		.option("--stat", "only file names and line counts")
		.action((agent, id, { stat, ...options }) =>
			import("./diff.ts").then(({ snapshotDiff }) => snapshotDiff(agent, id, { stat, ...options })),
		);
	agentSubcommand(snapshot, "restore", "restore the files of a snapshot; the present files are kept as a new snapshot")
		.argument("<snapshot>", "the snapshot's number")
		.action((agent, id, options) =>
			call(
				"restore",
				options,
				{ params: { agent }, body: { snapshot: id } },
				({ text, snapshot: before }) =>
					`${text}${before === null ? "" : ` What was there before is snapshot ${before}.`}`,
			),
		);
}
