// Conversations: items, marks, mail, events.
import { type Command, Option } from "@commander-js/extra-typings";
import type { Item } from "#contract/wire.ts";
import { call } from "./call.ts";
import { agentSubcommand, countNumber, mailNumber, onlyProject, subcommand, wholeNumber } from "./options.ts";

export function threadSubcommands(program: Command): void {
	program.commandsGroup("Conversations:");
	logSubcommand(program);
	markSubcommands(program);
	mailSubcommands(program);
	searchSubcommand(program);
	eventsSubcommand(program);
}

function logSubcommand(program: Command): void {
	agentSubcommand(
		program,
		"log",
		"show what an agent did and said; with --context, what its model sees",
		"the agent's name or id",
	)
		.addOption(
			new Option("--context", "show what its model sees, inherited items included").conflicts([
				...["after", "since", "limit", "follow"],
			]),
		)
		.option("--item <id>", "show one item with its whole text")
		.option("--after <id>", "only items after this one", wholeNumber)
		.option("--since <time>", "only since this time: an ISO time, or an age (90s, 10m, 2h, 7d)")
		.option("-n, --limit <count>", "only the last items", countNumber)
		.option("--follow", "keep printing new items; on a terminal, text appears as it is written")
		.option("--deltas", "with --follow: print text as it is written, also if the output is not a terminal")
		.action(async (agent, options) => {
			const { followThread, itemOf, threadPart } = await import("./events.ts");
			if (options.follow === true) return await followThread(agent, options);
			const [{ act }, { agentNamed }, { LogLines }, { printPainted, terminalColumns }] = await Promise.all([
				import("./act.ts"),
				import("./directory-project.ts"),
				import("./print-log.ts"),
				import("./print.ts"),
			]);
			const { context, item } = options;
			if (item !== undefined)
				return await act(
					options,
					(cli) => itemOf(cli, agent, item),
					({ text }) => text ?? "",
				);
			await act(
				options,
				async (cli) =>
					context === true
						? await cli.client.call("context", { params: { agent: await agentNamed(cli, agent) } })
						: await threadPart(cli, agent, options),
				(items) => {
					const lines = new LogLines(terminalColumns());
					printPainted(items.map((each) => lines.painted(each)).join(""));
					return "";
				},
			);
		});
}

function markSubcommands(program: Command): void {
	const line = async (item: Item): Promise<string> => (await import("./print-thread.ts")).itemLine(item);
	agentSubcommand(program, "clear", "start a new context; earlier items stay in the journal").action((agent, options) =>
		call("clear", options, { params: { agent }, body: {} }, line),
	);
	for (const [route, description] of [
		["mark", "mark the end of the conversation, to rewind to later"],
		["rewind", "hide everything after a mark"],
	] as const)
		agentSubcommand(program, route, description)
			.argument("[name]", "the mark's name")
			.action((agent, name, options) => call(route, options, { params: { agent }, body: { name } }, line));
}

function mailSubcommands(program: Command): void {
	agentSubcommand(program, "send", "send mail to an agent", "the recipient")
		.argument("<text>", "the text")
		.option("--urgent", "interrupt a running turn as soon as none of its tool calls is open")
		.action((agent, body, { urgent = false, ...options }) =>
			call(
				"send",
				options,
				{ params: { agent }, body: { body, urgent } },
				(mail) =>
					`mail ${mail.id} accepted${urgent && !mail.urgent ? " as ordinary mail: only people and the agents above and below it may interrupt an agent" : ""}`,
			),
		);
	const mail = program.command("mail").description("check, read and delete an agent's mail");
	agentSubcommand(mail, "check", "list the mail of an agent; nothing is marked as read")
		.alias("list")
		.action((agent, options) =>
			call("mail", options, { params: { agent } }, async (mails) =>
				(await import("./print-thread.ts")).mailTable(mails),
			),
		);
	agentSubcommand(mail, "read", "print unread mail and mark it as read")
		.argument("[mail]", "only the mail with this id", mailNumber)
		.action((agent, id, options) =>
			call("mailRead", options, { params: { agent }, body: id === undefined ? {} : { mail: id } }, async (mails) =>
				(await import("./print-thread.ts")).mailLines(mails),
			),
		);
	agentSubcommand(mail, "delete", "delete a mail; the journal still shows that it was sent")
		.argument("<mail>", "the mail's id")
		.action((agent, id, options) =>
			call("mailDelete", options, { params: { agent, mail: id } }, (deleted) => `mail ${deleted.id} deleted`),
		);
}

function searchSubcommand(program: Command): void {
	subcommand(program, "search", "search conversations for items with all of these words, newest first")
		.argument("<text>", "the words; `pars*` matches every word that begins with it")
		.option("--agent <agent>", "only of this agent")
		.addOption(onlyProject())
		.option("-n, --limit <count>", "the maximum number of hits", countNumber, 20)
		.action((text, { agent, limit, ...options }) =>
			call("search", options, { query: { text, limit, agent: agent || undefined } }, async (found) =>
				(await import("./print-thread.ts")).foundLines(found),
			),
		);
}

function eventsSubcommand(program: Command): void {
	subcommand(program, "events", "print the journal, the record of everything that happened")
		.option("--after <id>", "only events after this one", wholeNumber, 0)
		.option("--agent <agent>", "only of this agent")
		.option("--kind <kind>", "only this kind (turn.ended) or noun (turn); separate several with commas")
		.option("--since <time>", "only since this time: an ISO time, or an age (90s, 10m, 2h, 7d)")
		.option("--follow", "keep printing new events")
		.option("--deltas", "with --follow: also text as it is written, before it is an item")
		.addOption(new Option("--project <slug>", "only this project; with --agent, look for its name there first"))
		.action(async (options) => await (await import("./events.ts")).events(options));
}
