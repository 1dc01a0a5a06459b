// The routes of projects' repositories at other nodes, and what nodes ask each other about them.
import { slicePage } from "#contract/page.ts";
import { noProject, type Site } from "#contract/project.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { moveProjectHere } from "#engine/workspaces/moving-projects.ts";
import { findNode } from "../find-node.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";
import { inProject } from "./workspaces.ts";

export function siteHandlers(context: RequestContext) {
	const { engine, reads } = context;
	return {
		sites: async ({ params, page }) => {
			const project = await context.projectNamed(params["project"]);
			return isRefusal(project) ? project : slicePage(project.sites ?? [], page);
		},
		siteAdd: (request) => addSite(context, request),
		projectMove: (request) =>
			inProject(context, request, async ({ sites, workspaces }, project) => {
				const { body, earlier } = request;
				// the first attempt has moved it
				const by = context.requester(request);
				const parts = { ...engine.moving, sites, workspaces };
				const refused = earlier === null ? await moveProjectHere(parts, project, body, by) : null;
				if (refused !== null) return refused;
				const now = (await reads.project(project.slug)) ?? project;
				await engine.problems.look(now);
				return context.project((await reads.project(project.slug)) ?? now);
			}),
		siteSync: (request) =>
			inProject(context, request, (cycle, project) => cycle.syncSite(project, context.requester(request))),
		siteMerge: ({ body: { agent, commit, strategy, message }, ...request }) =>
			inProject(context, request, (cycle, project) =>
				cycle.sites.mergeHere(project, agent, { commit, ...(strategy && { strategy }), ...(message && { message }) }),
			),
		projectBase: (request) =>
			inProject(context, request, async (cycle, project) => {
				// what the node that asks does next follows the settings as they are now
				await engine.problems.look(project);
				return await cycle.sites.homeNodeBase(project, request.query);
			}),
		siteRemove: async (request) => {
			const project = await context.projectNamed(request.params["project"]);
			if (isRefusal(project)) return project;
			const node = await findNode(reads, request.params["node"] ?? "");
			if (isRefusal(node)) return node;
			const site = project.sites?.find((each) => each.node === node.id);
			const done = await context.dispatch(request, { type: "site.remove", project: project.slug, node: node.id });
			return isRefusal(done) ? done : (site ?? noProject(project.slug));
		},
	} satisfies Partial<Handlers>;
}

/** Checked at the node that has it: the root of a repository, with the project's history. */
async function addSite(context: RequestContext, request: RouteRequest<"siteAdd">): Promise<Site | Refusal> {
	const node = await findNode(context.reads, request.body.node);
	if (isRefusal(node)) return node;
	return await inProject(context, request, async ({ sites, workspaces }, project) => {
		const { slug } = project;
		const opened = await workspaces.openProject({ slug, source: request.body.path });
		if (isRefusal(opened)) return opened;
		const { path } = opened;
		const foreign = sites.isHomeNode(project) ? null : await sites.foreign(project, path, context.requester(request));
		if (foreign !== null) return foreign;
		const done = await context.dispatch(request, { type: "site.add", project: slug, node: node.id, path });
		return isRefusal(done) ? done : { node: node.id, path };
	});
}
