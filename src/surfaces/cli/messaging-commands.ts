// Waiting for agents, and answering what they ask.
import { type Command, Option } from "@commander-js/extra-typings";
import { indented } from "#contract/visible.ts";
import { json, project, reason, seconds } from "./options.ts";

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
		.action(async (agents, options) => {
			const { wait } = await import("./wait.ts");
			await wait(agents, options);
		});
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
		.addOption(new Option("--project <slug>", "only of this project"))
		.addOption(json())
		.action(async (options) => {
			const [{ act }, { approvalTable }] = await Promise.all([import("./act.ts"), import("./print-approvals.ts")]);
			await act(
				options,
				({ client, query }) =>
					client.call("approvals", { query: { ...query, ...(options.agent && { agent: options.agent }) } }),
				approvalTable,
			);
		});
	approval
		.command("show")
		.description("show the whole question: the command, the change of each file")
		.argument("<approval>", "its id")
		.addOption(json())
		.action(async (id, options) => {
			const [{ act }, { approvalLines }] = await Promise.all([import("./act.ts"), import("./print-approvals.ts")]);
			await act(options, ({ client }) => client.call("approval", { params: { approval: id } }), approvalLines);
		});
	for (const [name, description] of [
		["allow", "allow it"],
		["deny", "deny it"],
	] as const) {
		approval
			.command(name)
			.description(description)
			.argument("<approval>", "its id")
			.option("--always", "and the same question from now on, without asking")
			.addOption(reason())
			.addOption(json())
			.action(async (id, options) => {
				const { act } = await import("./act.ts");
				const body = { allow: name === "allow", always: options.always === true, reason: options.reason };
				await act(
					options,
					({ client, key }) => client.call("approvalAnswer", { key, params: { approval: id }, body }),
					(answered) => `${answered.state}: ${indented(answered.title, "  | ")}`,
				);
			});
	}
}
