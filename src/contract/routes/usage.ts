// Tokens and cost.
import { z } from "zod";
import { AgentId, ProjectSlug } from "../ids.ts";
import { Budget, Spent } from "../usage.ts";
import { get, ofAgent } from "./route.ts";

export const UsageRow = z.object({
	/** a handle, the number of an issue, or the name of a subscription or project */
	name: z.string(),
	agent: AgentId.nullable(),
	project: ProjectSlug.nullable(),
	spent: Spent,
	/** what counts against a budget */
	tokens: z.number(),
	/** of an agent: including its forks and theirs */
	withForks: Spent.nullable(),
	budget: Budget.nullable(),
	budgetLeft: Budget.nullable(),
});
export type UsageRow = z.infer<typeof UsageRow>;

export const usageRoutes = {
	usage: get("/api/usage", "show tokens and cost, also since a moment, by agent, issue, subscription or project", {
		query: z.strictObject({
			by: z.enum(["agent", "issue", "subscription", "project"]).default("agent"),
			project: ProjectSlug.optional(),
			/** only what was reported since then; otherwise everything */
			since: z.iso.datetime({ offset: true }).optional(),
		}),
		answer: z.array(UsageRow),
	}),
	agentUsage: ofAgent.get(
		"/usage",
		"show what an agent used, alone and with its forks, and what is left of its budget",
		{ answer: UsageRow },
	),
};
