// Waiting for agents, and approvals.
import { type Command, Option } from "@commander-js/extra-typings";
import { indented } from "#contract/visible.ts";
import { call } from "./call.ts";
import { json, onlyProject, project, reason, seconds } from "./options.ts";

export function waitAndApprovalCommands(program: Command): void {
	program
		.command("wait")
		.description("wait for agents to finish")
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
		.option("--timeout <seconds>", "give up after this time, with exit code 124", seconds)
		.addHelpText("after", "\nExamples:\n  brood wait opus-1\n  brood wait opus-1 opus-2 --any --for turn --timeout 600")
		.addOption(project())
		.addOption(json())
		.action(async (agents, options) => await (await import("./wait.ts")).wait(agents, options));
	program
		.command("mcp")
		.description("for agents: serve Brood's tools over standard input and output (MCP)")
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
		.description("list pending approvals, oldest first")
		.option("--agent <agent>", "only approvals of this agent")
		.addOption(onlyProject())
		.addOption(json())
		.action(({ agent, ...options }) =>
			call("approvals", options, { query: { agent: agent || undefined } }, async (approvals) =>
				(await import("./print-approvals.ts")).approvalTable(approvals),
			),
		);
	approval
		.command("show")
		.description("show what the agent asks for: the command, the change to each file")
		.argument("<approval>", "the approval's id")
		.addOption(json())
		.action((id, options) =>
			call("approval", options, { params: { approval: id } }, async (found) =>
				(await import("./print-approvals.ts")).approvalLines(found),
			),
		);
	answerCommand(approval, "allow")
		.option("--prefix <words>", "with --always: allow every command that begins with these words, like 'npm test'")
		.addHelpText(
			"after",
			"\nExamples:\n  brood approval allow 12\n  brood approval allow 12 --always --prefix 'npm test'",
		)
		.action(async (id, { always = false, prefix, reason: why, ...options }) => {
			const body = { allow: true, always, prefix: prefix || undefined, reason: why };
			const { allow } = await import("./answer-approval.ts");
			await allow(id, body, options);
		});
	answerCommand(approval, "deny").action((id, { always = false, reason: why, ...options }) =>
		call(
			"approvalAnswer",
			options,
			{ params: { approval: id }, body: { allow: false, always, reason: why } },
			(answered) => `${answered.state}: ${indented(answered.title, "  | ")}`,
		),
	);
}

const answerCommand = (approval: Command, name: "allow" | "deny") =>
	approval
		.command(name)
		.description(`${name} what the agent asks for`)
		.argument("<approval>", "the approval's id")
		.option("--always", "and answer the same question in the same way from now on")
		.addOption(reason())
		.addOption(json());
