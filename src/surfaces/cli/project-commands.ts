// Projects: added, looked at, looked after.

import { type Command, Option } from "@commander-js/extra-typings";
import type { Answer } from "#client/client.ts";
import { indented, inline } from "#contract/visible.ts";
import { issueProjectCommands } from "./issue-commands.ts";

export function projectCommands(program: Command): void {
	const project = program.command("project").description("git repositories under management");
	issueProjectCommands(project);
	project
		.command("add")
		.description("a repository's root, or a URL that is mirrored into the home")
		.argument("<path>", "the repository")
		.option("--name <slug>", "its name; the folder's if absent")
		.option("--branch <name>", "the branch that agents start from and that their work is merged into")
		.option("--json", "print one JSON document")
		.action(async (path, options) => {
			const [{ act }, { slugOf }, { resolve }] = await Promise.all([
				import("./act.ts"),
				import("./status.ts"),
				import("node:path"),
			]);
			const url = /^[a-z][a-z0-9+.-]*:\/\/|^[^/@\s]+@[^/:\s]+:/i.test(path);
			const body = {
				slug: options.name ?? slugOf(path.replace(/\.git\/?$/, "")),
				path: url ? path : resolve(path),
				...(options.branch && { branch: options.branch }),
			};
			await act(
				options,
				({ client, key }) => client.call("projectAdd", { key, body }),
				(made) => `added ${made.slug} (${inline(made.path)})`,
			);
		});
	project
		.command("list")
		.option("--json", "print one JSON document")
		.action(async (options) => {
			const [{ act }, { table }] = await Promise.all([import("./act.ts"), import("./print.ts")]);
			await act(
				options,
				({ client }) => client.call("projects", { query: { check: "true" } }),
				(all) => {
					const hasProblem = all.some(({ problem }) => problem !== null);
					const rows = all.map(({ slug, path, problem }) => [
						slug,
						path,
						...(hasProblem ? [problem === null ? "" : `${problem.text} (${problem.fix})`] : []),
					]);
					return table(["PROJECT", "PATH", ...(hasProblem ? ["PROBLEM"] : [])], rows) || "no projects yet";
				},
			);
		});
	for (const [name, route, words] of [
		["show", "project", ""],
		["remove", "projectRemove", "removed "],
	] as const) {
		project
			.command(name)
			.argument("<project>", "its name")
			.option("--json", "print one JSON document")
			.action(async (slug, options) => {
				const { act } = await import("./act.ts");
				await act(
					options,
					({ client, key }) => client.call(route, { key, params: { project: slug } }),
					({ slug: found, path }) => `${words}${found}  ${inline(path)}`,
				);
			});
	}
	upkeepCommands(project);
	configureCommand(project);
}

function upkeepCommands(project: Command): void {
	project
		.command("settings")
		.description("what is in force, and what its repository wants to run")
		.argument("<project>", "its name")
		.option("--json", "print one JSON document")
		.action(async (slug, options) => {
			const { act } = await import("./act.ts");
			await act(
				options,
				({ client }) => client.call("projectSettings", { params: { project: slug } }),
				(found) => settingsText(slug, found),
			);
		});
	project
		.command("approve-config")
		.description("let the repository's own configuration run, exactly as it is now")
		.argument("<project>", "its name")
		.argument("<fingerprint>", "of what was shown by `project settings`")
		.option("--json", "print one JSON document")
		.action(async (slug, fingerprint, options) => {
			const { act } = await import("./act.ts");
			const ask = { params: { project: slug }, body: { fingerprint } };
			await act(
				options,
				({ client, key }) => client.call("projectApprove", { key, ...ask }),
				(found) => `approved for ${found.slug}`,
			);
		});
	project
		.command("warm")
		.description("set up `primary/`, the folder that shared paths are linked from")
		.argument("<project>", "its name")
		.option("--json", "print one JSON document")
		.action(async (slug, options) => {
			const { act } = await import("./act.ts");
			await act(
				options,
				({ client, key }) => client.call("warm", { key, params: { project: slug }, body: {} }),
				({ path, filled }) => (filled ? `filled ${path}` : `${path} is up to date`),
			);
		});
	project
		.command("gc")
		.description("delete expired snapshots and trash")
		.argument("<project>", "its name")
		.option("--dry-run", "only say what would be freed, and why")
		.option("--json", "print one JSON document")
		.action(async (slug, options) => {
			const [{ act }, { leftoverTable }] = await Promise.all([import("./act.ts"), import("./print-work.ts")]);
			const dryRun = options.dryRun === true;
			await act(
				options,
				({ client, key }) => client.call("gc", { key, params: { project: slug }, body: { dryRun } }),
				(found) => leftoverTable(found, dryRun),
			);
		});
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
		.option("--type <type>", "the agent type for automatic work on its issues; empty for none")
		.option("--json", "print one JSON document")
		.action(async (slug, options) => {
			const [{ act }, { hoursOf }] = await Promise.all([import("./act.ts"), import("./time.ts")]);
			const { onLimit, quiet, type } = options;
			await act(
				options,
				({ client, key }) => {
					const hours = quiet === undefined ? {} : { quiet: quiet === "" ? null : hoursOf(quiet) };
					const body = {
						...(onLimit && { onLimit: onLimit === "default" ? null : onLimit }),
						...hours,
						...(type !== undefined && { agentType: type || null }),
					};
					return client.call("projectTune", { key, params: { project: slug }, body });
				},
				(found) =>
					`${found.slug}: on a limit ${found.onLimit}, ${found.quiet === null ? "no quiet hours" : `quiet from ${found.quiet.from} to ${found.quiet.to}`}, agent type ${found.agentType ?? "not named"}`,
			);
		});
}
