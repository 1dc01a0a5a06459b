// What agents have done so far, for lists: the text of their last item, and how their branches stand.
import { z } from "zod";
import type { AgentState } from "#contract/agent.ts";
import { AgentId } from "#contract/ids.ts";
import { isActive, isOwn, type NodeId } from "#contract/node.ts";
import { pageWhere, slicePage } from "#contract/page.ts";
import { isRefusal } from "#contract/refusal.ts";
import { Progress } from "#contract/wire.ts";
import { doneWithin } from "#engine/loop/time-limits.ts";
import { caught } from "#engine/ports/log.ts";
import { shownAuthorOf } from "#views/conversation.ts";
import { askRoute } from "../ask-route.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";

/** git looks at so many workspaces at once */
const looksMax = 8;
/** a tree that takes longer is listed without its branch */
const lookMs = 3000;
/** another node looks at several, one after the other */
const askMs = 5000;
const textMax = 300;

type ProgressRequest = RouteRequest<"progress">;
type Branches = ReadonlyMap<AgentId, Progress["branchStatus"]>;

export function progressHandlers(context: RequestContext): Pick<Handlers, "progress"> {
	return {
		progress: async (request) => {
			const { project, agent, node } = request.query;
			if (agent !== undefined) {
				const found = await progressOf(context, request, await context.reads.agentsWith([agent]));
				return slicePage(
					found.filter((each) => each !== undefined),
					request.page,
				);
			}
			return await pageWhere(
				request.page,
				(part) => context.reads.listAgents({ reaped: false, ...(project !== undefined && { project }) }, part),
				(agents) =>
					progressOf(context, request, node === undefined ? agents : agents.filter((each) => each.node === node)),
			);
		},
	};
}

/** Undefined for agents that have ended. */
async function progressOf(
	context: RequestContext,
	request: ProgressRequest,
	agents: readonly AgentState[],
): Promise<readonly (Progress | undefined)[]> {
	const living = agents.filter(({ life }) => life !== "ended");
	const elsewhere = branchesElsewhere(context, request, living);
	const waiting = [...living];
	const found = new Map<AgentId, Progress>();
	const work = async (): Promise<void> => {
		for (let agent = waiting.shift(); agent !== undefined; agent = waiting.shift())
			found.set(agent.id, {
				agent: agent.id,
				lastText: await lastTextOf(context, agent.id),
				branchStatus: isOwn(context.engine.node, agent)
					? await branchInTime(context, agent)
					: ((await elsewhere).get(agent.id) ?? null),
			});
	};
	await Promise.all(Array.from({ length: looksMax }, work));
	return agents.map(({ id }) => found.get(id));
}

/** The branches of agents whose files other nodes have: each node is asked once, for all of its agents. */
async function branchesElsewhere(
	{ engine, reads }: RequestContext,
	{ query: { project, agent }, actor, role }: ProgressRequest,
	agents: readonly AgentState[],
): Promise<Branches> {
	const away = agents.filter(({ node, workspace }) => workspace !== null && !isOwn(engine.node, { node }));
	const found = new Map<AgentId, Progress["branchStatus"]>();
	const ask = async (id: NodeId): Promise<void> => {
		const node = await reads.node(id);
		if (node === undefined || !isActive(node) || engine.nodes.lastSeen(id)?.isSilent === true) return;
		const query = { node: id, ...(project !== undefined && { project }), ...(agent !== undefined && { agent }) };
		const asked = { route: "progress", params: {}, query, actor, role };
		const answer = await askRoute(engine.errands, node, asked, AbortSignal.timeout(askMs));
		// an older version does not know the question
		if (isRefusal(answer)) return;
		for (const each of z.array(Progress).parse(answer.data)) found.set(each.agent, each.branchStatus);
	};
	const nodes = new Set(away.flatMap(({ node }) => node ?? []));
	await Promise.all([...nodes].map(ask)).catch(caught(engine.log, "git", "Branches of another node could not be read"));
	return found;
}

async function lastTextOf({ reads }: RequestContext, agent: AgentId): Promise<string | null> {
	const items = await reads.itemsBefore(agent, null, 12);
	const last = items.findLast(({ kind, text }) => textKinds.includes(kind) && text !== null && text.trim() !== "");
	if (last === undefined) return null;
	const author = shownAuthorOf(last);
	const by = author === null ? "" : `(from ${await nameOf(author)}) `;
	return `${by}${last.text?.trim() ?? ""}`.slice(0, textMax).toWellFormed();

	async function nameOf(actor: string): Promise<string> {
		const id = AgentId.safeParse(actor.replace(/^agent:/, ""));
		return (id.success ? (await reads.agentsWith([id.data]))[0]?.handle : undefined) ?? actor;
	}
}
const textKinds: readonly string[] = ["assistant", "tool_call", "user", "final"];

/** Null if git takes too long, or fails: the rest of the line is still true. */
async function branchInTime(context: RequestContext, agent: AgentState): Promise<Progress["branchStatus"]> {
	let found: Progress["branchStatus"] = null;
	const look = branchProgress(context, agent).then(
		(branch) => {
			found = branch;
		},
		caught(context.engine.log, "git", "A branch could not be looked at", { agent: agent.id }),
	);
	return (await doneWithin(lookMs, look)) ? found : null;
}

async function branchProgress(
	{ engine: { cycle } }: RequestContext,
	agent: AgentState,
): Promise<Progress["branchStatus"]> {
	if (cycle === null || agent.workspace === null) return null;
	const [status, diff] = await Promise.all([cycle.branchStatus(agent), cycle.diff(agent, "base", "names")]);
	if (isRefusal(status) || isRefusal(diff)) return null;
	const sum = (side: "added" | "deleted"): number => diff.files.reduce((lines, file) => lines + (file[side] ?? 0), 0);
	const { ahead, behind, uncommitted } = status;
	return { ahead, behind, uncommitted, added: sum("added"), deleted: sum("deleted") };
}
