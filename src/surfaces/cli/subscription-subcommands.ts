// Subscriptions: paid plans and keys, each with a number of slots.
import path from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import type { Credential } from "#contract/subscription.ts";
import type { Subscription } from "#contract/wire.ts";
import { call } from "./call.ts";
import { env, subcommand, wholeNumber } from "./options.ts";

export function subscriptionSubcommands(program: Command): void {
	const subscription = program
		.command("subscription")
		.description("add and configure paid plans and keys, each with a number of slots");
	withTerms(subscription, "add", "add a subscription; from then on, agents of its type need one of its slots")
		.requiredOption("--type <type>", "the agent type that it is for")
		.addHelpText(
			"after",
			"\nExamples:\n  brood subscription add claude-max --type claude --max-concurrent 2\n  brood subscription add work --type claude --env ANTHROPIC_API_KEY\n  brood subscription add spare --type claude --env-file ~/.keys/spare.env\n  brood subscription configure claude-max --fallback spare --quiet 22:00-07:00",
		)
		.action((name, { json: asJson, type, ...request }) =>
			call(
				"subscriptionAdd",
				{ json: asJson },
				async () => ({ body: { name, type, ...(await bodyOf(request, type)) } }),
				table,
			),
		);
	withTerms(subscription, "configure", "change a subscription; settings you do not name stay as they are").action(
		(subscription, { json: asJson, ...request }) =>
			call(
				"subscriptionConfigure",
				{ json: asJson },
				async () => ({ params: { subscription }, body: await bodyOf(request) }),
				table,
			),
	);
	lookSubcommands(subscription);
	subcommand(subscription, "cool", "start no turns on a subscription for a while: a cool-down")
		.argument("<subscription>", "the subscription's name")
		.option("--until <time>", "an ISO time, or a delay (90s, 10m, 2h, 7d)")
		.option("--over", "end the cool-down now")
		.action((subscription, { until, over, ...options }) =>
			call(
				"subscriptionCool",
				options,
				async () => {
					const [{ timeOf }, { UsageError }] = await Promise.all([import("./time.ts"), import("./print.ts")]);
					if ((until === undefined) === (over === undefined))
						throw new UsageError("Use --until TIME, or --over to end the cool-down.");
					return { params: { subscription }, body: { until: until === undefined ? null : timeOf(until, "later") } };
				},
				table,
			),
		);
	subcommand(subscription, "remove", "remove a subscription that no open turn uses")
		.argument("<subscription>", "the subscription's name")
		.action((subscription, options) => call("subscriptionRemove", options, { params: { subscription } }, table));
}

const table = async (changed: Subscription): Promise<string> =>
	(await import("./print-subscriptions.ts")).subscriptionTable([changed]);

function lookSubcommands(subscription: Command): void {
	subcommand(subscription, "list", "list subscriptions and their slots").action((options) =>
		call("subscriptions", options, {}, async (all) =>
			(await import("./print-subscriptions.ts")).subscriptionTable(all),
		),
	);
	subcommand(subscription, "show", "show everything about one subscription")
		.argument("<subscription>", "the subscription's name")
		.action((name, options) =>
			call("subscription", options, { params: { subscription: name } }, async (found) =>
				(await import("./print-subscriptions.ts")).subscriptionDetails(found),
			),
		);
}

const withTerms = (parent: Command, name: string, description: string) =>
	subcommand(parent, name, description)
		.argument("<subscription>", "the subscription's name")
		.option(
			"--max-concurrent <number>",
			"how many turns may run on it at the same time; 3 if it was never given",
			wholeNumber,
		)
		.addOption(env().conflicts(["envFile", "variables", "configDir"]))
		.addOption(
			new Option("--env-file <file>", "a file with variables for its agents, such as an API key; mode 0600").conflicts(
				"configDir",
			),
		)
		.addOption(
			// an installed Brood does not get to see --env-file if there is no such file: Node takes it for its own
			new Option("--variables <file>", "the same as --env-file, for a file that only another node has").conflicts([
				"envFile",
				"configDir",
			]),
		)
		.option("--config-dir <folder>", "the folder in which the vendor's program keeps its login")
		.addOption(
			new Option("--node <node>", "the node that has the file or the folder; default: the one you ask").conflicts(
				"env",
			),
		)
		.option("--fallback <subscription>", "the subscription to use while this one cools down; empty for none")
		.option("--quiet <hours>", "hours without new turns, like 22:00-07:00; empty for none");

interface SubscriptionOptions {
	maxConcurrent?: number | undefined;
	env?: string[] | undefined;
	envFile?: string | undefined;
	variables?: string | undefined;
	configDir?: string | undefined;
	node?: string | undefined;
	fallback?: string | undefined;
	quiet?: string | undefined;
}

/** With the type of a new subscription, keys of this shell are offered. */
async function bodyOf(options: SubscriptionOptions, type?: string) {
	const { maxConcurrent, env, variables, envFile = variables, configDir, node, fallback, quiet } = options;
	const [{ hoursOf }, { keysFor }] = await Promise.all([import("./time.ts"), import("./shell-keys.ts")]);
	const credential: Credential | undefined = envFile
		? { envFile: path.resolve(envFile) }
		: configDir === undefined
			? undefined
			: { configDir: path.resolve(configDir) };
	const offered = credential === undefined && node === undefined ? type : undefined;
	const keys = await keysFor(offered, env);
	return { maxConcurrent, credential, keys, node, fallback: fallback === "" ? null : fallback, quiet: hoursOf(quiet) };
}
