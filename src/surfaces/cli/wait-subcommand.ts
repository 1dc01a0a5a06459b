// `brood wait`.
import { type Command, Option } from "@commander-js/extra-typings";
import { scopedSubcommand, seconds } from "./options.ts";

export function waitSubcommand(program: Command): void {
	scopedSubcommand(program, "wait", "wait for agents to finish")
		.argument("<agents...>", "the agents")
		.addOption(
			new Option(
				"--for <condition>",
				"what to wait for: nothing left to do, a turn ended, mail arrived, or the agent ended",
			)
				.choices(["idle", "turn", "mail", "ended"] as const)
				.default("idle" as const),
		)
		.option("--all", "wait for all of them (the default)")
		.addOption(new Option("--any", "wait for the first of them").conflicts("all"))
		.option("--timeout <time>", "give up after this time (seconds, or like 10m or 2h), with exit code 124", seconds)
		.addHelpText("after", "\nExamples:\n  brood wait opus-1\n  brood wait opus-1 opus-2 --any --for turn --timeout 600")
		.action(async (agents, options) => await (await import("./wait.ts")).wait(agents, options));
}
