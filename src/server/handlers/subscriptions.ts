// The routes of subscriptions, and of agents that are free to work.
import type { AgentState } from "#contract/agent.ts";
import type { CommandInput } from "#contract/command.ts";
import { type Paged, pageWhere } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Credential, Keys, LeaseState, SubscriptionState } from "#contract/subscription.ts";
import type { Agent, Availability, Subscription } from "#contract/wire.ts";
import { withCleanWorkspace } from "#engine/workspaces/clean-workspaces.ts";
import { availabilityView, subscriptionView } from "#views/wire.ts";
import type { Handlers, RequestContext, RouteRequest, ScopedRequest } from "../request-context.ts";
import { hasTypeAndModel } from "./registry.ts";

const agentsOfMaker: Readonly<Record<string, readonly string[]>> = {
	openai: ["codex", "llm"],
	chatgpt: ["codex"],
	anthropic: ["claude", "llm"],
	google: ["gemini", "llm"],
};

/** Makers of models are not types of agents: people are told which agents use them. */
function unusable(context: RequestContext, type: string): Refusal | null {
	const unknown = context.unknownType(type);
	const instead = agentsOfMaker[type];
	if (unknown === null || instead === undefined) return unknown;
	return refuse("VALIDATION_ERROR", `${type} is no type of agent: its models are used by ${instead.join(" and ")}.`, {
		details: unknown.details,
		suggestions: instead.map((each) => `brood subscription add NAME --type ${each}`),
	});
}

/** Files with the keys that people gave. */
export interface KeyStore {
	/** the path of a new file */
	keep(subscription: string, keys: Keys): string;
	/** removes a file that `keep` made */
	drop(credential: Credential): void;
}

/** `problem` says what is wrong with a credential; its content is never read here. */
export function subscriptionHandlers(
	context: RequestContext,
	problem: (credential: Credential) => string | null,
	files: KeyStore,
) {
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
	const credited = crediting(problem, files);
	return {
		subscriptions: async ({ page }) => {
			const leases = await reads.leases();
			return await pageWhere(
				page,
				(part) => reads.listSubscriptions(part),
				async (all) => all.map((each) => (each.removedAt === null ? view(each, leases) : undefined)),
			);
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
			const { type: agentType, keys: _, ...body } = request.body;
			return (
				unusable(context, agentType) ??
				(await credited(request, request.body, (credential) =>
					change(request, { type: "subscription.add", agentType, ...body, credential }),
				))
			);
		},
		subscriptionConfigure: async (request) => {
			const { keys, ...body } = request.body;
			const name = nameIn(request);
			return await credited(request, { name, keys, credential: body.credential }, (credential) =>
				change(request, {
					type: "subscription.configure",
					name,
					...body,
					...(credential !== undefined && { credential }),
				}),
			);
		},
		subscriptionCool: async (request) => {
			const { until } = request.body;
			const end = until === null ? null : Date.parse(until);
			return await change(request, { type: "subscription.cool", name: nameIn(request), until: end });
		},
		subscriptionRemove: async (request) => {
			const removed = await change(request, { type: "subscription.remove", name: nameIn(request) });
			if (!isRefusal(removed)) files.drop(removed.credential);
			return removed;
		},
		agentsAvailable: (request) => available(context, request),
		availability: (request) => availability(context, request),
	} satisfies Partial<Handlers>;
}

async function available(
	context: RequestContext,
	{ query, page }: Pick<RouteRequest<"agentsAvailable">, "query" | "page">,
): Promise<Paged<Agent>> {
	const { engine, reads } = context;
	const capacity = await engine.scheduler.capacity();
	const { data, next } = await pageWhere(
		page,
		(part) => reads.listAgents({ reaped: false, ...(query.project && { project: query.project }) }, part),
		async (agents) => {
			const fit = agents.filter((agent) => hasTypeAndModel(agent, query));
			const why = await engine.scheduler.whyNotFree(fit, capacity);
			const ready = fit.filter((agent) => why.get(agent) === null);
			const free = await withCleanWorkspace(engine.issueWork, ready, engine.log);
			return agents.map((agent) => (free.includes(agent) ? agent : undefined));
		},
	);
	return { data: await context.agents(data), next };
}

/** All living agents, free ones too. */
async function availability(
	context: RequestContext,
	{ query, page }: Pick<RouteRequest<"availability">, "query" | "page">,
): Promise<Paged<Availability>> {
	const { engine, reads } = context;
	const why = new Map<AgentState, { reason: string; until: number | null } | null>();
	const capacity = await engine.scheduler.capacity();
	const { data, next } = await pageWhere(
		page,
		(part) => reads.listAgents({ reaped: false, ...(query.project && { project: query.project }) }, part),
		async (agents) => {
			const found = await engine.scheduler.whyNotFree(
				agents.filter((agent) => hasTypeAndModel(agent, query)),
				capacity,
			);
			for (const [agent, each] of found) why.set(agent, each);
			return agents.map((agent) => (found.has(agent) ? agent : undefined));
		},
	);
	const ready = data.filter((agent) => why.get(agent) === null);
	const clean = await withCleanWorkspace(engine.issueWork, ready, engine.log);
	const dirty = { reason: "changes that are not committed", until: null };
	const shown = await context.agents(data);
	return {
		data: shown.map((agent, at) => {
			const state = data[at];
			const short = state === undefined || clean.includes(state) ? null : (why.get(state) ?? dirty);
			return availabilityView(agent, short);
		}),
		next,
	};
}

/** Checks a credential before it is recorded. Keys are written to a file first; what is recorded is where they are. */
const crediting =
	(problem: (credential: Credential) => string | null, files: KeyStore) =>
	async (
		{ earlier }: Pick<ScopedRequest, "earlier">,
		{ name, keys, credential }: { name: string; keys?: Keys | undefined; credential?: Credential | undefined },
		make: (credential: Credential | undefined) => Promise<Subscription | Refusal>,
	): Promise<Subscription | Refusal> => {
		if (keys === undefined) {
			// a retry gets the answer of the first attempt, which checked the credential
			const words = credential === undefined || earlier !== null ? null : problem(credential);
			return words === null ? await make(credential) : refuse("VALIDATION_ERROR", words);
		}
		if (credential !== undefined)
			return refuse("VALIDATION_ERROR", "Give either keys or a credential, not both: both say what its agents get.");
		const envFile = files.keep(name, keys);
		const made = await make({ envFile });
		const used = isRefusal(made) || made.credential === null ? null : Object.values(made.credential)[0];
		if (used !== envFile) files.drop({ envFile });
		return made;
	};

const nameIn = ({ params }: ScopedRequest): string => params["subscription"] ?? "";
