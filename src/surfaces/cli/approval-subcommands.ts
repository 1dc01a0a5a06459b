// `brood approval`: what agents ask for before they do it.
import type { Command } from "@commander-js/extra-typings";
import { indented } from "#contract/visible.ts";
import { call } from "./call.ts";
import { onlyProject, reason, subcommand } from "./options.ts";

export function approvalSubcommands(program: Command): void {
	const approval = program.command("approval").description("list, allow and deny what agents ask for");
	subcommand(approval, "list", "list pending approvals, oldest first")
		.option("--agent <agent>", "only approvals of this agent")
		.addOption(onlyProject())
		.action(({ agent, ...options }) =>
			call("approvals", options, { query: { agent: agent || undefined } }, async (approvals) =>
				(await import("./print-approvals.ts")).approvalTable(approvals),
			),
		);
	subcommand(approval, "show", "show what the agent asks for: the command, the change to each file")
		.argument("<approval>", "the approval's id")
		.action((id, options) =>
			call("approval", options, { params: { approval: id } }, async (found) =>
				(await import("./print-approvals.ts")).approvalLines(found),
			),
		);
	answerSubcommand(approval, "allow")
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
	answerSubcommand(approval, "deny").action((id, { always = false, reason: why, ...options }) =>
		call(
			"approvalAnswer",
			options,
			{ params: { approval: id }, body: { allow: false, always, reason: why } },
			(answered) => `${answered.state}: ${indented(answered.title, "  | ")}`,
		),
	);
}

const answerSubcommand = (approval: Command, name: "allow" | "deny") =>
	subcommand(approval, name, `${name} what the agent asks for`)
		.argument("<approval>", "the approval's id")
		.option("--always", "and answer the same question in the same way from now on")
		.addOption(reason("the reason, for the journal; if denied, the agent is told"));
