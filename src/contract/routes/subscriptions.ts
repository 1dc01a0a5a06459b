// Subscriptions, and who is free to work.
import { z } from "zod";
import { AgentType, ProjectSlug, SubscriptionName } from "../ids.ts";
import { Credential, Quiet } from "../subscription.ts";
import { Agent, Subscription } from "../wire.ts";
import { route } from "./route.ts";

const terms = {
	maxConcurrent: z.int().positive().max(1000).optional(),
	credential: Credential.optional(),
	fallback: SubscriptionName.nullable().optional(),
	quiet: Quiet.nullable().optional(),
};

export const subscriptionRoutes = {
	subscriptions: route({
		method: "get",
		path: "/api/subscriptions",
		summary: "all subscriptions with their slots",
		answer: z.array(Subscription),
	}),
	subscription: route({
		method: "get",
		path: "/api/subscriptions/:subscription",
		summary: "one subscription",
		answer: Subscription,
	}),
	subscriptionAdd: route({
		method: "post",
		path: "/api/subscriptions",
		summary: "add a subscription; agents of its type need one of its slots from then on",
		body: z.strictObject({ name: SubscriptionName, type: AgentType, ...terms }),
		answer: Subscription,
	}),
	subscriptionConfigure: route({
		method: "post",
		path: "/api/subscriptions/:subscription/configure",
		summary: "change a subscription; what is not named stays as it is",
		body: z.strictObject(terms),
		answer: Subscription,
	}),
	subscriptionCool: route({
		method: "post",
		path: "/api/subscriptions/:subscription/cool",
		summary: "start no turns on it before a moment; null ends a cool-down",
		body: z.strictObject({ until: z.iso.datetime({ offset: true }).nullable() }),
		answer: Subscription,
	}),
	subscriptionRemove: route({
		method: "delete",
		path: "/api/subscriptions/:subscription",
		summary: "remove a subscription that no open turn uses",
		answer: Subscription,
	}),
	agentsAvailable: route({
		method: "get",
		path: "/api/agents/available",
		summary: "agents that are free and have a slot waiting for them",
		query: z.strictObject({ project: ProjectSlug.optional() }),
		answer: z.array(Agent),
	}),
};
