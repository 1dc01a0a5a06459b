// Workspaces: what an agent did in its tree, and what becomes of it.
import { type Command, Option } from "@commander-js/extra-typings";
import { json, project } from "./options.ts";

const whose = "its handle, id, project/handle or the beginning of its id";

/** `agent` is the command that these are verbs of. */
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
		.action(async (reference, options) => {
			const [{ act }, { diffText }, { paged }] = await Promise.all([
				import("./act.ts"),
				import("./print-work.ts"),
				import("./pager.ts"),
			]);
			const { against, stat } = options;
			await act(
				options,
				({ client, query }) => client.call("diff", { query: { ...query, against }, params: { agent: reference } }),
				(diff) => (stat === true ? diffText(diff, true) : paged(diffText(diff, false))),
			);
		});
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
		.action(async (reference, paths, options) => {
			const [{ act }, { commitText }] = await Promise.all([import("./act.ts"), import("./print-work.ts")]);
			const body = { message: options.message, ...(paths.length > 0 && { paths }) };
			await act(
				options,
				({ client, key, query }) => client.call("commit", { key, query, params: { agent: reference }, body }),
				commitText,
			);
		});
}

function workCommands(agent: Command): void {
	agent
		.command("health")
		.description("what is wrong with its workspace; nothing is repaired")
		.argument("<agent>", whose)
		.addOption(project())
		.addOption(json())
		.action(async (reference, options) => {
			const [{ act }, { healthText }] = await Promise.all([import("./act.ts"), import("./print-work.ts")]);
			await act(
				options,
				({ client, query }) => client.call("health", { query, params: { agent: reference } }),
				healthText,
			);
		});
	agent
		.command("release")
		.description("send it home to its branch, and to base if it has nothing of its own")
		.argument("<agent>", whose)
		.addOption(project())
		.addOption(json())
		.action(async (reference, options) => {
			const { act } = await import("./act.ts");
			await act(
				options,
				({ client, key, query }) => client.call("release", { key, query, params: { agent: reference }, body: {} }),
				(home) => home.text,
			);
		});
}

function syncCommand(agent: Command): void {
	agent
		.command("sync")
		.description("bring base into its branch")
		.argument("[agents...]", "whose; all idle ones of the project if absent")
		.addOption(new Option("--strategy <how>", "how").choices(["ff", "rebase", "merge"] as const).default("ff" as const))
		.addOption(project())
		.addOption(json())
		.action(async (references, options) => {
			const { sync } = await import("./sync.ts");
			await sync(references, options);
		});
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
		.action(async (reference, options) => {
			const [{ act }, { approveText }] = await Promise.all([import("./act.ts"), import("./print-work.ts")]);
			const { commit, strategy, message } = options;
			const body = { ...(commit && { commit }), ...(strategy && { strategy }), ...(message && { message }) };
			await act(
				options,
				({ client, key, query }) => client.call("approve", { key, query, params: { agent: reference }, body }),
				approveText,
			);
		});
}

function snapshotCommands(program: Command): void {
	const snapshot = program.command("snapshot").description("an agent's tree as it was");
	snapshot
		.command("list")
		.description("newest first")
		.argument("<agent>", "whose")
		.addOption(project())
		.addOption(json())
		.action(async (reference, options) => {
			const [{ act }, { snapshotTable }] = await Promise.all([import("./act.ts"), import("./print-work.ts")]);
			await act(
				options,
				({ client, query }) => client.call("snapshots", { query, params: { agent: reference } }),
				snapshotTable,
			);
		});
	snapshot
		.command("show")
		.description("what it holds")
		.argument("<agent>", "whose")
		.argument("<snapshot>", "its number")
		.option("--stat", "only the files")
		.addOption(project())
		.addOption(json())
		.action(async (reference, id, options) => {
			const [{ act }, { diffText }] = await Promise.all([import("./act.ts"), import("./print-work.ts")]);
			await act(
				options,
				({ client, query }) => client.call("snapshot", { query, params: { agent: reference, snapshot: id } }),
				(diff) => diffText(diff, options.stat === true),
			);
		});
	snapshot
		.command("restore")
		.description("put the tree back as it was, after a snapshot of what it is")
		.argument("<agent>", "whose")
		.argument("<snapshot>", "its number")
		.addOption(project())
		.addOption(json())
		.action(async (reference, id, options) => {
			const { act } = await import("./act.ts");
			await act(
				options,
				({ client, key, query }) =>
					client.call("restore", { key, query, params: { agent: reference }, body: { snapshot: id } }),
				(home) => `${home.text}${home.snapshot === null ? "" : ` What was there before is snapshot ${home.snapshot}.`}`,
			);
		});
}
