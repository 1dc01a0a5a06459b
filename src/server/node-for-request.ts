// Which node a request has to be carried out by. Decisions and reads are anybody's; a route that needs files or
// processes says whose (`at`).
import { isActive, type NodeId, type NodeState, nodeDown } from "#contract/node.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Route } from "#contract/routes.ts";
import { findNode } from "./find-node.ts";
import { withIssue } from "./handlers/issues.ts";
import type { RequestContext, ScopedRequest } from "./request-context.ts";

/** The other node that has to do it, or why it cannot; null if it is for this one, or for nobody who is known. */
export async function otherNodeFor(
	context: RequestContext,
	{ at }: Pick<Route, "at">,
	given: Omit<ScopedRequest, "query"> & { query: unknown; body: unknown },
): Promise<NodeState | Refusal | null> {
	const request: ScopedRequest & NodeFields = { ...given, query: Object(given.query), body: Object(given.body) };
	const me = context.engine.node;
	if (me === null || at === undefined) return null;
	const named = at === "node" ? await nodeNamed(context, request) : await nodeOf[at](context, request);
	if (named === null || named === me.node) return null;
	const node = typeof named === "string" ? await context.reads.node(named) : named;
	if (node === undefined || isRefusal(node)) return node ?? null;
	if (node.id === me.node) return null;
	return isActive(node) ? node : nodeDown(node);
}

const nodeOf = {
	agent: nodeOfAgent,
	project: nodeOfProject,
} as const;

async function nodeOfAgent(context: RequestContext, request: ScopedRequest): Promise<NodeId | null> {
	const found = await context.withAgent(request, async (id) => ({ id }));
	// the handler says what is wrong with its name
	return isRefusal(found) ? null : ((await context.reads.agent(found.id))?.node ?? null);
}

/** Of a project, or of an issue's project. */
async function nodeOfProject(context: RequestContext, request: ScopedRequest): Promise<NodeId | null> {
	const { params } = request;
	const slug =
		params["issue"] === undefined
			? params["project"]
			: await withIssue(context, request, async ({ project }) => ({ project })).then((found) =>
					isRefusal(found) ? undefined : found.project,
				);
	const project = slug === undefined ? null : await context.projectNamed(slug);
	return project === null || isRefusal(project) ? null : project.node;
}

interface NodeFields {
	query: { node?: unknown };
	body: { node?: unknown; to?: unknown };
}

/** The node that the query or the body names; the one that was asked if neither does. */
async function nodeNamed({ reads }: RequestContext, { query, body }: NodeFields): Promise<NodeState | Refusal | null> {
	const name = query.node ?? body.node ?? body.to;
	return typeof name === "string" ? await findNode(reads, name) : null;
}
