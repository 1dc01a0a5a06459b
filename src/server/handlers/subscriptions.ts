// Subscriptions, and who is free to work.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Credential, LeaseState, SubscriptionState } from "#contract/subscription.ts";
import type { Subscription } from "#contract/wire.ts";
import type { Outcome } from "#engine/ports/dispatch.ts";
import { withCleanWorkspace } from "#engine/workspaces/clean-workspaces.ts";
import { agentView, subscriptionView } from "#views/wire.ts";
import type { PriorReceipt } from "../idempotency.ts";
import type { Handlers, RequestContext } from "../request-context.ts";

type Names =
	| "subscriptions"
	| "subscription"
	| "subscriptionAdd"
	| "subscriptionConfigure"
	| "subscriptionCool"
	| "subscriptionRemove"
	| "agentsAvailable";

/** `problem` says what is wrong with a credential; its content is never read here. */
export function subscriptionHandlers(
	context: RequestContext,
	problem: (credential: Credential) => string | null,
): Handlers<Names> {
	const { engine, reads } = context;
	const view = (state: SubscriptionState, leases: readonly LeaseState[]): Subscription =>
		subscriptionView(state, { leases, now: engine.scheduler.monotonic(), problem: problem(state.credential) });
	const shown = async (state: SubscriptionState): Promise<Subscription> => view(state, await reads.leases());
	const answer = async (outcome: Outcome): Promise<Subscription | Refusal> => {
		if ("refused" in outcome) return outcome.refused;
		const { subscription } = outcome.done;
		return subscription === undefined
			? refuse("INTERNAL_ERROR", "No subscription was answered.")
			: await shown(subscription);
	};
	const unfit = (credential: Credential | undefined, { earlier }: { earlier: PriorReceipt }): Refusal | null => {
		// what it was when the subscription got it is what counted
		const words = credential === undefined || earlier !== null ? null : problem(credential);
		return words === null ? null : refuse("VALIDATION_ERROR", words);
	};
	return {
		subscriptions: async () => {
			const [all, leases] = await Promise.all([reads.subscriptions(), reads.leases()]);
			return all.filter(({ removedAt }) => removedAt === null).map((each) => view(each, leases));
		},
		subscription: async ({ params }) => {
			const found = (await reads.subscriptions()).find(
				(each) => each.name === params["subscription"] && each.removedAt === null,
			);
			if (found !== undefined) return await shown(found);
			return refuse("NOT_FOUND", `There is no subscription ${JSON.stringify(params["subscription"])}.`, {
				suggestions: ["brood subscription list"],
			});
		},
		subscriptionAdd: async (asked) => {
			const { type: agentType, ...request } = asked.body;
			return (
				unfit(request.credential, asked) ??
				(await answer(await context.say(asked, { type: "subscription.add", agentType, ...request })))
			);
		},
		subscriptionConfigure: async (asked) =>
			unfit(asked.body.credential, asked) ??
			(await answer(
				await context.say(asked, {
					type: "subscription.configure",
					name: asked.params["subscription"] ?? "",
					...asked.body,
				}),
			)),
		subscriptionCool: async (asked) => {
			const { until } = asked.body;
			return await answer(
				await context.say(asked, {
					type: "subscription.cool",
					name: asked.params["subscription"] ?? "",
					until: until === null ? null : Date.parse(until),
				}),
			);
		},
		subscriptionRemove: async (asked) =>
			await answer(await context.say(asked, { type: "subscription.remove", name: asked.params["subscription"] ?? "" })),
		agentsAvailable: async ({ query }) => {
			const agents = await reads.agents(query.project === undefined ? {} : { project: query.project });
			const counts = await reads.counts();
			const free = await withCleanWorkspace(engine.issueWork, await engine.scheduler.available(agents), engine.log);
			return free.map((agent) => agentView(agent, { ...noCounts, ...counts.get(agent.id), phase: "model" }));
		},
	};
}

const noCounts = { queueLength: 0, unreadMail: 0 };
