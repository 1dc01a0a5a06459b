// What a person looks at first: the inbox, the tree of agents, the board of a project.
import { z } from "zod";
import { Issue } from "./issue-wire.ts";
import { Agent, Approval, Subscription, Time } from "./wire.ts";

/** Everything that needs a person. */
export const Inbox = z.object({
	approvals: z.array(Approval),
	/** agents that are held by an error */
	errors: z.array(Agent),
	/** human agents whose turn is open: somebody has to finish it */
	humanAgents: z.array(Agent),
	/** issues that need attention or wait to be approved */
	reviews: z.array(Issue),
	/** subscriptions that cool down */
	limits: z.array(Subscription),
	/** nodes that stopped answering and are not back, with the agents whose files are there */
	nodes: z.array(
		z.object({
			name: z.string(),
			fellAt: Time.nullable(),
			agents: z.array(Agent.pick({ id: true, handle: true, movable: true })),
		}),
	),
});
export type Inbox = z.infer<typeof Inbox>;

/** Each agent before those below it; `depth` is 0 for an agent whose supervisor is not shown. */
export const TreeRow = z.object({ depth: z.int().nonnegative(), agent: Agent });
export type TreeRow = z.infer<typeof TreeRow>;

/** The stages in the order of the project's workflow, also those without an issue. */
export const BoardColumn = z.object({
	stage: z.string(),
	/** people move no more issues than this into it; null: any number */
	wipMax: z.int().nullable(),
	issues: z.array(Issue),
	/** whether older issues that are done were left out */
	more: z.boolean(),
});
export type BoardColumn = z.infer<typeof BoardColumn>;
