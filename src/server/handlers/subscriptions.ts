// The routes of subscriptions.
import type { CommandInput } from "#contract/command.ts";
import { pageWhere } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { ApiKeys, Credential, SubscriptionState, TurnLease } from "#contract/subscription.ts";
import type { Subscription } from "#contract/wire.ts";
import { subscriptionView } from "#views/wire.ts";
import { type CredentialProblem, credentialsHere } from "../credentials-here.ts";
import type { Handlers, RequestContext, ScopedRequest } from "../request-context.ts";

const agentsOfProvider: Readonly<Record<string, readonly string[]>> = {
	openai: ["codex", "llm"],
	chatgpt: ["codex"],
	anthropic: ["claude", "llm"],
	google: ["gemini", "llm"],
};

/** Providers of models are not types of agents: people are told which agents use them. */
function unusable(context: RequestContext, { name, type }: { name: string; type: string }): Refusal | null {
	const unknown = context.unknownType(type);
	const instead = agentsOfProvider[type];
	if (unknown === null || instead === undefined) return unknown;
	return refuse(
		"VALIDATION_ERROR",
		`${type} is not a type of agent: its models are used by ${instead.join(" and ")}.`,
		{
			details: unknown.details,
			suggestions: instead.map((each) => `brood subscription add ${name} --type ${each}`),
		},
	);
}

/** Files with the keys that people gave. */
export interface ApiKeyFiles {
	/** the path of a new file */
	keep(subscription: string, keys: ApiKeys): string;
	/** removes a file that `keep` made */
	drop(credential: Credential): void;
}

/** `problem` says what is wrong with a credential; its content is never read here. */
export function subscriptionHandlers(context: RequestContext, problem: CredentialProblem, files: ApiKeyFiles) {
	const { engine, reads } = context;
	const view = (state: SubscriptionState, leases: readonly TurnLease[]): Subscription => {
		const here = credentialsHere(state, engine.node?.node ?? null, problem);
		return subscriptionView(state, { leases, now: engine.scheduler.monotonic(), ...here });
	};
	const shown = async (state: SubscriptionState): Promise<Subscription> => view(state, await reads.turnLeases());
	const change = async (request: ScopedRequest, command: CommandInput): Promise<Subscription | Refusal> => {
		const done = await context.dispatch(request, command);
		if (isRefusal(done)) return done;
		if (done.subscription !== undefined) return await shown(done.subscription);
		return refuse("INTERNAL_ERROR", "The command returned no subscription.");
	};
	const withCredential = withCheckedCredential(problem, files);
	return {
		subscriptions: async ({ page }) => {
			const leases = await reads.turnLeases();
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
			const { type: agentType, keys: _, node: __, ...body } = request.body;
			return (
				unusable(context, request.body) ??
				(await withCredential(request, request.body, (credential) =>
					change(request, { type: "subscription.add", agentType, ...body, credential }),
				))
			);
		},
		subscriptionConfigure: async (request) => {
			const { keys, node: _, ...body } = request.body;
			const name = nameIn(request);
			return await withCredential(request, { name, keys, credential: body.credential }, (credential) =>
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
	} satisfies Partial<Handlers>;
}

/** Checks a credential before it is recorded. Keys are written to a file first; what is recorded is where they are. */
const withCheckedCredential =
	(problem: CredentialProblem, files: ApiKeyFiles) =>
	async (
		{ earlier }: Pick<ScopedRequest, "earlier">,
		{ name, keys, credential }: { name: string; keys?: ApiKeys | undefined; credential?: Credential | undefined },
		make: (credential: Credential | undefined) => Promise<Subscription | Refusal>,
	): Promise<Subscription | Refusal> => {
		if (keys === undefined) {
			// a retry gets the answer of the first attempt, which checked the credential
			const words = credential === undefined || earlier !== null ? null : problem(credential);
			return words === null ? await make(credential) : refuse("VALIDATION_ERROR", words);
		}
		if (credential !== undefined) return refuse("VALIDATION_ERROR", "Give either keys or a credential, not both.");
		const envFile = files.keep(name, keys);
		const made = await make({ envFile });
		const used = isRefusal(made) || made.credential === null ? null : Object.values(made.credential)[0];
		if (used !== envFile) files.drop({ envFile });
		return made;
	};

const nameIn = ({ params }: ScopedRequest): string => params["subscription"] ?? "";
