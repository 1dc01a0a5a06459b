// Subscriptions, and which agents are free.
import { z } from "zod";
import { AgentType, SubscriptionName } from "../ids.ts";
import { ApiKeys, Credential, Quiet } from "../subscription.ts";
import { Agent, Availability, Subscription } from "../wire.ts";
import { agentFilter, get, post, remove, scope } from "./route.ts";

const terms = {
	maxConcurrent: z.int().positive().max(1000).optional(),
	credential: Credential.optional(),
	/** in place of a credential: kept in a file of the home, and never answered */
	keys: ApiKeys.optional(),
	fallback: SubscriptionName.nullable().optional(),
	quiet: Quiet.nullable().optional(),
	/** whose files the credential is: the path is looked at there */
	node: z.string().min(1).max(64).optional(),
};

/** Keys are written where they are received, and nowhere else. */
const keysOnlyHere = [
	({ keys, node }: { keys?: unknown; node?: unknown }): boolean => keys === undefined || node === undefined,
	"keys cannot be sent to another node; name a file that is there",
] as const;

export const subscriptionRoutes = {
	subscriptions: get("/api/subscriptions", "list subscriptions with their slots", { answer: z.array(Subscription) }),
	subscription: get("/api/subscriptions/:subscription", "show one subscription", { answer: Subscription }),
	subscriptionAdd: post(
		"/api/subscriptions",
		"add a subscription; agents of its type need one of its slots from then on",
		{
			at: "node",
			role: "admin",
			body: z.strictObject({ name: SubscriptionName, type: AgentType, ...terms }).refine(...keysOnlyHere),
			answer: Subscription,
		},
	),
	subscriptionConfigure: post(
		"/api/subscriptions/:subscription/configure",
		"change a subscription; settings that are not named stay as they are",
		{ at: "node", role: "admin", body: z.strictObject(terms).refine(...keysOnlyHere), answer: Subscription },
	),
	subscriptionCool: post(
		"/api/subscriptions/:subscription/cool",
		"start no turns on a subscription before a moment; null ends a cool-down",
		{
			role: "admin",
			body: z.strictObject({ until: z.iso.datetime({ offset: true }).nullable() }),
			answer: Subscription,
		},
	),
	subscriptionRemove: remove("/api/subscriptions/:subscription", "remove a subscription that no open turn uses", {
		role: "admin",
		answer: Subscription,
	}),
	agentsAvailable: get("/api/agents/available", "list agents that are free and have a slot", {
		query: scope.extend(agentFilter),
		answer: z.array(Agent),
	}),
	availability: get("/api/availability", "list living agents: free, or why not and until when", {
		query: scope.extend(agentFilter),
		answer: z.array(Availability),
	}),
};
