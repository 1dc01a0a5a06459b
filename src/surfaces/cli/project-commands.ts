// Projects.
import { type Command, Option } from "@commander-js/extra-typings";
import type { Answer } from "#client/client.ts";
import { indented, inline } from "#contract/visible.ts";
import { call } from "./call.ts";
import { issueProjectCommands } from "./issue-commands.ts";
import { json } from "./options.ts";

export function projectCommands(program: Command): void {
	const project = program.command("project").description("git repositories under management");
	issueProjectCommands(project);
	project
		.command("add")
		.description("a repository's root, or a URL that is mirrored into the home")
		.argument("<path>", "the repository")
		.option("--name <slug>", "its name; the folder's if absent")
		.option("--branch <name>", "the branch that agents start from and that their work is merged into")
		.addOption(json())
		.action(async (path, { name, branch, ...options }) => {
			const [{ slugOf }, { resolve }] = await Promise.all([import("./status.ts"), import("node:path")]);
			const url = /^[a-z][a-z0-9+.-]*:\/\/|^[^/@\s]+@[^/:\s]+:/i.test(path);
			const slug = name ?? slugOf(path.replace(/\.git\/?$/, ""));
			const body = { slug, path: url ? path : resolve(path), branch: branch || undefined };
			await call("projectAdd", options, { body }, (added) => `added ${added.slug} (${inline(added.path)})`);
		});
	project
		.command("list")
		.addOption(json())
		.action((options) =>
			call("projects", options, { query: { check: "true" } }, async (all) => {
				const { table } = await import("./print.ts");
				const problems = all.map(({ problem }) => (problem === null ? "" : `${problem.text} (${problem.fix})`));
				const width = problems.some((problem) => problem !== "") ? 3 : 2;
				const rows = all.map(({ slug, path }, at) => [slug, path, problems[at] ?? ""].slice(0, width));
				return table(["PROJECT", "PATH", "PROBLEM"].slice(0, width), rows) || "no projects yet";
			}),
		);
	for (const [name, route, words] of [
		["show", "project", ""],
		["remove", "projectRemove", "removed "],
	] as const)
		project
			.command(name)
			.argument("<project>", "its name")
			.addOption(json())
			.action((slug, options) =>
				call(
					route,
					options,
					{ params: { project: slug } },
					({ slug: found, path }) => `${words}${found}  ${inline(path)}`,
				),
			);
	upkeepCommands(project);
	configureCommand(project);
}

function upkeepCommands(project: Command): void {
	project
		.command("settings")
		.description("what is in force, and what its repository wants to run")
		.argument("<project>", "its name")
		.addOption(json())
		.action((slug, options) =>
			call("projectSettings", options, { params: { project: slug } }, (found) => settingsText(slug, found)),
		);
	project
		.command("approve-config")
		.description("let the repository's own configuration run, exactly as it is now")
		.argument("<project>", "its name")
		.argument("<fingerprint>", "of what was shown by `project settings`")
		.addOption(json())
		.action((slug, fingerprint, options) =>
			call(
				"projectApprove",
				options,
				{ params: { project: slug }, body: { fingerprint } },
				(found) => `approved for ${found.slug}`,
			),
		);
	project
		.command("warm")
		.description("set up `primary/`, the folder that shared paths are linked from")
		.argument("<project>", "its name")
		.addOption(json())
		.action((slug, options) =>
			call("warm", options, { params: { project: slug }, body: {} }, ({ path, filled }) =>
				filled ? `filled ${path}` : `${path} is up to date`,
			),
		);
	project
		.command("gc")
		.description("delete expired snapshots and trash")
		.argument("<project>", "its name")
		.option("--dry-run", "only say what would be freed, and why")
		.addOption(json())
		.action((slug, { dryRun = false, ...options }) =>
			call("gc", options, { params: { project: slug }, body: { dryRun } }, async (found) =>
				(await import("./print-work.ts")).leftoverTable(found, dryRun),
			),
		);
}

function settingsText(slug: string, { settings, issues, pendingApproval }: Answer<"projectSettings">): string {
	const lines = Object.entries({ ...settings, issues }).map(
		([name, value]) =>
			`${name.padEnd(14)} ${indented(typeof value === "string" ? value : JSON.stringify(value), "  | ")}`,
	);
	if (pendingApproval === null) return lines.join("\n");
	const { fingerprint, ...wants } = pendingApproval;
	const asked = Object.entries(wants).flatMap(([name, value]) =>
		value === null || value.length === 0 ? [] : [value].flat().map((each) => `  ${name}: ${indented(each, "    | ")}`),
	);
	const heading = "Its repository wants to run this, which nobody has approved:";
	return [...lines, heading, ...asked, `  try: brood project approve-config ${slug} ${fingerprint}`].join("\n");
}

function configureCommand(project: Command): void {
	project
		.command("configure")
		.description("configure usage limits, quiet hours and the agent type")
		.argument("<project>", "its name")
		.addOption(
			new Option(
				"--on-limit <policy>",
				"wait for the end of it, use what stands in, or stop until somebody looks",
			).choices(["wait", "fallback", "stop", "default"] as const),
		)
		.option("--quiet <hours>", "when no new turns start, like 22:00-07:00; empty for never")
		.option("--type <type>", "the type of new agents that name none, also for automatic work; empty for none")
		.addOption(json())
		.action((slug, { onLimit, quiet, type, ...options }) =>
			call(
				"projectTune",
				options,
				async () => ({
					params: { project: slug },
					body: {
						onLimit: onLimit === "default" ? null : onLimit,
						quiet: (await import("./time.ts")).hoursOf(quiet),
						agentType: type === "" ? null : type,
					},
				}),
				(found) =>
					`${found.slug}: on a limit ${found.onLimit}, ${found.quiet === null ? "no quiet hours" : `quiet from ${found.quiet.from} to ${found.quiet.to}`}, agent type ${found.agentType ?? "not named"}`,
			),
		);
}
