// The routes of tokens and cost.
import { refuse } from "#contract/refusal.ts";
import { agentUsage, familyUsage, issueUsage, projectUsage, subscriptionUsage } from "#views/usage.ts";
import type { Handlers, RequestContext } from "../request-context.ts";

export function usageHandlers(context: RequestContext): Pick<Handlers, "usage" | "agentUsage"> {
	const { reads } = context;
	return {
		usage: async ({ query: { by, project } }) => {
			const wanted = <T extends { project: string | null }>(each: T): boolean =>
				project === undefined || each.project === project;
			if (by === "subscription") return (await reads.subscriptions()).map(subscriptionUsage);
			if (by === "issue") return (await reads.issues(project)).map(issueUsage);
			const agents = await reads.agents({});
			if (by === "project") return projectUsage(agents.filter(wanted));
			const families = familyUsage(agents);
			return agents.filter(wanted).map((agent) => agentUsage(agent, families.get(agent.id) ?? agent.spent));
		},
		agentUsage: (request) =>
			context.withAgent(request, async (id) => {
				const agents = await reads.agents({});
				const agent = agents.find((each) => each.id === id);
				return agent === undefined
					? refuse("AGENT_NOT_FOUND", `There is no agent ${id}.`)
					: agentUsage(agent, familyUsage(agents).get(id) ?? agent.spent);
			}),
	};
}
