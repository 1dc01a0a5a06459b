// Subscriptions, and who is free to work.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Credential, LeaseState, SubscriptionState } from "#contract/subscription.ts";
import type { Subscription } from "#contract/wire.ts";
import { cleanOnes } from "#engine/clean.ts";
import type { Outcome } from "#engine/ports.ts";
import { agentView, subscriptionView } from "#views/wire.ts";
import type { Desk, Handlers } from "../desk.ts";
import type { Earlier } from "../once.ts";

type Names = "subscriptions" | "subscription" | "subscriptionAdd" | "subscriptionConfigure" | "subscriptionCool" | "subscriptionRemove" | "agentsAvailable";

/** `trouble` says what is wrong with a credential, if something is; what is in it stays where it is. */
export function subscriptionHandlers(desk: Desk, trouble: (credential: Credential) => string | null): Handlers<Names> {
	const { engine, reads } = desk;
	const view = (state: SubscriptionState, leases: readonly LeaseState[]): Subscription =>
		subscriptionView(state, { leases, now: engine.scheduler.steady(), trouble: trouble(state.credential) });
	const shown = async (state: SubscriptionState): Promise<Subscription> => view(state, await reads.leases());
	const answer = async (outcome: Outcome): Promise<Subscription | Refusal> => {
		if ("refused" in outcome) return outcome.refused;
		const { subscription } = outcome.done;
		return subscription === undefined ? refuse("INTERNAL_ERROR", "No subscription was answered.") : await shown(subscription);
	};
	const unfit = (credential: Credential | undefined, { earlier }: { earlier: Earlier }): Refusal | null => {
		// what it was when the subscription got it is what counted
		const words = credential === undefined || earlier !== null ? null : trouble(credential);
		return words === null ? null : refuse("VALIDATION_ERROR", words);
	};
	return {
		subscriptions: async () => {
			const [all, leases] = await Promise.all([reads.subscriptions(), reads.leases()]);
			return all.filter(({ removedAt }) => removedAt === null).map((each) => view(each, leases));
		},
		subscription: async ({ params }) => {
			const found = (await reads.subscriptions()).find((each) => each.name === params["subscription"] && each.removedAt === null);
			if (found !== undefined) return await shown(found);
			return refuse("NOT_FOUND", `There is no subscription ${JSON.stringify(params["subscription"])}.`, { suggestions: ["brood subscription list"] });
		},
		subscriptionAdd: async (asked) => {
			const { type: agentType, ...wish } = asked.body;
			return unfit(wish.credential, asked) ?? (await answer(await desk.say(asked, { type: "subscription.add", agentType, ...wish })));
		},
		subscriptionConfigure: async (asked) =>
			unfit(asked.body.credential, asked) ??
			(await answer(await desk.say(asked, { type: "subscription.configure", name: asked.params["subscription"] ?? "", ...asked.body }))),
		subscriptionCool: async (asked) => {
			const { until } = asked.body;
			return await answer(
				await desk.say(asked, { type: "subscription.cool", name: asked.params["subscription"] ?? "", until: until === null ? null : Date.parse(until) }),
			);
		},
		subscriptionRemove: async (asked) => await answer(await desk.say(asked, { type: "subscription.remove", name: asked.params["subscription"] ?? "" })),
		agentsAvailable: async ({ query }) => {
			const agents = await reads.agents(query.project === undefined ? {} : { project: query.project });
			const counts = await reads.counts();
			const free = await cleanOnes(engine.issueWork, await engine.scheduler.available(agents), engine.log);
			return free.map((agent) => agentView(agent, { ...noCounts, ...counts.get(agent.id), phase: "model" }));
		},
	};
}

const noCounts = { queueLength: 0, unreadMail: 0 };
