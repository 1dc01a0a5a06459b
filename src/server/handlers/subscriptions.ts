// The routes of subscriptions, and of agents that are free to work.
import type { CommandInput } from "#contract/command.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Credential, LeaseState, SubscriptionState } from "#contract/subscription.ts";
import type { Subscription } from "#contract/wire.ts";
import { withCleanWorkspace } from "#engine/workspaces/clean-workspaces.ts";
import { agentView, subscriptionView } from "#views/wire.ts";
import type { PriorReceipt } from "../idempotency.ts";
import type { Handlers, RequestContext, ScopedRequest } from "../request-context.ts";
import { isWanted } from "./registry.ts";

/** `problem` says what is wrong with a credential; its content is never read here. */
export function subscriptionHandlers(context: RequestContext, problem: (credential: Credential) => string | null) {
	const { engine, reads } = context;
	const view = (state: SubscriptionState, leases: readonly LeaseState[]): Subscription =>
		subscriptionView(state, { leases, now: engine.scheduler.monotonic(), problem: problem(state.credential) });
	const shown = async (state: SubscriptionState): Promise<Subscription> => view(state, await reads.leases());
	const change = async (request: ScopedRequest, command: CommandInput): Promise<Subscription | Refusal> => {
		const done = await context.dispatch(request, command);
		if (isRefusal(done)) return done;
		const { subscription } = done;
		return subscription === undefined
			? refuse("INTERNAL_ERROR", "No subscription was answered.")
			: await shown(subscription);
	};
	const unfit = (credential: Credential | undefined, { earlier }: { earlier: PriorReceipt }): Refusal | null => {
		// a retry gets the answer of the first attempt, which checked the credential
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
		subscriptionAdd: async (request) => {
			const { type: agentType, ...body } = request.body;
			return (
				unfit(body.credential, request) ?? (await change(request, { type: "subscription.add", agentType, ...body }))
			);
		},
		subscriptionConfigure: async (request) =>
			unfit(request.body.credential, request) ??
			(await change(request, { type: "subscription.configure", name: nameIn(request), ...request.body })),
		subscriptionCool: async (request) => {
			const { until } = request.body;
			const end = until === null ? null : Date.parse(until);
			return await change(request, { type: "subscription.cool", name: nameIn(request), until: end });
		},
		subscriptionRemove: (request) => change(request, { type: "subscription.remove", name: nameIn(request) }),
		agentsAvailable: async ({ query }) => {
			const agents = await reads.agents(query.project === undefined ? {} : { project: query.project });
			const counts = await reads.counts();
			const free = await withCleanWorkspace(engine.issueWork, await engine.scheduler.available(agents), engine.log);
			return free
				.filter((agent) => isWanted(agent, query))
				.map((agent) => agentView(agent, { ...noCounts, ...counts.get(agent.id), phase: "model" }));
		},
	} satisfies Partial<Handlers>;
}

const nameIn = ({ params }: ScopedRequest): string => params["subscription"] ?? "";

const noCounts = { queueLength: 0, unreadMail: 0 };
