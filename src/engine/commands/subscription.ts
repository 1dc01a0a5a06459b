// Commands about subscriptions: each may change what its slots are counted against.
import type { SubscriptionName } from "#contract/ids.ts";
import {
	SubscriptionAdd,
	SubscriptionConfigure,
	SubscriptionCool,
	SubscriptionRemove,
} from "#contract/subscription.ts";
import {
	decideAddSubscription,
	decideConfigureSubscription,
	decideCool,
	decideRemoveSubscription,
} from "#domain/subscription.ts";
import { toMonotonic } from "./capacity.ts";
import { defineCommand } from "./define.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

type Named = { name: SubscriptionName };

const onSubscription = {
	allowedActors: "people",
	startsWork: false,
	load: async ({ tx }: UnitOfWork) => ({ all: await tx.subscriptions() }),
	subject: (_: object, { name }: Named) => ({ subscription: name }),
} as const;

export const subscriptionDefinitions = {
	"subscription.add": defineCommand({
		...onSubscription,
		schema: SubscriptionAdd,
		decide: ({ all }, command, envelope) => decideAddSubscription(all, command, envelope),
	}),
	"subscription.configure": defineCommand({
		...onSubscription,
		schema: SubscriptionConfigure,
		decide: ({ all }, command, envelope) => decideConfigureSubscription(all, command, envelope),
	}),
	"subscription.cool": defineCommand({
		...onSubscription,
		schema: SubscriptionCool,
		// people name a wall-clock time
		decide: ({ all }, command, envelope) =>
			decideCool(all, { ...command, until: command.until === null ? null : toMonotonic(command.until, envelope) }),
	}),
	"subscription.remove": defineCommand({
		...onSubscription,
		schema: SubscriptionRemove,
		load: async ({ tx }, { name }) => ({
			all: await tx.subscriptions(),
			turns: (await tx.openTurns()).filter((turn) => turn.subscription === name).length,
		}),
		decide: ({ all, turns }, { name }) => decideRemoveSubscription(all, name, turns),
	}),
};
