// The routes of issues: resolves `project#number`, dispatches the command and answers with the issue.

import type { CommandWithout } from "#contract/command.ts";
import { type AgentId, agentOf, ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { Issue, IssueDetails } from "#contract/issue-wire.ts";
import { looseData } from "#contract/loose-data.ts";
import { type Paged, pageWhere, slicePage } from "#contract/page.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Project } from "#contract/wire.ts";
import { until } from "#engine/loop/until.ts";
import { issueFolder } from "#engine/workspaces/issue-folder.ts";
import { issueDetails, presetsView } from "#views/issue.ts";
import { nodeName } from "#views/node-name.ts";
import type { PriorReceipt } from "../idempotency.ts";
import { issueViews } from "../issue-views.ts";
import {
	type Handlers,
	numberIn,
	type RequestContext,
	type RouteRequest,
	type ScopedRequest,
} from "../request-context.ts";
import { hasReturned } from "./has-returned.ts";

export function issueHandlers(context: RequestContext) {
	const { engine, reads } = context;
	const verb = (request: ScopedRequest, command: CommandWithout<"issueId">): Promise<Issue | Refusal> =>
		withIssue(context, request, async (issue) => await changed(context, request, issue, command));
	const entry = (request: ScopedRequest, command: CommandWithout<"issueId">): Promise<IssueDetails | Refusal> =>
		withIssue(
			context,
			request,
			async (issue) => (await dispatchToIssue(context, request, issue, command)) ?? (await detailed(context, issue)),
		);
	return {
		issues: (request) => listed(context, request, request.query.project),
		issuesOf: async (request) => {
			const project = await context.projectNamed(request.params["project"]);
			return isRefusal(project) ? project : await listed(context, request, project.slug);
		},
		issueAdd: async (request) => {
			const project = await projectWithSettings(context, request.params["project"]);
			if (isRefusal(project)) return project;
			const done = await context.dispatch(request, { type: "issue.add", project: project.slug, ...request.body });
			if (isRefusal(done)) return done;
			const added = await reads.issue(done.event);
			if (added !== undefined) await engine.issueWork.folder(added);
			return await shown(context, done.event);
		},
		issue: (request) => withIssue(context, request, (issue) => detailed(context, issue)),
		issueEdit: (request) => verb(request, { type: "issue.edit", ...request.body }),
		issueDelete: (request) => verb(request, { type: "issue.delete" }),
		issueStart: (request) => verb(request, { type: "issue.start" }),
		issueAssign: (request) => withIssue(context, request, (issue) => assigned(context, request, issue)),
		issueUnassign: (request) => verb(request, { type: "issue.unassign" }),
		issueMove: (request) => verb(request, { type: "issue.move", ...request.body }),
		issueDepend: (request) => verb(request, { type: "issue.depend", ...request.body }),
		issueUndepend: (request) => verb(request, { type: "issue.undepend", on: numberIn(request, "on") }),
		issueComment: (request) => entry(request, { type: "issue.comment", ...request.body }),
		issueDocument: (request) => {
			const { type: docType, ...body } = request.body;
			const command = { type: "issue.document" as const, ...body, ...(docType && { docType }) };
			return withIssue(context, request, async (issue) => {
				const refused = await dispatchToIssue(context, request, issue, command);
				if (refused !== null) return refused;
				await issueFolder(engine.issueWork, reads, issue);
				return await detailed(context, issue);
			});
		},
		issueMessage: (request) => entry(request, { type: "issue.message", ...request.body }),
		issueApprove: (request) => withIssue(context, request, (issue) => approved(context, request, issue)),
		issueReject: (request) =>
			withIssue(context, request, async (issue) => {
				await hasReturned(context, issue);
				return await withFolder(context, request, { type: "issue.reject", ...request.body });
			}),
		issueRetry: (request) => withFolder(context, request, { type: "issue.retry" }),
		issueEscalate: (request) => verb(request, { type: "issue.escalate", ...request.body }),
		workComplete: (request) => verb(request, { type: "issue.report", ...request.body }),
		presets: async ({ params, page }) => {
			const project = await projectWithSettings(context, params["project"]);
			return isRefusal(project) ? project : slicePage(presetsView(project), page);
		},
		projectConfigure: (request) => configure(context, request),
	} satisfies Partial<Handlers>;
}

async function configure(
	context: RequestContext,
	request: RouteRequest<"projectConfigure">,
): Promise<Project | Refusal> {
	const project = await projectWithSettings(context, request.params["project"]);
	if (isRefusal(project)) return project;
	const { agentType } = request.body;
	const unknown = agentType == null ? null : context.unknownType(agentType);
	if (unknown !== null) return unknown;
	const asked: Readonly<Record<string, unknown>> = request.body;
	const fixed = Object.entries(project.written).find(
		([name, value]) => asked[name] !== undefined && asked[name] !== value,
	);
	if (fixed !== undefined)
		return refuse(
			"CONFLICT",
			`A config.yaml of ${project.slug} sets issues.${fixed[0]} to ${fixed[1]}, which takes precedence. Change it there.`,
			{
				suggestions: [`brood project settings ${project.slug}`],
			},
		);
	const done = await context.dispatch(request, { type: "project.configure", slug: project.slug, ...request.body });
	if (isRefusal(done)) return done;
	return context.project((await context.reads.project(project.slug)) ?? project);
}

/** A project, after its configuration files were read again. */
async function projectWithSettings(context: RequestContext, name: string | undefined): Promise<ProjectState | Refusal> {
	const project = await context.projectNamed(name);
	if (isRefusal(project)) return project;
	return (await context.engine.problems.refusal(project)) ?? (await context.reads.project(project.slug)) ?? project;
}

async function listed(
	context: RequestContext,
	{ actor, query, page }: Pick<RouteRequest<"issuesOf">, "actor" | "query" | "page">,
	project: ProjectSlug | undefined,
): Promise<Paged<Issue> | Refusal> {
	const { reads } = context;
	const caller = agentOf(actor);
	// an agent sees the issues of its own project
	const of = caller === null ? project : ((await reads.agent(caller))?.project ?? undefined);
	if (caller !== null && of === undefined) return { data: [], next: null };
	const assignee = await assigneeIn(context, query.assignee, of ?? null);
	if (typeof assignee === "object") return assignee;
	return await pageWhere(
		page,
		(part) => reads.listIssues(of, part),
		(issues) => issueViews(reads, issues, { ...query, assignee }),
	);
}

async function assigneeIn(
	{ engine }: RequestContext,
	name: string | undefined,
	project: ProjectSlug | null,
): Promise<AgentId | "none" | undefined | Refusal> {
	if (name === undefined || name === "none") return name;
	const agent = await engine.queries.resolve(name, project);
	return isRefusal(agent) ? agent : agent.id;
}

/** `web#12`, 12 or `#12` in a project, or `mine` for an agent that has one. */
export async function withIssue<T extends object>(
	context: RequestContext,
	request: Omit<ScopedRequest, "key">,
	work: (issue: IssueState) => Promise<T | Refusal>,
): Promise<T | Refusal> {
	const { reads } = context;
	const { params, query, actor, earlier } = request;
	const before = await changedBefore(context, earlier);
	if (before !== undefined) return await work(before);
	const name = params["issue"] ?? "";
	const caller = agentOf(actor);
	const agent = caller === null ? undefined : await reads.agent(caller);
	const [, slug, number] = /^(?:(.+)?#)?(\d{1,9})$/.exec(name) ?? [];
	const project = ProjectSlug.safeParse(slug ?? query.project ?? agent?.project);
	const numbered = project.success ? await reads.issueByNumber(project.data, Number(number ?? 0)) : undefined;
	const found = name === "mine" ? await reads.issue(agent?.issue?.id ?? 0) : numbered;
	if (found === undefined || found.deletedAt !== null || (agent !== undefined && agent.project !== found.project)) {
		const ambiguous = number !== undefined && slug === undefined && !project.success;
		const where = ambiguous ? " Name it project#number, or say --project." : "";
		return refuse("NOT_FOUND", `There is no issue ${JSON.stringify(name)}.${where}`, {
			suggestions: ["brood issue list"],
		});
	}
	return await work(found);
}

/**
 * The issue of the first attempt: it may have been deleted or unassigned since, and then its name no longer finds it.
 */
async function changedBefore({ reads }: RequestContext, earlier: PriorReceipt): Promise<IssueState | undefined> {
	const [first] = earlier !== null && "subject" in earlier.outcome ? (earlier.outcome.events ?? []) : [];
	const event = first === undefined ? undefined : await reads.event(first);
	const { issueId } = looseData(event?.data);
	return typeof issueId === "number" ? await reads.issue(issueId) : undefined;
}

/** Dispatches a command about an issue; null when it was carried out. */
async function dispatchToIssue(
	context: RequestContext,
	request: ScopedRequest,
	issue: IssueState,
	command: CommandWithout<"issueId">,
): Promise<Refusal | null> {
	const project = request.earlier === null ? await projectWithSettings(context, issue.project) : null;
	if (project !== null && isRefusal(project)) return project;
	const done = await context.dispatch(request, { ...command, issueId: issue.id });
	return isRefusal(done) ? done : null;
}

/** The same, answered with the issue. */
async function changed(...args: Parameters<typeof dispatchToIssue>): Promise<Issue | Refusal> {
	const [context, , issue] = args;
	return (await dispatchToIssue(...args)) ?? (await shown(context, issue.id));
}

async function withFolder(
	context: RequestContext,
	request: ScopedRequest,
	command: CommandWithout<"issueId">,
): Promise<Issue | Refusal> {
	return await withIssue(context, request, async (issue) => {
		const folder = await issueFolder(context.engine.issueWork, context.reads, issue);
		return await changed(context, request, issue, { ...command, ...(folder !== null && { folder }) });
	});
}

async function assigned(
	context: RequestContext,
	request: RouteRequest<"issueAssign">,
	issue: IssueState,
): Promise<Issue | Refusal> {
	const { engine, reads } = context;
	const found = await engine.queries.resolve(request.body.agent, issue.project);
	if (isRefusal(found)) return found;
	const agent = await reads.agent(found.id);
	// the command refuses an agent at work
	const isIdle = agent?.activity === "idle" && agent.issue === null;
	const refused = isIdle && request.earlier === null ? await engine.issueWork.inspect(agent) : null;
	if (refused !== null) return refused;
	const folder = await issueFolder(engine.issueWork, reads, issue);
	const { now } = request.body;
	const command = { type: "issue.assign" as const, agent: found.id, now, ...(folder !== null && { folder }) };
	return await changed(context, request, issue, command);
}

/** Answers when the merge has succeeded or failed. */
async function approved(
	context: RequestContext,
	request: RouteRequest<"issueApprove">,
	issue: IssueState,
): Promise<Issue | Refusal> {
	const { engine, reads } = context;
	const refused = await dispatchToIssue(context, request, issue, { type: "issue.approve", ...request.body });
	if (refused) return refused;
	const merged = async (): Promise<{ now: IssueState | undefined } | null> => {
		const now = await reads.issue(issue.id);
		return now?.waiting === "merge" ? null : { now };
	};
	const now = (await until(engine.publisher, merged))?.now;
	const failed = now?.waiting === "approval" && now.stage === issue.stage ? now.attention : null;
	if (failed !== null && now !== undefined) {
		return refuse(failed.code ?? "CONFLICT", failed.reason, {
			details: {
				issueName: `${now.project}#${now.number}`,
				stage: now.stage,
				...(failed.files !== undefined && { files: failed.files }),
			},
			suggestions: failed.suggestions ?? [`brood issue show ${now.project}#${now.number}`],
		});
	}
	return await shown(context, issue.id);
}

async function shown({ reads }: RequestContext, id: number): Promise<Issue | Refusal> {
	const issue = await reads.issue(id);
	const [view] = issue === undefined ? [] : await issueViews(reads, [issue], { deleted: true });
	return view ?? refuse("NOT_FOUND", "There is no such issue.", { suggestions: ["brood issue list"] });
}

async function detailed(context: RequestContext, { id }: IssueState): Promise<IssueDetails | Refusal> {
	const issue = await shown(context, id);
	if (isRefusal(issue)) return issue;
	const entries = await context.reads.entries(id);
	const away = await awayNode(context, issue);
	return away === null
		? issueDetails(issue, entries, await artifactsOf(context, issue))
		: { ...issueDetails(issue, entries, null), filesAtNodeName: away };
}

/** The name of the other node that has the files of this issue; null if they are here. */
async function awayNode(
	{ engine, reads }: RequestContext,
	{ project }: Pick<Issue, "project">,
): Promise<string | null> {
	const { node = null } = (await reads.project(project)) ?? {};
	if (engine.node === null || node === null || node === engine.node.node) return null;
	return (await reads.node(node))?.name ?? node;
}

export async function artifactsOf(
	{ engine: { issueWork, node: here }, reads }: RequestContext,
	issue: Pick<IssueState, "project" | "number">,
): Promise<IssueDetails["artifacts"]> {
	const path = await issueWork.folder(issue);
	if (path === null) return null;
	const name = here === null ? null : nodeName(here, await reads.nodes());
	return { path, files: await issueWork.artifacts(issue), ...(name !== null && { nodeName: name }) };
}
