// The actions of the issue commands.
import type { Issue } from "#contract/issue-wire.ts";
import type { AnswerOf, RouteName } from "#contract/routes.ts";
import { inline } from "#contract/visible.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { projectFor, type Scope, scopeOf } from "./directory-project.ts";
import { UsageError } from "./print.ts";
import { documentTable, issueLines, issueTable, presetLines } from "./print-issues.ts";
import { boardText } from "./print-overviews.ts";
import { projectHere } from "./project-here.ts";
import { textOf } from "./prompt.ts";

interface IssueOptions extends Options {
	body?: string | undefined;
	file?: string | undefined;
	label?: string[] | undefined;
	preset?: string | undefined;
	priority?: "low" | "medium" | "high" | "critical" | undefined;
}

/** The fields that adding and editing share; the daemon ignores absent ones. */
const fieldsOf = async ({ body, file, preset, priority }: IssueOptions) => ({
	body: body === undefined && file === undefined ? undefined : await textOf(body, file, "body"),
	preset: preset || undefined,
	priority,
});

export async function add(title: string, options: IssueOptions & { dependsOn?: string[] | undefined }): Promise<void> {
	await act(
		options,
		async (cli) => {
			const project = await projectFor(cli);
			const dependsOn = options.dependsOn?.map((other) => numberWithin(project, other));
			const body = { title, ...(await fieldsOf(options)), labels: options.label, dependsOn };
			return await cli.client.call("issueAdd", { key: cli.key, params: { project }, body });
		},
		(made) => issueTable([made]),
	);
}

/** The number of an issue of this project: others cannot be depended on. */
function numberWithin(project: string, word: string): number {
	if ((projectOf(word) ?? project) !== project)
		throw new UsageError(`${word} is of another project: an issue depends on issues of its own.`);
	const number = Number(word.replace(/^.*#/, ""));
	if (!Number.isInteger(number) || number < 1)
		throw new UsageError(`${JSON.stringify(word)} is not an issue's number.`);
	return number;
}

/** The project of `project#number`; null if there is only a number. */
const projectOf = (word: string): string | null => /^(.+)#/.exec(word)?.[1] ?? null;

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
	await act(
		options,
		async (cli) => {
			const { stage, label, assignee, priority, attention, ready, deleted } = options;
			const query = {
				project: options.all === true ? undefined : (cli.query.project ?? (await projectHere(cli))),
				stage: stage?.toUpperCase() || undefined,
				...{ label: label || undefined, assignee: assignee || undefined, text: text || undefined, priority },
				...{ attention: attention && "true", ready: ready && "true", deleted: deleted && "true" },
			};
			return await cli.client.call("issues", { query });
		},
		issueTable,
	);
}

export async function board(options: Options): Promise<void> {
	await act(
		options,
		async (cli) => await cli.client.call("board", { params: { project: await projectFor(cli) } }),
		({ columns }) => boardText(columns),
	);
}

export async function show(name: string, options: Options): Promise<void> {
	await act(options, async (cli) => await cli.client.call("issue", await named(cli, name)), issueLines);
}

export async function edit(
	name: string,
	options: IssueOptions & { title?: string | undefined; labels?: boolean | undefined },
): Promise<void> {
	await act(
		options,
		async (cli) => {
			const labels = options.labels === false ? [] : options.label;
			const body = { title: options.title || undefined, ...(await fieldsOf(options)), labels };
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
		text: await textOf(text, options.file, "document"),
	});
}

export async function documents(name: string, options: Options): Promise<void> {
	await act(options, async (cli) => await cli.client.call("issueDocuments", await named(cli, name)), documentTable);
}

export async function depend(
	name: string,
	other: string,
	options: Options & { remove?: true | undefined },
): Promise<void> {
	await act(
		options,
		async (cli) => {
			const { params, query } = await named(cli, name);
			// inside an agent only the daemon knows the project of a number
			const project = projectOf(name) ?? query.project ?? (await cli.client.call("issue", { params, query })).project;
			const on = numberWithin(project, other);
			return options.remove === true
				? await cli.client.call("issueUndepend", { key: cli.key, params: { ...params, on: String(on) }, query })
				: await cli.client.call("issueDepend", { key: cli.key, params, query, body: { on } });
		},
		(changed) => issueTable([changed]),
	);
}

/** The routes that answer with an issue. */
type IssueRoute = { [N in RouteName]: AnswerOf<N> extends Issue ? N : never }[RouteName];

export async function tell(route: IssueRoute, name: string, options: Options, body?: object): Promise<void> {
	await act(
		options,
		async (cli): Promise<Issue> =>
			await cli.client.ask(route, { key: cli.key, ...(await named(cli, name)), ...(body && { body }) }),
		(changed) => [issueTable([changed]), ...(changed.mergeNote ? [inline(changed.mergeNote)] : [])].join("\n"),
	);
}

interface ApproveOptions extends Options {
	commit?: string | undefined;
	empty?: boolean | undefined;
	strategy?: string | undefined;
	message?: string | undefined;
}

export async function approve(
	name: string,
	{ commit, empty, strategy, message, ...options }: ApproveOptions,
): Promise<void> {
	if (message !== undefined) throw new UsageError("The merge of an issue has the issue's title as its message.");
	await tell("issueApprove", name, options, {
		...(commit !== undefined && { commit }),
		...(empty !== undefined && { empty }),
		...(strategy !== undefined && { strategy }),
	});
}

/** `auto on`, `auto on web` and `auto web on` mean the same. */
export async function auto(
	words: (string | undefined)[],
	options: Options & {
		agentsMax?: number | null | undefined;
		type?: string | undefined;
		policy?: "ask" | "auto-edit" | "full" | "default" | undefined;
		context?: "clear" | "keep" | "default" | undefined;
	},
): Promise<void> {
	const { agentsMax, type, policy, context } = options;
	const isSwitch = (word: string | undefined): boolean => word === "on" || word === "off";
	const on = words.find(isSwitch);
	const slug = words.find((word) => !isSwitch(word));
	await act(
		{ ...options, project: slug ?? options.project },
		async (cli) => {
			if (on === undefined) throw new UsageError("Say on or off.");
			const body = {
				auto: on === "on",
				agentType: type === "" ? null : type,
				policy: policy === "default" ? null : policy,
				agentsMax,
				context: context === "default" ? null : context,
			};
			return await cli.client.call("projectConfigure", {
				key: cli.key,
				params: { project: await projectFor(cli) },
				body,
			});
		},
		({ slug: of, auto: isOn, agentsMax: most, agentType, policy: may }) =>
			isOn
				? `automatic work on the issues of ${of} is on; it adds agents of ${agentType === null ? "the type that the preset or a subscription names" : `type ${agentType}`}${may === null ? "" : ` and policy ${may}`} until the project has ${most}`
				: `automatic work on the issues of ${of} is off`,
	);
}

export async function presets(options: Options): Promise<void> {
	await act(
		options,
		async (cli) => await cli.client.call("presets", { params: { project: await projectFor(cli) } }),
		presetLines,
	);
}

/** A number alone means an issue of the current directory's project. */
export async function named(cli: CliContext, name: string): Promise<{ params: { issue: string }; query: Scope }> {
	return { params: { issue: name }, query: await scopeOf(cli, [name]) };
}
