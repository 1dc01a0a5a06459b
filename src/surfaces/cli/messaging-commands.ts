// Waiting for agents, and approvals.
import { type Command, Option } from "@commander-js/extra-typings";
import { indented } from "#contract/visible.ts";
import { call } from "./call.ts";
import { json, onlyProject, project, reason, seconds } from "./options.ts";

export function messagingCommands(program: Command): void {
	program
		.command("wait")
		.description("wait for agents")
		.argument("<agents...>", "for whom")
		.addOption(
			new Option("--for <condition>", "what has to have happened")
				.choices(["idle", "turn", "mail", "ended"] as const)
				.default("idle" as const),
		)
		.option("--all", "of all of them (the default)")
		.addOption(new Option("--any", "of any one of them").conflicts("all"))
		.option("--timeout <seconds>", "how long; exit 124 if it was not long enough", seconds)
		.addHelpText("after", "\nExamples:\n  brood wait opus-1\n  brood wait opus-1 opus-2 --any --for turn --timeout 600")
		.addOption(project())
		.addOption(json())
		.action(async (agents, options) => await (await import("./wait.ts")).wait(agents, options));
	program
		.command("mcp")
		.description("the tools for agents, over standard input and output; an agent's process starts it")
		.action(async () => {
			const { serveTools } = await import("#surfaces/mcp/stdio.ts");
			const { BROOD_URL: url, BROOD_TOKEN: token, BROOD_AGENT: agent } = process.env;
			if (serveTools({ url, token, agent })) return;
			(await import("./print.ts")).printToStderr(
				"brood: The tools are for agents: a daemon starts this with BROOD_URL, BROOD_TOKEN and BROOD_AGENT.",
			);
			process.exitCode = 2;
		});
	approvalCommands(program.command("approval").description("approve or deny what agents ask for"));
}

function approvalCommands(approval: Command): void {
	approval
		.command("list")
		.description("pending approvals, oldest first")
		.option("--agent <agent>", "only of this agent")
		.addOption(onlyProject())
		.addOption(json())
		.action(({ agent, ...options }) =>
			call("approvals", options, { query: { agent: agent || undefined } }, async (approvals) =>
				(await import("./print-approvals.ts")).approvalTable(approvals),
			),
		);
	approval
		.command("show")
		.description("show the whole question: the command, the change of each file")
		.argument("<approval>", "its id")
		.addOption(json())
		.action((id, options) =>
			call("approval", options, { params: { approval: id } }, async (found) =>
				(await import("./print-approvals.ts")).approvalLines(found),
			),
		);
	for (const name of ["allow", "deny"])
		approval
			.command(name)
			.description(`${name} it`)
			.argument("<approval>", "its id")
			.option("--always", "and the same question from now on, without asking")
			.addOption(reason())
			.addOption(json())
			.action((id, { always = false, reason: why, ...options }) =>
				call(
					"approvalAnswer",
					options,
					{ params: { approval: id }, body: { allow: name === "allow", always, reason: why } },
					(answered) => `${answered.state}: ${indented(answered.title, "  | ")}`,
				),
			);
}
