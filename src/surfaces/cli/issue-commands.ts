// Issues on the command line. `task` is another name for `issue`.
import { type Command, Option } from "@commander-js/extra-typings";
import { json } from "./options.ts";

const project = () => new Option("--project <slug>", "the issue's project; that of the directory if absent");
const many = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
const priority = () =>
	new Option("--priority <priority>", "how urgent it is").choices(["low", "medium", "high", "critical"] as const);
const which = "project#number, or a number inside a project's directory";
const tell = async (...given: Parameters<typeof import("./issues.ts").tell>): Promise<void> =>
	await (await import("./issues.ts")).tell(...given);
const about = (issue: Command, name: string, description: string) =>
	issue.command(name).description(description).argument("<issue>", which);
/** One without options of its own. */
const plain = (issue: Command, name: string, description: string) =>
	about(issue, name, description).addOption(project()).addOption(json());

export function issueCommands(program: Command): void {
	program.commandsGroup("Issues:");
	const issue = program.command("issue").alias("task").description("units of work that go through stages");
	issue
		.command("add")
		.description("a new issue")
		.argument("<title>", "one line")
		.option("--body <text>", "what it is about")
		.option("--file <path>", "read the body from a file; - is standard input")
		.option("--label <label>", "a label; may be given several times", many)
		.option("--depends-on <number>", "an issue that has to be done first; may be given several times", many)
		.option("--preset <name>", "its workflow: lean, full-pipeline, quick-fix, docs-only, or the project's own")
		.addOption(priority())
		.addHelpText(
			"after",
			"\nExamples:\n  brood issue add 'Replace the font' --project web --body 'Use Inter.'\n  brood issue add 'Fix the build' --preset quick-fix --priority high",
		)
		.addOption(project())
		.addOption(json())
		.action(async (title, options) => await (await import("./issues.ts")).add(title, options));
	issue
		.command("list")
		.description("all issues of a project, or of all")
		.argument("[text]", "only those with these words in title or body")
		.option("--stage <stage>", "only in this stage")
		.option("--label <label>", "only with this label")
		.option("--assignee <agent>", "only of this agent; `none` for those of nobody")
		.option("--attention", "only those that need a person")
		.option("--ready", "only those that an agent could be given now")
		.addOption(priority())
		.option("--all", "of all projects, wherever you are")
		.option("--deleted", "also those that were deleted")
		.addOption(project())
		.addOption(json())
		.action(async (text, options) => await (await import("./issues.ts")).list(text, options));
	plain(issue, "show", "everything about one issue").action(
		async (name, options) => await (await import("./issues.ts")).show(name, options),
	);
	about(issue, "edit", "change its words; what is not named stays as it is")
		.option("--title <title>", "one line")
		.option("--body <text>", "what it is about")
		.option("--file <path>", "read the body from a file; - is standard input")
		.option("--label <label>", "its labels from now on; may be given several times", many)
		.option("--no-labels", "without any label")
		.option("--preset <name>", "another workflow, before it has been started")
		.addOption(priority())
		.addOption(project())
		.addOption(json())
		.action(async (name, options) => await (await import("./issues.ts")).edit(name, options));
	verbs(issue);
	words(issue);
	waiting(issue);
}

function verbs(issue: Command): void {
	for (const [name, route, description] of [
		["start", "issueStart", "into its first stage of work"],
		["unassign", "issueUnassign", "take it from its agent"],
		["retry", "issueRetry", "clear its attention and try again"],
	] as const) {
		plain(issue, name, description).action((ref, options) => tell(route, ref, options, {}));
	}
	plain(issue, "delete", "hide it; its number is not used again").action((ref, options) =>
		tell("issueDelete", ref, options),
	);
	about(issue, "assign", "give it to an agent that is idle; in its first stage this starts it")
		.argument("<agent>", "to whom")
		.option("--now", "only if its turn can start at once", false)
		.addOption(project())
		.addOption(json())
		.action((ref, agent, { now, ...options }) => tell("issueAssign", ref, options, { agent, now }));
	plain(issue, "move", "to another stage, by hand; out of DONE this reopens it")
		.argument("<stage>", "where to")
		.action((ref, stage, options) => tell("issueMove", ref, options, { stage: stage.toUpperCase() }));
	about(issue, "depend", "it waits until another one is done")
		.argument("<on>", "the other one: its number, #number or project#number")
		.option("--remove", "it waits for that one no longer")
		.addOption(project())
		.addOption(json())
		.action(async (ref, on, options) => await (await import("./issues.ts")).depend(ref, on, options));
	about(issue, "approve", "let it pass its gate; the last gate merges its commit")
		.option("--commit <hash>", "the commit that you looked at; the branch's latest if absent")
		.addOption(project())
		.addOption(json())
		.action((ref, options) =>
			tell("issueApprove", ref, options, options.commit === undefined ? {} : { commit: options.commit }),
		);
	about(issue, "reject", "send it back to the stage before")
		.requiredOption("--reason <text>", "why: the next prompt has it")
		.addOption(project())
		.addOption(json())
		.action((ref, options) => tell("issueReject", ref, options, { reason: options.reason }));
}

function words(issue: Command): void {
	plain(issue, "comment", "say something about it; its next prompt has it")
		.argument("<text>", "what")
		.action((ref, text, options) => tell("issueComment", ref, options, { text }));
	plain(issue, "message", "a note for the agent of one stage, told once")
		.argument("<stage>", "for which stage")
		.argument("<text>", "what")
		.action((ref, stage, text, options) => tell("issueMessage", ref, options, { stage: stage.toUpperCase(), text }));
	about(issue, "document", "keep a document with it; the same name again is a new version")
		.argument("<name>", "its name")
		.argument("[text]", "its words; or use --file")
		.option("--file <path>", "read it from a file; - is standard input")
		.addOption(new Option("--type <type>", "what it is").choices(["context_pack", "spec", "ai_doc", "other"] as const))
		.addOption(project())
		.addOption(json())
		.action(async (ref, name, text, options) => await (await import("./issues.ts")).document(ref, name, text, options));
	issue
		.command("complete")
		.description("said by its agent: the work of this stage is complete")
		.argument("[issue]", which, "mine")
		.option("--summary <text>", "what was done", "")
		.option("--back", "it has to go back to the stage before")
		.addOption(project())
		.addOption(json())
		.action((ref, options) =>
			tell("workComplete", ref, options, { summary: options.summary, back: options.back === true }),
		);
}

function waiting(issue: Command): void {
	about(issue, "wait", "wait for an issue to reach a state")
		.addOption(
			new Option("--for <condition>", "done, another stage, or that it needs a person")
				.choices(["done", "stage", "attention"] as const)
				.default("done" as const),
		)
		.option("--stage <stage>", "with --for stage: this one, and no other")
		.option("--timeout <seconds>", "how long; exit 124 if it was not long enough", Number)
		.addOption(project())
		.addOption(json())
		.action(async (ref, options) => await (await import("./issue-wait.ts")).wait(ref, options));
}

/** `project auto` and `project presets`. */
export function issueProjectCommands(group: Command): void {
	group
		.command("auto")
		.description("turn automatic work on issues on or off")
		.argument("<on|off>", "off stops after the current turns")
		.argument("[project]", "which; that of the directory if absent")
		.option("--agents-max <count>", "maximum number of agents; `default` for the usual number")
		.option("--type <type>", "the agent type, where a preset names none; empty for none")
		.addOption(
			new Option("--context <what>", "of agents that are released").choices(["clear", "keep", "default"] as const),
		)
		.addOption(project())
		.addOption(json())
		.action(async (on, slug, options) => await (await import("./issues.ts")).auto([on, slug], options));
	group
		.command("presets")
		.description("the workflows that its issues may have")
		.argument("[project]", "which; that of the directory if absent")
		.addOption(project())
		.addOption(json())
		.action(
			async (slug, options) =>
				await (await import("./issues.ts")).presets({ ...options, project: slug ?? options.project }),
		);
}
