// The subscription: a paid plan or key with a number of slots. A used slot is in a turn lease; how many are used is
// always counted from these leases, so that no counter can drift.
import { z } from "zod";
import { command, event } from "./define.ts";
import { VariableName } from "./environment.ts";
import { Actor, AgentId, AgentType, EventId, SubscriptionName } from "./ids.ts";
import { NodeId } from "./node.ts";
import { Spent } from "./usage.ts";

const AbsolutePath = z.string().regex(/^\/[^\0]{0,4095}$/, "an absolute path");

/** The credentials of its agents; null for the user's own login. Files are read when a process starts, never stored. */
export const Credential = z
	.union([z.strictObject({ envFile: AbsolutePath }), z.strictObject({ configDir: AbsolutePath })])
	.nullable();
export type Credential = z.infer<typeof Credential>;

/** A path means one machine: the credentials of a node that is not the subscription's. */
const NodeCredential = z.strictObject({ node: NodeId, credential: Credential });

/** Keys by the names of their variables. They go into a file of the home, and into no command or event. */
export const ApiKeys = z
	.record(
		VariableName.refine((name) => !name.startsWith("BROOD_"), "variables that begin with BROOD_ are Brood's own"),
		z
			.string()
			.min(1)
			.max(16_384)
			.regex(/^[^\0\n\r]*$/, "a key is on one line"),
	)
	.refine((keys) => Object.keys(keys).length > 0 && Object.keys(keys).length <= 32, "name 1 to 32 variables");
export type ApiKeys = z.infer<typeof ApiKeys>;

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "a time of day is written like 22:00");

/** Quiet hours: no new turns start between two times of day, in the time zone `zone`. */
export const Quiet = z
	.strictObject({
		from: TimeOfDay,
		to: TimeOfDay,
		zone: z.string().max(100).refine(isZone, "a time zone is written like Europe/Berlin"),
	})
	.refine(({ from, to }) => from !== to, "quiet hours begin and end at different times");
export type Quiet = z.infer<typeof Quiet>;

function isZone(zone: string): boolean {
	try {
		return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
	} catch {
		return false;
	}
}

const Terms = z.strictObject({
	maxConcurrent: z.int().positive().max(1000),
	credential: Credential,
	/** what its agents use while it cools down */
	fallback: SubscriptionName.nullable(),
	quiet: Quiet.nullable(),
});

const credentialNodes = {
	/** the node that has `credential`; absent in rows from before there were nodes: then every node has it */
	node: NodeId.exactOptional(),
	credentials: z.array(NodeCredential).exactOptional(),
};

export const SubscriptionState = z.strictObject({
	name: SubscriptionName,
	type: AgentType,
	...{ ...Terms.shape, ...credentialNodes },
	/** a usage limit was reported, or a person said so: no turns start on it before this time */
	coolingUntil: z.int().nullable(),
	spent: Spent,
	createdAt: z.int(),
	createdBy: Actor,
	removedAt: z.int().nullable(),
});
export type SubscriptionState = z.infer<typeof SubscriptionState>;

type Credentials = Pick<SubscriptionState, "credential" | "node" | "credentials">;

/** The credentials of a subscription at a node; undefined if nobody has named any there. */
export function credentialAt(
	{ credential, node, credentials = [] }: Credentials,
	at: NodeId | null | undefined,
): Credential | undefined {
	const named = credentials.find((each) => each.node === at);
	if (named !== undefined) return named.credential;
	return credential === null || node === undefined || at == null || node === at ? credential : undefined;
}

/** The files and folders of all nodes. */
export const credentialPaths = ({ credential, credentials = [] }: Credentials): string[] =>
	[credential, ...credentials.map((each) => each.credential)].flatMap((each) =>
		each === null ? [] : ["envFile" in each ? each.envFile : each.configDir],
	);

/** A running turn's place on the machine and, if it needs one, its slot. A turn that waits has no lease. */
export const TurnLease = z.strictObject({
	turn: EventId,
	agent: AgentId,
	subscription: SubscriptionName.nullable(),
	/** whose place it takes */
	node: NodeId.nullable(),
	at: z.int(),
});
export type TurnLease = z.infer<typeof TurnLease>;

export const SubscriptionAdd = command("subscription.add", {
	name: SubscriptionName,
	agentType: AgentType,
	maxConcurrent: Terms.shape.maxConcurrent.default(3),
	credential: Credential.default(null),
	fallback: SubscriptionName.nullable().default(null),
	quiet: Quiet.nullable().default(null),
});
export type SubscriptionAdd = z.infer<typeof SubscriptionAdd>;

/** Absent fields stay as they are. */
export const SubscriptionConfigure = command("subscription.configure", {
	name: SubscriptionName,
	...Terms.partial().shape,
});
export type SubscriptionConfigure = z.infer<typeof SubscriptionConfigure>;

/** Starts or ends a cool-down. A turn that ends at a usage limit starts one too. */
export const SubscriptionCool = command("subscription.cool", { name: SubscriptionName, until: z.int().nullable() });
export type SubscriptionCool = z.infer<typeof SubscriptionCool>;

export const SubscriptionRemove = command("subscription.remove", { name: SubscriptionName });

export const subscriptionCommands = [
	SubscriptionAdd,
	SubscriptionConfigure,
	SubscriptionCool,
	SubscriptionRemove,
] as const;

export const SubscriptionEvent = z.discriminatedUnion("kind", [
	event("subscription.added", { name: SubscriptionName, type: AgentType, ...Terms.shape, ...credentialNodes }),
	event("subscription.configured", { name: SubscriptionName, ...Terms.shape, ...credentialNodes }),
	event("subscription.coolDownChanged", { name: SubscriptionName, until: z.int().nullable() }),
	event("subscription.removed", { name: SubscriptionName }),
]);
export type SubscriptionEvent = z.infer<typeof SubscriptionEvent>;
