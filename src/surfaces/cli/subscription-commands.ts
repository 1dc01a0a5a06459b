// Subscriptions: paid plans and keys, each with a number of slots.
import path from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import type { Credential } from "#contract/subscription.ts";
import type { Subscription } from "#contract/wire.ts";
import { call } from "./call.ts";
import { json } from "./options.ts";

export function subscriptionCommands(program: Command): void {
	const subscription = program.command("subscription").description("paid plans and keys, each with a number of slots");
	terms(
		subscription
			.command("add")
			.description("add a subscription; agents of its type need one of its slots from then on"),
	)
		.requiredOption("--type <type>", "the agent type that it is for")
		.addHelpText(
			"after",
			"\nExamples:\n  brood subscription add claude-max --type claude --max-concurrent 2\n  brood subscription add spare --type claude --env-file ~/.keys/spare.env\n  brood subscription configure claude-max --fallback spare --quiet 22:00-07:00",
		)
		.action((name, { json: asJson, type, ...request }) =>
			call(
				"subscriptionAdd",
				{ json: asJson },
				async () => ({ body: { name, type, ...(await bodyOf(request)) } }),
				table,
			),
		);
	terms(
		subscription.command("configure").description("change a subscription; what is not named stays as it is"),
	).action((subscription, { json: asJson, ...request }) =>
		call(
			"subscriptionConfigure",
			{ json: asJson },
			async () => ({ params: { subscription }, body: await bodyOf(request) }),
			table,
		),
	);
	lookCommands(subscription);
	subscription
		.command("cool")
		.description("start no turns on it for a while")
		.argument("<subscription>", "its name")
		.option("--until <time>", "an ISO time, or how long from now (90s, 10m, 2h, 7d)")
		.option("--over", "it has cooled down: go on")
		.addOption(json())
		.action((subscription, { until, over, ...options }) =>
			call(
				"subscriptionCool",
				options,
				async () => {
					const [{ timeOf }, { UsageError }] = await Promise.all([import("./time.ts"), import("./print.ts")]);
					if ((until === undefined) === (over === undefined)) throw new UsageError("Say --until when, or --over.");
					return { params: { subscription }, body: { until: until === undefined ? null : timeOf(until, "later") } };
				},
				table,
			),
		);
	subscription
		.command("remove")
		.description("remove a subscription that no open turn uses")
		.argument("<subscription>", "its name")
		.addOption(json())
		.action((subscription, options) => call("subscriptionRemove", options, { params: { subscription } }, table));
}

const table = async (changed: Subscription): Promise<string> =>
	(await import("./print-subscriptions.ts")).subscriptionTable([changed]);

function lookCommands(subscription: Command): void {
	subscription
		.command("list")
		.description("all subscriptions with their slots")
		.addOption(json())
		.action((options) =>
			call("subscriptions", options, {}, async (all) =>
				(await import("./print-subscriptions.ts")).subscriptionTable(all),
			),
		);
	subscription
		.command("show")
		.description("everything about one subscription")
		.argument("<subscription>", "its name")
		.addOption(json())
		.action((name, options) =>
			call("subscription", options, { params: { subscription: name } }, async (found) =>
				(await import("./print-subscriptions.ts")).subscriptionDetails(found),
			),
		);
}

const terms = (command: Command) =>
	command
		.argument("<subscription>", "its name")
		.option("--max-concurrent <number>", "how many turns may run on it at one time; 1 if nothing is said", Number)
		.addOption(
			new Option("--env-file <file>", "variables for its agents, from a file that only you can read (0600)").conflicts(
				"configDir",
			),
		)
		.option("--config-dir <folder>", "the folder in which the vendor's program keeps its login")
		.option("--fallback <subscription>", "what its agents use while it cools down; empty for nothing")
		.option("--quiet <hours>", "when no new turns start, like 22:00-07:00; empty for never")
		.addOption(json());

interface SubscriptionOptions {
	maxConcurrent?: number | undefined;
	envFile?: string | undefined;
	configDir?: string | undefined;
	fallback?: string | undefined;
	quiet?: string | undefined;
}

async function bodyOf({ maxConcurrent, envFile, configDir, fallback, quiet }: SubscriptionOptions) {
	const { hoursOf } = await import("./time.ts");
	const credential: Credential | undefined = envFile
		? { envFile: path.resolve(envFile) }
		: configDir === undefined
			? undefined
			: { configDir: path.resolve(configDir) };
	return { maxConcurrent, credential, fallback: fallback === "" ? null : fallback, quiet: hoursOf(quiet) };
}
