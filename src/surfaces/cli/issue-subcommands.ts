// Issues on the command line. `task` is another name for `issue`.
import { type Command, Option } from "@commander-js/extra-typings";
import { countNumber, mergeStrategyOption, seconds, subcommand } from "./options.ts";

const project = () => new Option("--project <slug>", "the project; default: the one of this directory");
const many = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
const priority = () =>
	new Option("--priority <priority>", "its priority").choices(["low", "medium", "high", "critical"] as const);
const which = "project#number, or just the number inside the project's directory";
const tell = async (...given: Parameters<typeof import("./issues.ts").tell>): Promise<void> =>
	await (await import("./issues.ts")).tell(...given);
/** A command of a project's issues. */
const ofProject = (issue: Command, name: string, description: string) =>
	subcommand(issue, name, description).addOption(project());
/** A command about one issue. */
const about = (issue: Command, name: string, description: string) =>
	ofProject(issue, name, description).argument("<issue>", which);

export function issueSubcommands(program: Command): void {
	program.commandsGroup("Issues:");
	const issue = program
		.command("issue")
		.alias("task")
		.description("add issues, assign them to agents, review and merge the work");
	ofProject(issue, "add", "add an issue")
		.argument("<title>", "the title, one line")
		.option("--body <text>", "the description")
		.option("-f, --file <file>", "read the body from a file; - is standard input")
		.option("--label <label>", "a label; repeat for several", many)
		.option("--depends-on <number>", "an issue that has to be done first; repeat for several", many)
		.option("--preset <name>", "its workflow: lean, full-pipeline, quick-fix, docs-only, or the project's own")
		.addOption(priority())
		.addHelpText(
			"after",
			"\nExamples:\n  brood issue add 'Replace the font' --project web --body 'Use Inter.'\n  brood issue add 'Fix the build' --preset quick-fix --priority high",
		)
		.action(async (title, options) => await (await import("./issues.ts")).add(title, options));
	ofProject(issue, "list", "list issues of a project, or of all projects")
		.argument("[text]", "only issues with this text in the title or the body")
		.option("--stage <stage>", "only issues in this stage")
		.option("--label <label>", "only issues with this label")
		.option("--assignee <agent>", "only issues of this agent; `none` for unassigned ones")
		.option("--attention", "only issues that need a person; also those that wait to be approved")
		.option("--ready", "only issues that an agent could start now")
		.addOption(priority())
		.option("--all", "issues of all projects, wherever you are")
		.option("--deleted", "include deleted issues")
		.action(async (text, options) => await (await import("./issues.ts")).list(text, options));
	ofProject(issue, "board", "list the issues of a project, grouped by stage").action(
		async (options) => await (await import("./issues.ts")).board(options),
	);
	about(issue, "show", "show everything about one issue").action(
		async (name, options) => await (await import("./issues.ts")).show(name, options),
	);
	about(issue, "diff", "show what its branch changes; for a merged issue, what was merged")
		.option("--stat", "only file names and line counts")
		.action(async (name, options) => await (await import("./diff.ts")).issueDiff(name, options));
	about(issue, "edit", "change its title, body, labels, priority or preset")
		.option("--title <title>", "the title, one line")
		.option("--body <text>", "the description")
		.option("-f, --file <file>", "read the body from a file; - is standard input")
		.option("--label <label>", "its new labels, replacing the old ones; repeat for several", many)
		.option("--no-labels", "remove all labels")
		.option("--preset <name>", "another workflow; only before work has started")
		.addOption(priority())
		.action(async (name, options) => await (await import("./issues.ts")).edit(name, options));
	verbs(issue);
	entries(issue);
	waiting(issue);
}

function verbs(issue: Command): void {
	for (const [name, route, description] of [
		["start", "issueStart", "move it to its first stage of work"],
		["unassign", "issueUnassign", "take it from its agent"],
		["retry", "issueRetry", "clear what needs attention, and try again"],
	] as const) {
		about(issue, name, description).action((ref, options) => tell(route, ref, options, {}));
	}
	about(issue, "delete", "delete it; its number is not used again").action((ref, options) =>
		tell("issueDelete", ref, options),
	);
	about(issue, "assign", "assign it to an idle agent, and start it if it is in its first stage")
		.argument("<agent>", "the agent")
		.option("--now", "fail unless its turn can start at once", false)
		.action((ref, agent, { now, ...options }) => tell("issueAssign", ref, options, { agent, now }));
	about(issue, "move", "move it to another stage; from DONE this reopens it")
		.argument("<stage>", "the stage, such as IN_REVIEW")
		.action((ref, stage, options) => tell("issueMove", ref, options, { stage: stage.toUpperCase() }));
	about(issue, "depend", "make it wait until another issue is done")
		.argument("<on>", "the other issue: number, #number or project#number")
		.option("--remove", "remove the dependency")
		.action(async (ref, on, options) => await (await import("./issues.ts")).depend(ref, on, options));
	about(issue, "approve", "approve its work; at the last gate this merges it")
		.option("--commit <hash>", "the commit that you reviewed; default: the newest of its last run")
		.option("--empty", "approve it also if there is nothing to merge")
		.addOption(mergeStrategyOption())
		.action(async (ref, options) => await (await import("./issues.ts")).approve(ref, options));
	about(issue, "reject", "send it back to the stage that its preset names")
		.requiredOption("--reason <text>", "why; the agent reads it in its next prompt")
		.action((ref, options) => tell("issueReject", ref, options, { reason: options.reason }));
}

function entries(issue: Command): void {
	about(issue, "comment", "add a comment; the agent reads it in its next prompt")
		.argument("<text>", "the text")
		.action((ref, text, options) => tell("issueComment", ref, options, { text }));
	about(issue, "message", "leave a message for the agent of a stage, which gets it with its next prompt there")
		.argument("<stage>", "the stage")
		.argument("<text>", "the text")
		.action((ref, stage, text, options) => tell("issueMessage", ref, options, { stage: stage.toUpperCase(), text }));
	about(issue, "document", "attach a document; the same name again adds a version")
		.argument("<name>", "the document's name")
		.argument("[text]", "the text; or use --file")
		.option("-f, --file <file>", "read it from a file; - is standard input")
		.addOption(
			new Option("--type <type>", "the kind of document").choices(["context_pack", "spec", "ai_doc", "other"] as const),
		)
		.action(async (ref, name, text, options) => await (await import("./issues.ts")).document(ref, name, text, options));
	about(issue, "documents", "list every version of its documents; --json has their texts").action(
		async (ref, options) => await (await import("./issues.ts")).documents(ref, options),
	);
	ofProject(issue, "complete", "for agents: report that the work of this stage is complete")
		.argument("[issue]", which, "mine")
		.option("--summary <text>", "a summary of the work", "")
		.option("--back", "it has to go back to the stage that its preset names")
		.action((ref, options) =>
			tell("workComplete", ref, options, { summary: options.summary, back: options.back === true }),
		);
}

function waiting(issue: Command): void {
	about(issue, "wait", "wait for an issue to reach a state")
		.addOption(
			new Option(
				"--for <condition>",
				"what to wait for: done, another stage, or attention (it needs a person, or waits to be approved)",
			)
				.choices(["done", "stage", "attention"] as const)
				.default("done" as const),
		)
		.option("--stage <stage>", "with --for stage: this stage")
		.option("--timeout <time>", "give up after this time (seconds, or like 10m or 2h), with exit code 124", seconds)
		.action(async (ref, options) => await (await import("./issue-wait.ts")).wait(ref, options));
}

/** `project auto` and `project presets`. */
export function issueProjectSubcommands(group: Command): void {
	ofProject(group, "auto", "turn automatic work on issues on or off")
		.argument("<on|off>", "off: running turns finish, and no further issue starts")
		.argument("[project]", "the project; default: the one of this directory")
		.option(
			"--agents-max <count>",
			"add agents by itself until the project has this many; `default` resets it",
			(words) => (words === "default" ? null : countNumber(words)),
		)
		.option("--type <type>", "the agent type, unless the preset names one; empty for none")
		.addOption(
			new Option(
				"--policy <policy>",
				"what its agents may do without asking you, unless the preset says: nothing, edits in their workspaces, or everything",
			).choices(["ask", "auto-edit", "full", "default"] as const),
		)
		.addOption(
			new Option("--context <what>", "clear or keep an agent's context between issues").choices([
				"clear",
				"keep",
				"default",
			] as const),
		)
		.addHelpText(
			"after",
			"\nExamples:\n  brood project auto on --type claude --policy auto-edit --agents-max 3\n  brood project auto off web",
		)
		.action(async (on, slug, options) => await (await import("./issues.ts")).auto([on, slug], options));
	ofProject(group, "presets", "list the workflows (presets) of a project")
		.argument("[project]", "the project; default: the one of this directory")
		.action(
			async (slug, options) =>
				await (await import("./issues.ts")).presets({ ...options, project: slug ?? options.project }),
		);
}
