// Projects.

import { type Command, Option } from "@commander-js/extra-typings";
import type { Node } from "#contract/node-wire.ts";
import type { Site } from "#contract/project.ts";
import type { AnswerOf } from "#contract/routes.ts";
import { indented, inline } from "#contract/visible.ts";
import type { Project } from "#contract/wire.ts";
import { nodeName } from "#views/node-name.ts";
import type { CliContext } from "./act.ts";
import { call } from "./call.ts";
import { issueProjectSubcommands } from "./issue-subcommands.ts";
import { subcommand } from "./options.ts";

/** A request about the project that is named, else about that of the directory. */
const inProject =
	<Body = undefined>(slug: string | undefined, body?: Body) =>
	async (cli: CliContext) => {
		const { projectFor } = await import("./directory-project.ts");
		return { params: { project: await projectFor(cli, slug) }, ...(body !== undefined && { body }) };
	};

export function projectSubcommands(program: Command): void {
	const project = program.command("project").description("add, configure and remove projects (git repositories)");
	issueProjectSubcommands(project);
	subcommand(project, "add", "add a repository: a folder, or a URL that is cloned into Brood's home")
		.argument("<path>", "the folder or the URL")
		.option("--name <slug>", "the project's name; default: the folder's")
		.option("--branch <name>", "the branch that agents start from and that their work is merged into")
		.action(async (path, { name, branch, ...options }) => {
			const [{ slugOf }, { resolve }, { existsSync }] = await Promise.all([
				import("./status.ts"),
				import("node:path"),
				import("node:fs"),
			]);
			const url = /^[a-z][a-z0-9+.-]*:\/\/|^[^/@\s]+@[^/:\s]+:/i.test(path);
			const slug = name ?? slugOf(path.replace(/\.git\/?$/, ""));
			const body = { slug, path: url ? path : resolve(path), base: branch || undefined };
			await call("projectAdd", options, { body }, (added) => {
				const hasSubmodules = existsSync(`${added.path}/.gitmodules`);
				const more = hasSubmodules
					? `\nIt has submodules, which new workspaces leave empty. To fetch them, put \`submodules: init\` into projects/${added.slug}/config.yaml in Brood's home.`
					: "";
				return `added ${added.slug} (${inline(added.path)})${more}`;
			});
		});
	listSubcommands(project);
	subcommand(project, "remove", "remove a project from Brood; its folder is not touched")
		.argument("<project>", "the project's name")
		.action((slug, options) =>
			call(
				"projectRemove",
				options,
				{ params: { project: slug } },
				({ slug: found, path }) => `removed ${found}  ${inline(path)}`,
			),
		);
	siteSubcommands(project);
	moveSubcommand(project);
	settingsAndFilesSubcommands(project);
	configureSubcommand(project);
}

/** Where there are several nodes, a path says at which it is. */
function listSubcommands(project: Command): void {
	let nodes: readonly Node[] = [];
	const withNodes = async <T>(cli: CliContext, request: T | Promise<T>): Promise<T> => {
		const [all, answer] = await Promise.all([cli.client.call("nodes"), request]);
		nodes = all;
		return answer;
	};
	subcommand(project, "list", "list projects, and what is wrong with them").action((options) =>
		call(
			"projects",
			options,
			(cli) => withNodes(cli, { query: { check: "true" as const } }),
			async (all) => {
				const { table } = await import("./print.ts");
				const columns: [string, string[]][] = [
					["PROJECT", all.map(({ slug }) => slug)],
					["NODE", all.map((each) => nodeName(each, nodes) ?? "")],
					["PATH", all.map(({ path }) => path)],
					["PROBLEM", all.map(({ problem }) => (problem === null ? "" : `${problem.text} (${problem.fix})`))],
				];
				const shown = columns.filter(([, values]) => values.some((value) => value !== ""));
				const rows = all.map((_, at) => shown.map(([, values]) => values[at] ?? ""));
				return (
					table(
						shown.map(([head]) => head),
						rows,
					) || "no projects yet"
				);
			},
		),
	);
	subcommand(project, "show", "show a project's folder")
		.argument("[project]", "the project's name; default: the one of this directory")
		.action((slug, options) =>
			call(
				"project",
				options,
				(cli) => withNodes(cli, inProject(slug)(cli)),
				(found) => {
					const node = nodeName(found, nodes);
					return `${found.slug}  ${inline(found.path)}${node === null ? "" : `  at node ${node}`}`;
				},
			),
		);
}

function moveSubcommand(project: Command): void {
	subcommand(
		project,
		"move",
		"make another node the project's home node, where merges are made; its agents stay where they are",
	)
		.argument("<project>", "the project's name")
		.requiredOption("--to <node>", "a node that has a repository of the project; see brood project site list")
		.option("--force", "from a home node that is down, without what its base had since the last sync")
		.action((slug, { to, force = false, ...options }) =>
			call(
				"projectMove",
				options,
				{ params: { project: slug }, body: { to, force } },
				({ path }) => `moved ${slug} to ${to}  ${inline(path)}`,
			),
		);
}

/** Repositories of a project at other nodes. */
function siteSubcommands(project: Command): void {
	const site = project.command("site").description("a project's repositories at other nodes, for agents moved there");
	let nodes: readonly Node[] = [];
	const known = async ({ client }: CliContext): Promise<void> => {
		nodes = await client.call("nodes");
	};
	let home: Project | null = null;
	const siteLine = ({ node, path }: Site): string =>
		`${nodes.find(({ id }) => id === node)?.name ?? node}  ${inline(path)}`;
	const named = (name: string, description: string) =>
		subcommand(site, name, description).argument("<project>", "the project's name");
	named("add", "name a clone of the repository at another node")
		.requiredOption("--node <node>", "the node's name or id; see brood node list")
		.requiredOption("--path <folder>", "the repository's absolute path on that machine")
		.action((slug, { node, path, ...options }) =>
			call(
				"siteAdd",
				options,
				async (cli) => {
					await known(cli);
					return { params: { project: slug }, body: { node, path } };
				},
				siteLine,
			),
		);
	named("list", "list a project's repositories, first the one at its home node").action((slug, options) =>
		call(
			"sites",
			options,
			async (cli) => {
				await known(cli);
				home = await cli.client.call("project", { params: { project: slug } });
				return { params: { project: slug } };
			},
			(all) => {
				const others = all.length === 0 ? ["no other node has this project's repository"] : all.map(siteLine);
				const first = home?.node ? [`${siteLine({ node: home.node, path: home.path })}  (home node)`] : [];
				return [...first, ...others].join("\n");
			},
		),
	);
	named("remove", "forget a repository at another node; its files are not touched")
		.requiredOption("--node <node>", "the node's name or id")
		.action((slug, { node, ...options }) =>
			call(
				"siteRemove",
				options,
				{ params: { project: slug, node } },
				({ path }) => `removed ${node}  ${inline(path)}`,
			),
		);
}

function settingsAndFilesSubcommands(project: Command): void {
	subcommand(project, "settings", "show the settings in force, and the commands that the repository wants to run")
		.argument("[project]", "the project's name; default: the one of this directory")
		.action(async (slug, options) => {
			let project = "";
			const request = async (cli: CliContext) => {
				const found = await inProject(slug)(cli);
				({ project } = found.params);
				return found;
			};
			await call("projectSettings", options, request, (found) => settingsText(project, found));
		});
	subcommand(project, "approve-config", "approve the commands of the repository's .brood.yaml, exactly as they are now")
		.argument("<project>", "the project's name")
		.argument("<fingerprint>", "the fingerprint that `project settings` shows")
		.action((slug, fingerprint, options) =>
			call(
				"projectApprove",
				options,
				{ params: { project: slug }, body: { fingerprint } },
				(found) => `approved for ${found.slug}`,
			),
		);
	subcommand(project, "warm", "set up `primary/`, the folder that shared paths are linked from")
		.argument("[project]", "the project's name; default: the one of this directory")
		.action((slug, options) =>
			call("warm", options, inProject(slug, {}), ({ path, filled }) =>
				filled ? `filled ${path}` : `${path} is up to date`,
			),
		);
	subcommand(project, "gc", "delete expired snapshots and trash")
		.argument("[project]", "the project's name; default: the one of this directory")
		.option("--dry-run", "only list what would be deleted, and why")
		.action((slug, { dryRun = false, ...options }) =>
			call("gc", options, inProject(slug, { dryRun }), async (found) =>
				(await import("./print-work.ts")).leftoverTable(found, dryRun),
			),
		);
}

function settingsText(slug: string, { settings, issues, unapprovedConfig }: AnswerOf<"projectSettings">): string {
	const lines = Object.entries({ ...settings, issues }).map(
		([name, value]) =>
			`${name.padEnd(14)} ${indented(typeof value === "string" ? value : JSON.stringify(value), "  | ")}`,
	);
	if (unapprovedConfig === null) return lines.join("\n");
	const { fingerprint, ...wants } = unapprovedConfig;
	const asked = Object.entries(wants).flatMap(([name, value]) =>
		value === null || value.length === 0 ? [] : [value].flat().map((each) => `  ${name}: ${indented(each, "    | ")}`),
	);
	const heading = "Its repository wants to run this, which nobody has approved:";
	return [...lines, heading, ...asked, `  try: brood project approve-config ${slug} ${fingerprint}`].join("\n");
}

function configureSubcommand(project: Command): void {
	subcommand(project, "configure", "configure what happens at a usage limit, quiet hours and the agent type")
		.argument("[project]", "the project's name; default: the one of this directory")
		.addOption(
			new Option(
				"--on-limit <what>",
				"at a usage limit: wait, use the fallback subscription, or stop until you resume",
			).choices(["wait", "fallback", "stop", "default"] as const),
		)
		.option("--quiet <hours>", "hours without new turns, like 22:00-07:00; empty for none")
		.option("--type <type>", "the default type of new agents; empty for none")
		.action((slug, { onLimit, quiet, type, ...options }) =>
			call(
				"projectConfigure",
				options,
				async (cli) => ({
					...(await inProject(slug)(cli)),
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
