// The inbox, the tree and the boards. Inbox and board cost what they show; the tree shows every agent that was not
// reaped.
import type { AgentState } from "#contract/agent.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import { boardDoneMax } from "#contract/mirror-request.ts";
import { isRefusal } from "#contract/refusal.ts";
import { Mirrored } from "#views/mirrored.ts";
import { boardOf, inboxOf, isDown } from "#views/overviews.ts";
import { subscriptionView } from "#views/wire.ts";
import { type CredentialProblem, credentialsHere } from "../credentials-here.ts";
import { issueViews } from "../issue-views.ts";
import type { Handlers, RequestContext } from "../request-context.ts";
import { clocksOf, unjournaled } from "../unjournaled.ts";
import { approvalWithHandles } from "./approvals.ts";

export function overviewHandlers(
	context: RequestContext,
	problem: CredentialProblem,
): Pick<Handlers, "inbox" | "tree" | "board"> {
	const { engine, reads } = context;
	/** Agents with a hold, and human agents with an open turn. */
	const heldOrHuman = async (): Promise<AgentState[]> => {
		const [held, open] = await Promise.all([reads.heldAgents(), reads.openTurns()]);
		const others = open.map(({ agent }) => agent).filter((agent) => !held.some(({ id }) => id === agent));
		return [...held, ...(await reads.agentsWith(others)).filter(({ type }) => type === "human")];
	};
	return {
		inbox: async ({ query: { project } }) => {
			const isHere = (row: { project: ProjectSlug | null } | undefined): boolean =>
				project === undefined || row?.project === project;
			const [pending, waiting, nodes] = await Promise.all([
				reads.pendingApprovals(),
				reads.issuesForPersons(),
				reads.nodes(),
			]);
			// only then it matters whose files are where
			const shown = nodes.some(isDown) ? await reads.agents({ life: "living" }) : await heldOrHuman();
			const [subscriptions, leases] = await Promise.all([reads.subscriptions(), reads.turnLeases()]);
			const asking = new Map(
				(await reads.agentsWith(pending.map(({ agent }) => agent))).map((each) => [each.id, each]),
			);
			const approvals = pending.filter(({ agent }) => isHere(asking.get(agent)));
			const issues = await issueViews(reads, waiting.filter(isHere), {});
			const [now, here] = [engine.scheduler.monotonic(), engine.node?.node ?? null];
			return inboxOf({
				approvals: await Promise.all(approvals.map((approval) => approvalWithHandles(context, approval))),
				agents: await context.agents(shown.filter(isHere)),
				issues: issues.filter((issue) => issue !== undefined),
				subscriptions: subscriptions
					.filter(({ removedAt }) => removedAt === null)
					.map((each) => subscriptionView(each, { leases, now, ...credentialsHere(each, here, problem) })),
				nodes,
			});
		},
		tree: async ({ query: { project } }) => {
			const rows = await reads.mirrored({ boards: [], threads: [], itemsMax: 0, isPart: false });
			const input = { ...clocksOf(engine), ...(await unjournaled(engine, problem)) };
			return { rows: new Mirrored(rows, { boards: [], threads: [] }).tree(input, { project }) };
		},
		board: async ({ params }) => {
			const project = await context.projectNamed(params["project"]);
			if (isRefusal(project)) return project;
			// one more than a board has tells whether there are older ones
			const rows = await reads.issuesOfBoard(project.slug, { doneMax: boardDoneMax + 1 });
			const issues = await issueViews(reads, rows, {});
			return {
				columns: boardOf(
					issues.filter((issue) => issue !== undefined),
					project,
				),
			};
		},
	};
}
