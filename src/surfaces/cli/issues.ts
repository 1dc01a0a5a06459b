// What the issue commands do.
import { Refused } from "#client/client.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { refuse } from "#contract/refusal.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { projectHere } from "./here.ts";
import { UsageError } from "./print.ts";
import { issueLines, issueTable, presetLines } from "./print-issues.ts";
import { textOf } from "./prompt.ts";

interface IssueOptions extends Options {
	body?: string | undefined;
	file?: string | undefined;
	label?: string[] | undefined;
	preset?: string | undefined;
	priority?: "low" | "medium" | "high" | "critical" | undefined;
}

const bodyOf = ({ body, file }: IssueOptions): { body?: string } =>
	body === undefined && file === undefined ? {} : { body: textOf(body, file) };

export async function add(title: string, options: IssueOptions & { dependsOn?: string[] | undefined }): Promise<void> {
	const { label, preset, priority } = options;
	await act(
		options,
		async (cli) => {
			const dependsOn = options.dependsOn?.map(numberOf);
			const request = {
				...bodyOf(options),
				...(label && { labels: label }),
				...(preset && { preset }),
				...(priority && { priority }),
				...(dependsOn && { dependsOn }),
			};
			return await cli.client.call("issueAdd", {
				key: cli.key,
				params: { project: await projectFor(cli) },
				body: { title, ...request },
			});
		},
		(made) => issueTable([made]),
	);
}

function numberOf(word: string): number {
	const number = Number(word.replace(/^.*#/, ""));
	if (!Number.isInteger(number) || number < 1) throw new UsageError(`${JSON.stringify(word)} is no issue's number.`);
	return number;
}

interface Filter extends Options {
	stage?: string | undefined;
	label?: string | undefined;
	assignee?: string | undefined;
	attention?: true | undefined;
	ready?: true | undefined;
	priority?: IssueOptions["priority"];
	all?: true | undefined;
	deleted?: true | undefined;
}

export async function list(text: string | undefined, options: Filter): Promise<void> {
	const { stage, label, assignee, priority, attention, ready, deleted } = options;
	await act(
		options,
		async (cli) => {
			const here = options.all === true ? undefined : (cli.query.project ?? (await projectHere(cli)));
			const filter = {
				...(stage && { stage: stage.toUpperCase() }),
				...(label && { label }),
				...(assignee && { assignee }),
				...(text && { text }),
			};
			const flags = {
				...(priority && { priority }),
				...(attention && { attention: "true" }),
				...(ready && { ready: "true" }),
				...(deleted && { deleted: "true" }),
			};
			return await cli.client.call("issues", { query: { ...(here && { project: here }), ...filter, ...flags } });
		},
		issueTable,
	);
}

export async function show(name: string, options: Options): Promise<void> {
	await act(options, async (cli) => await cli.client.call("issue", await named(cli, name)), issueLines);
}

export async function edit(
	name: string,
	options: IssueOptions & { title?: string | undefined; labels?: boolean | undefined },
): Promise<void> {
	const { title, label, preset, priority } = options;
	await act(
		options,
		async (cli) => {
			const labels = options.labels === false ? [] : label;
			const body = {
				...(title && { title }),
				...bodyOf(options),
				...(labels && { labels }),
				...(preset && { preset }),
				...(priority && { priority }),
			};
			return await cli.client.call("issueEdit", { key: cli.key, ...(await named(cli, name)), body });
		},
		(changed) => issueTable([changed]),
	);
}

export async function document(
	name: string,
	title: string,
	text: string | undefined,
	options: Options & { file?: string | undefined; type?: string | undefined },
): Promise<void> {
	await tell("issueDocument", name, options, {
		name: title,
		...(options.type && { type: options.type }),
		text: textOf(text, options.file),
	});
}

export async function depend(
	name: string,
	on: number,
	options: Options & { remove?: true | undefined },
): Promise<void> {
	if (options.remove !== true) return await tell("issueDepend", name, options, { on });
	await act(
		options,
		async (cli) => {
			const { params, query } = await named(cli, name);
			return await cli.client.call("issueUndepend", { key: cli.key, params: { ...params, on: String(on) }, query });
		},
		(changed) => issueTable([changed]),
	);
}

type Verb =
	| "issueStart"
	| "issueUnassign"
	| "issueRetry"
	| "issueDelete"
	| "issueAssign"
	| "issueMove"
	| "issueDepend"
	| "issueApprove"
	| "issueReject"
	| "issueComment"
	| "issueMessage"
	| "issueDocument"
	| "workComplete";

export async function tell(route: Verb, name: string, options: Options, body?: object): Promise<void> {
	await act(
		options,
		async (cli): Promise<Issue> =>
			await cli.client.ask(route, { key: cli.key, ...(await named(cli, name)), ...(body && { body }) }),
		(changed) => issueTable([changed]),
	);
}

/** `auto on`, `auto on web` and `auto web on` mean the same. */
export async function auto(
	words: (string | undefined)[],
	options: Options & {
		agentsMax?: string | undefined;
		type?: string | undefined;
		context?: "clear" | "keep" | "default" | undefined;
	},
): Promise<void> {
	const { agentsMax, type, context } = options;
	const isSwitch = (word: string | undefined): boolean => word === "on" || word === "off";
	const on = words.find(isSwitch);
	const slug = words.find((word) => !isSwitch(word));
	await act(
		{ ...options, project: slug ?? options.project },
		async (cli) => {
			if (on === undefined) throw new UsageError("Say on or off.");
			const named = type === undefined ? {} : { agentType: type || null };
			const most = agentsMax === undefined ? {} : { agentsMax: agentsMax === "default" ? null : Number(agentsMax) };
			const body = {
				auto: on === "on",
				...named,
				...most,
				...(context && { context: context === "default" ? null : context }),
			};
			return await cli.client.call("projectTune", { key: cli.key, params: { project: await projectFor(cli) }, body });
		},
		({ slug: of, auto: flows, agentsMax: most }) =>
			flows
				? `the issues of ${of} flow by themselves, with at most ${most} agents`
				: `the issues of ${of} wait for somebody to assign them`,
	);
}

export async function presets(options: Options): Promise<void> {
	await act(
		options,
		async (cli) => await cli.client.call("presets", { params: { project: await projectFor(cli) } }),
		presetLines,
	);
}

/** A number alone is looked for in the project of the directory. */
export async function named(
	cli: CliContext,
	name: string,
): Promise<{ params: { issue: string }; query: { project?: ProjectSlug } }> {
	const project = cli.query.project ?? (/^\d+$/.test(name) ? await projectHere(cli) : undefined);
	return { params: { issue: name }, query: project === undefined ? {} : { project } };
}

async function projectFor(cli: CliContext): Promise<ProjectSlug> {
	const project = cli.query.project ?? (await projectHere(cli));
	if (project !== undefined) return project;
	throw new Refused(
		refuse("VALIDATION_ERROR", "This directory belongs to no project: say --project.", {
			suggestions: ["brood project list"],
		}),
	);
}
