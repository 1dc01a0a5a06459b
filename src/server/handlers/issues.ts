// The routes of issues: resolves `project#number`, dispatches the command and answers with the issue.

import type { CommandWithout } from "#contract/command.ts";
import { type Actor, type AgentId, agentOf, type Handle, ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { Issue, IssueDetails } from "#contract/issue-wire.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Project } from "#contract/wire.ts";
import { until } from "#engine/loop/until.ts";
import { issueFolder } from "#engine/workspaces/issue-folder.ts";
import { type IssueFilter, issueDetails, issueView, isWanted, presetsView } from "#views/issue.ts";
import type { PriorReceipt } from "../idempotency.ts";
import { type Handlers, numberIn, type RequestContext, type RouteRequest } from "../request-context.ts";

type Verbs =
	| "issueEdit"
	| "issueDelete"
	| "issueStart"
	| "issueAssign"
	| "issueUnassign"
	| "issueMove"
	| "issueDepend"
	| "issueUndepend"
	| "issueApprove"
	| "issueReject"
	| "issueRetry"
	| "issueAttend"
	| "workComplete";
type Notes = "issueComment" | "issueDocument" | "issueMessage";
type Names = "issues" | "issuesOf" | "issueAdd" | "issue" | Verbs | Notes | "presets" | "projectTune";

export function issueHandlers(context: RequestContext): Handlers<Names> {
	const { engine, reads } = context;
	const verb = (asked: RouteRequest<Verbs>, command: CommandWithout<"issue">): Promise<Issue | Refusal> =>
		withIssue(
			context,
			asked,
			async (issue) => (await said(context, asked, issue, command)) ?? (await shown(context, issue.id)),
		);
	const note = (asked: RouteRequest<Notes>, command: CommandWithout<"issue">): Promise<IssueDetails | Refusal> =>
		withIssue(
			context,
			asked,
			async (issue) => (await said(context, asked, issue, command)) ?? (await detailed(context, issue)),
		);
	return {
		issues: ({ query, actor }) => listed(context, actor, query.project, query),
		issuesOf: async ({ params, query, actor }) => {
			const project = await context.projectNamed(params["project"]);
			return isRefusal(project) ? project : await listed(context, actor, project.slug, query);
		},
		issueAdd: async (asked) => {
			const project = await tuned(context, asked.params["project"]);
			if (isRefusal(project)) return project;
			const outcome = await context.say(asked, { type: "issue.add", project: project.slug, ...asked.body });
			if ("refused" in outcome) return outcome.refused;
			const added = await reads.issue(outcome.done.event ?? 0);
			if (added !== undefined) await engine.issueWork.folder(added);
			return await shown(context, outcome.done.event ?? 0);
		},
		issue: (asked) => withIssue(context, asked, (issue) => detailed(context, issue)),
		issueEdit: (asked) => verb(asked, { type: "issue.edit", ...asked.body }),
		issueDelete: (asked) => verb(asked, { type: "issue.delete" }),
		issueStart: (asked) => verb(asked, { type: "issue.start" }),
		issueAssign: (asked) => withIssue(context, asked, (issue) => assigned(context, asked, issue)),
		issueUnassign: (asked) => verb(asked, { type: "issue.unassign" }),
		issueMove: (asked) => verb(asked, { type: "issue.move", ...asked.body }),
		issueDepend: (asked) => verb(asked, { type: "issue.depend", ...asked.body }),
		issueUndepend: (asked) => verb(asked, { type: "issue.undepend", on: numberIn(asked, "on") }),
		issueComment: (asked) => note(asked, { type: "issue.comment", ...asked.body }),
		issueDocument: (asked) => {
			const { type: docType, ...body } = asked.body;
			return note(asked, { type: "issue.document", ...body, ...(docType && { docType }) });
		},
		issueMessage: (asked) => note(asked, { type: "issue.message", ...asked.body }),
		issueApprove: (asked) => withIssue(context, asked, (issue) => approved(context, asked, issue)),
		issueReject: (asked) => withFolder(context, asked, { type: "issue.reject", ...asked.body }),
		issueRetry: (asked) => withFolder(context, asked, { type: "issue.retry" }),
		issueAttend: (asked) => verb(asked, { type: "issue.attend", ...asked.body }),
		workComplete: (asked) => verb(asked, { type: "issue.complete", ...asked.body }),
		presets: async ({ params }) => {
			const project = await tuned(context, params["project"]);
			return isRefusal(project) ? project : presetsView(project);
		},
		projectTune: (asked) => tune(context, asked),
	};
}

async function tune(context: RequestContext, asked: RouteRequest<"projectTune">): Promise<Project | Refusal> {
	const project = await tuned(context, asked.params["project"]);
	if (isRefusal(project)) return project;
	const inTheWay = Object.entries(project.written).find(
		([name, value]) => ![undefined, value].includes(Reflect.get(asked.body, name)),
	);
	if (inTheWay !== undefined)
		return refuse(
			"CONFLICT",
			`A config.yaml says issues.${inTheWay[0]}: ${inTheWay[1]} for ${project.slug}, which ranks above this. Change it there.`,
			{
				suggestions: [`brood project settings ${project.slug}`],
			},
		);
	const outcome = await context.say(asked, { type: "project.tune", slug: project.slug, ...asked.body });
	if ("refused" in outcome) return outcome.refused;
	return context.project((await context.reads.project(project.slug)) ?? project);
}

/** A project, after a look at what is written about its issues. */
async function tuned(context: RequestContext, name: string | undefined): Promise<ProjectState | Refusal> {
	const project = await context.projectNamed(name);
	if (isRefusal(project)) return project;
	return (await context.engine.problems.refusal(project)) ?? (await context.reads.project(project.slug)) ?? project;
}

async function listed(
	context: RequestContext,
	actor: Actor,
	project: ProjectSlug | undefined,
	query: Omit<IssueFilter, "assignee"> & { assignee?: string | undefined },
): Promise<Issue[] | Refusal> {
	const { engine, reads } = context;
	const caller = agentOf(actor);
	// an agent sees the issues of its own project
	const of = caller === null ? project : ((await reads.agent(caller))?.project ?? undefined);
	if (caller !== null && of === undefined) return [];
	const meant =
		query.assignee === undefined || query.assignee === "none" ? null : await engine.resolve(query.assignee, of ?? null);
	if (meant !== null && isRefusal(meant)) return meant;
	const assignee = meant === null ? (query.assignee === "none" ? ("none" as const) : undefined) : meant.id;
	const found: Issue[] = [];
	for (const each of await reads.projects()) {
		if (each.removedAt !== null || (of !== undefined && each.slug !== of)) continue;
		const all = await reads.issues(each.slug);
		const extras = {
			project: each,
			all,
			runs: await reads.runsOfProject(each.slug),
			handles: await handlesOf(context, each.slug),
		};
		found.push(
			...all
				.filter((issue) => isWanted(issue, { ...query, assignee }, extras))
				.map((issue) => issueView(issue, extras)),
		);
	}
	return found;
}

async function handlesOf({ reads }: RequestContext, project: ProjectSlug): Promise<ReadonlyMap<AgentId, Handle>> {
	return new Map((await reads.agents({ project })).map(({ id, handle }) => [id, handle]));
}

/** `web#12`, 12 in a project, or `mine` for an agent that has one. */
export async function withIssue<T extends object>(
	context: RequestContext,
	asked: {
		params: Readonly<Record<string, string>>;
		query: { project?: ProjectSlug | undefined };
		actor: Actor;
		earlier: PriorReceipt;
	},
	work: (issue: IssueState) => Promise<T | Refusal>,
): Promise<T | Refusal> {
	const { reads } = context;
	const { params, query, actor } = asked;
	const before = await changedBefore(context, asked.earlier);
	if (before !== undefined) return await work(before);
	const name = params["issue"] ?? "";
	const caller = agentOf(actor);
	const agent = caller === null ? undefined : await reads.agent(caller);
	const [, slug, number] = /^(?:(.+)#)?(\d{1,9})$/.exec(name) ?? [];
	const project = ProjectSlug.safeParse(slug ?? query.project ?? agent?.project);
	const found =
		name === "mine"
			? await reads.issue(agent?.issue?.id ?? 0)
			: project.success
				? await reads.issueByNumber(project.data, Number(number ?? 0))
				: undefined;
	if (found === undefined || found.deletedAt !== null || (agent !== undefined && agent.project !== found.project)) {
		const where =
			number !== undefined && slug === undefined && !project.success
				? " Name it project#number, or say --project."
				: "";
		return refuse("NOT_FOUND", `There is no issue ${JSON.stringify(name)}.${where}`, {
			suggestions: ["brood issue list"],
		});
	}
	return await work(found);
}

/**
 * The issue that the first attempt was about: deleted, or its caller's no longer, it may not be found by name any more.
 */
async function changedBefore({ reads }: RequestContext, earlier: PriorReceipt): Promise<IssueState | undefined> {
	const [first] = earlier !== null && "subject" in earlier.answer ? (earlier.answer.events ?? []) : [];
	const event = first === undefined ? undefined : await reads.event(first);
	const id: unknown = event === undefined ? undefined : Reflect.get(Object(event.data), "issue");
	return typeof id === "number" ? await reads.issue(id) : undefined;
}

/** Null when it was done. */
async function said(
	context: RequestContext,
	asked: RouteRequest<Verbs | Notes>,
	issue: IssueState,
	command: CommandWithout<"issue">,
): Promise<Refusal | null> {
	const project = asked.earlier === null ? await tuned(context, issue.project) : null;
	if (project !== null && isRefusal(project)) return project;
	const outcome = await context.say(asked, { ...command, issue: issue.id });
	return "refused" in outcome ? outcome.refused : null;
}

async function withFolder(
	context: RequestContext,
	asked: RouteRequest<"issueReject" | "issueRetry">,
	command: CommandWithout<"issue">,
): Promise<Issue | Refusal> {
	return await withIssue(context, asked, async (issue) => {
		const folder = await issueFolder(context.engine.issueWork, context.reads, issue);
		return (
			(await said(context, asked, issue, { ...command, ...(folder !== null && { folder }) })) ??
			(await shown(context, issue.id))
		);
	});
}

async function assigned(
	context: RequestContext,
	asked: RouteRequest<"issueAssign">,
	issue: IssueState,
): Promise<Issue | Refusal> {
	const { engine, reads } = context;
	const meant = await engine.resolve(asked.body.agent, issue.project);
	if (isRefusal(meant)) return meant;
	const agent = await reads.agent(meant.id);
	const dirty = agent === undefined || asked.earlier !== null ? null : await engine.issueWork.inspect(agent);
	if (dirty !== null) return dirty;
	const folder = await issueFolder(engine.issueWork, reads, issue);
	const command = {
		type: "issue.assign" as const,
		agent: meant.id,
		now: asked.body.now,
		...(folder !== null && { folder }),
	};
	return (await said(context, asked, issue, command)) ?? (await shown(context, issue.id));
}

/** Answered when the merge is through, or did not go through. */
async function approved(
	context: RequestContext,
	asked: RouteRequest<"issueApprove">,
	issue: IssueState,
): Promise<Issue | Refusal> {
	const { engine, reads } = context;
	const refused = await said(context, asked, issue, { type: "issue.approve", ...asked.body });
	if (refused) return refused;
	const merged = async (): Promise<{ now: IssueState | undefined } | null> => {
		const now = await reads.issue(issue.id);
		return now?.waiting === "merge" ? null : { now };
	};
	const now = (await until(engine.publisher, merged))?.now;
	const failed = now?.waiting === "approval" && now.stage === issue.stage ? now.attention : null;
	if (failed !== null && now !== undefined) {
		return refuse(failed.code ?? "CONFLICT", failed.reason, {
			details: { issue: `${now.project}#${now.number}`, stage: now.stage },
			suggestions: [`brood issue show ${now.project}#${now.number}`],
		});
	}
	return await shown(context, issue.id);
}

async function shown(context: RequestContext, id: number): Promise<Issue | Refusal> {
	const { reads } = context;
	const issue = await reads.issue(id);
	const project = issue && (await reads.project(issue.project));
	if (issue === undefined || project === undefined)
		return refuse("NOT_FOUND", "There is no such issue.", { suggestions: ["brood issue list"] });
	const extras = {
		project,
		all: await reads.issues(project.slug),
		runs: await reads.runs(id),
		handles: await handlesOf(context, project.slug),
	};
	return issueView(issue, extras);
}

export async function detailed(context: RequestContext, { id }: IssueState): Promise<IssueDetails | Refusal> {
	const issue = await shown(context, id);
	if (isRefusal(issue)) return issue;
	const path = await context.engine.issueWork.folder(issue);
	const artifacts = path === null ? null : { path, files: await context.engine.issueWork.files(issue) };
	return issueDetails(issue, await context.reads.notes(id), artifacts);
}
