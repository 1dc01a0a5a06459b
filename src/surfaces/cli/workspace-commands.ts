// Workspaces: an agent's changes, and merging them.
import { type Command, Option } from "@commander-js/extra-typings";
import type { Diff } from "#contract/workspace.ts";
import { call } from "./call.ts";
import { agentCommand, json, project } from "./options.ts";

const whose = "its handle, id, project/handle or the beginning of its id";

export function workspaceCommands(program: Command, agent: Command): void {
	for (const parent of [agent, program]) {
		diffCommand(parent);
		commitCommand(parent);
		approveCommand(parent);
	}
	workCommands(agent);
	syncCommand(agent);
	snapshotCommands(program);
}

function diffCommand(parent: Command): void {
	parent
		.command("diff")
		.description("what differs in its tree")
		.argument("<agent>", whose)
		.option("--against <what>", "base, index, parent, or another agent", "base")
		.option("--stat", "only the files")
		.addOption(project())
		.addOption(json())
		.action((reference, { against, stat, ...options }) =>
			call("diff", options, { params: { agent: reference }, query: { against } }, async (diff) => {
				const text = await diffText(diff, stat);
				return stat === true ? text : (await import("./pager.ts")).paged(text);
			}),
		);
}

function commitCommand(parent: Command): void {
	parent
		.command("commit")
		.description("commit its work in its name")
		.argument("<agent>", whose)
		.argument("[paths...]", "only these; everything that is not ignored if absent")
		.requiredOption("-m, --message <text>", "what it says")
		.addOption(project())
		.addOption(json())
		.action((reference, paths, { message, ...options }) =>
			call(
				"commit",
				options,
				{ params: { agent: reference }, body: { message, ...(paths.length > 0 && { paths }) } },
				async (committed) => (await import("./print-work.ts")).commitText(committed),
			),
		);
}

function workCommands(agent: Command): void {
	agentCommand(agent, "health", "what is wrong with its workspace; nothing is repaired", whose).action(
		(reference, options) =>
			call("health", options, { params: { agent: reference } }, async (health) =>
				(await import("./print-work.ts")).healthText(health),
			),
	);
	agentCommand(agent, "release", "send it home to its branch, and to base if it has nothing of its own", whose).action(
		(reference, options) => call("release", options, { params: { agent: reference }, body: {} }, (moved) => moved.text),
	);
}

function syncCommand(agent: Command): void {
	agent
		.command("sync")
		.description("bring base into its branch")
		.argument("[agents...]", "whose; all idle ones of the project if absent")
		.addOption(new Option("--strategy <how>", "how").choices(["ff", "rebase", "merge"] as const).default("ff" as const))
		.addOption(project())
		.addOption(json())
		.action(async (references, options) => await (await import("./sync.ts")).sync(references, options));
}

function approveCommand(parent: Command): void {
	parent
		.command("approve")
		.description("merge a reviewed commit into base, then bring the other agents up to date")
		.argument("<agent>", whose)
		.option("--commit <hash>", "the commit that was reviewed; its branch's newest if absent")
		.addOption(
			new Option("--strategy <how>", "how; the project's setting if absent").choices([
				"ff",
				"merge",
				"squash",
				"rebase",
			] as const),
		)
		.option("-m, --message <text>", "of the merge")
		.addOption(project())
		.addOption(json())
		.action((reference, { commit, strategy, message, ...options }) => {
			const body = { commit: commit || undefined, strategy, message: message || undefined };
			return call("approve", options, { params: { agent: reference }, body }, async (approved) =>
				(await import("./print-work.ts")).approveText(approved),
			);
		});
}

function snapshotCommands(program: Command): void {
	const snapshot = program.command("snapshot").description("an agent's tree as it was");
	agentCommand(snapshot, "list", "newest first").action((agent, options) =>
		call("snapshots", options, { params: { agent } }, async (snapshots) =>
			(await import("./print-work.ts")).snapshotTable(snapshots),
		),
	);
	snapshot
		.command("show")
		.description("what it holds")
		.argument("<agent>", "whose")
		.argument("<snapshot>", "its number")
		.option("--stat", "only the files")
		.addOption(project())
		.addOption(json())
		.action((agent, id, { stat, ...options }) =>
			call("snapshot", options, { params: { agent, snapshot: id } }, (diff) => diffText(diff, stat)),
		);
	agentCommand(snapshot, "restore", "put the tree back as it was, after a snapshot of what it is")
		.argument("<snapshot>", "its number")
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

const diffText = async (diff: Diff, stat = false): Promise<string> =>
	(await import("./print-work.ts")).diffText(diff, stat);
