// The routes of agents that move between nodes, and of projects' repositories at other nodes.

import { ErrandAnswer } from "#contract/errand.ts";
import { slicePage } from "#contract/page.ts";
import { noProject, type Site } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { moveHere } from "#engine/workspaces/moving.ts";
import { share } from "#engine/workspaces/sharing.ts";
import { findNode } from "../find-node.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";
import { withCycle } from "./workspaces.ts";

export function movingHandlers(context: RequestContext) {
	const { engine, reads } = context;
	return {
		agentMove: (request) =>
			context.withAgent(request, async (id) => {
				const agent = await reads.agent(id);
				// the first attempt has moved it
				if (agent === undefined || request.earlier !== null) return await context.agent(id);
				const by = context.requester(request);
				const { actor, role } = request;
				const refused = await moveHere(engine.moving, agent, request.body, by, async (node) => {
					const errand = { route: "agentShare", params: { agent: id }, query: "", body: "{}", actor, role, key: null };
					const heard = await engine.errands.ask(node, JSON.stringify(errand), request.gone);
					return isRefusal(heard) ? heard : refusalIn(heard.answer);
				});
				return refused ?? (await context.agent(id));
			}),
		agentShare: (request) =>
			context.withAgent(request, (id) =>
				withCycle(context, id, async (_, agent) => (await share(engine.moving, agent)) ?? (await context.agent(id))),
			),
		sites: async ({ params, page }) => {
			const project = await context.projectNamed(params["project"]);
			return isRefusal(project) ? project : slicePage(project.sites ?? [], page);
		},
		siteAdd: (request) => addSite(context, request),
		siteRemove: async (request) => {
			const project = await context.projectNamed(request.params["project"]);
			if (isRefusal(project)) return project;
			const node = await findNode(reads, request.params["node"] ?? "");
			if (isRefusal(node)) return node;
			const site = project.sites?.find((each) => each.node === node.id);
			const done = await context.dispatch(request, { type: "site.remove", slug: project.slug, node: node.id });
			return isRefusal(done) ? done : (site ?? noProject(project.slug));
		},
	} satisfies Partial<Handlers>;
}

/** Checked at the node that has it: the root of a repository. */
async function addSite(context: RequestContext, request: RouteRequest<"siteAdd">): Promise<Site | Refusal> {
	const { reads, engine } = context;
	const project = await context.projectNamed(request.params["project"]);
	if (isRefusal(project)) return project;
	const node = await findNode(reads, request.body.node);
	if (isRefusal(node)) return node;
	const { slug } = project;
	const opened = await engine.cycle?.workspaces.openProject({ slug, source: request.body.path });
	if (opened !== undefined && isRefusal(opened)) return opened;
	const path = opened?.path ?? request.body.path;
	const done = await context.dispatch(request, { type: "site.add", slug, node: node.id, path });
	return isRefusal(done) ? done : { node: node.id, path };
}

function refusalIn(answer: string): Refusal | null {
	const { error }: { error?: Refusal } = JSON.parse(ErrandAnswer.parse(JSON.parse(answer)).body);
	return error === undefined ? null : refuse(error.code, error.message, error);
}
