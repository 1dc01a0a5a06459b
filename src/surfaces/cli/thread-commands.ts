// Conversations: items, marks, mail, events.
import { type Command, Option } from "@commander-js/extra-typings";
import type { Item } from "#contract/wire.ts";
import { call } from "./call.ts";
import { agentCommand, itemNumber, json, onlyProject, project, whole } from "./options.ts";

export function threadCommands(program: Command): void {
	program.commandsGroup("Conversations:");
	logCommand(program);
	markCommands(program);
	mailCommands(program);
	searchCommand(program);
	eventsCommand(program);
}

function logCommand(program: Command): void {
	program
		.command("log")
		.description("an agent's thread")
		.argument("<agent>", "whose")
		.option("--context", "what its model sees instead")
		.option("--item <id>", "one item, with its whole text")
		.option("--after <id>", "only items after this one", whole)
		.option("--since <time>", "only from this time on: an ISO time, or how long ago (90s, 10m, 2h, 7d)")
		.option("-n, --number <count>", "only the last ones", whole)
		.option("--follow", "go on with what is said from now on; on a terminal as it is being said")
		.option("--deltas", "with --follow: what is being said also where the output is no terminal")
		.addOption(project())
		.addOption(json())
		.action(async (agent, options) => {
			const { followThread, itemOf, threadPart } = await import("./events.ts");
			if (options.follow === true) return await followThread(agent, options);
			const [{ act }, { itemLine }] = await Promise.all([import("./act.ts"), import("./print-thread.ts")]);
			const { context, item } = options;
			if (item !== undefined)
				return await act(
					options,
					(cli) => itemOf(cli, agent, item),
					({ text }) => text ?? "",
				);
			await act(
				options,
				(cli) =>
					context === true
						? cli.client.call("context", { query: cli.query, params: { agent } })
						: threadPart(cli, agent, options),
				(items) => items.map(itemLine).join("\n"),
			);
		});
}

function markCommands(program: Command): void {
	const line = async (item: Item): Promise<string> => (await import("./print-thread.ts")).itemLine(item);
	agentCommand(program, "clear", "begin a new context; nothing is deleted").action((agent, options) =>
		call("clear", options, { params: { agent }, body: {} }, line),
	);
	for (const [route, description] of [
		["mark", "name a place in the context"],
		["rewind", "go back to a mark"],
	] as const)
		agentCommand(program, route, description)
			.argument("[name]", "the mark's name")
			.action((agent, name, options) => call(route, options, { params: { agent }, body: { name } }, line));
}

function mailCommands(program: Command): void {
	program
		.command("send")
		.description("send a mail")
		.argument("<agent>", "to whom")
		.argument("<text>", "the mail")
		.option("--urgent", "stop a running turn between two tool calls for it")
		.addOption(project())
		.addOption(json())
		.action((agent, body, { urgent = false, ...options }) =>
			call(
				"send",
				options,
				{ params: { agent }, body: { body, urgent } },
				(mail) =>
					`mail ${mail.id} accepted${urgent && !mail.urgent ? " as ordinary mail: only people and the agents above and below it may interrupt an agent" : ""}`,
			),
		);
	const mail = program.command("mail").description("an agent's mailbox");
	agentCommand(mail, "check", "what is in it").action((agent, options) =>
		call("mail", options, { params: { agent } }, async (mails) => (await import("./print-thread.ts")).mailTable(mails)),
	);
	agentCommand(mail, "read", "take what has not been read")
		.argument("[mail]", "only this one, by its id", itemNumber)
		.action((agent, id, options) =>
			call("mailRead", options, { params: { agent }, body: id === undefined ? {} : { mail: id } }, async (mails) =>
				(await import("./print-thread.ts")).mailLines(mails),
			),
		);
	agentCommand(mail, "delete", "take one out of it for good; the journal keeps that it was sent")
		.argument("<mail>", "its id")
		.action((agent, id, options) =>
			call("mailDelete", options, { params: { agent, mail: id } }, (deleted) => `mail ${deleted.id} deleted`),
		);
}

function searchCommand(program: Command): void {
	program
		.command("search")
		.description("find what was said: the items that have all of these words, newest first")
		.argument("<text>", "the words; `pars*` stands for all that begin with it")
		.option("--agent <agent>", "only of this agent")
		.addOption(onlyProject())
		.option("--limit <n>", "how many at most", Number, 20)
		.addOption(json())
		.action((text, { agent, limit, ...options }) =>
			call("search", options, { query: { text, limit, agent: agent || undefined } }, async (found) =>
				(await import("./print-thread.ts")).foundLines(found),
			),
		);
}

function eventsCommand(program: Command): void {
	program
		.command("events")
		.description("the journal")
		.option("--after <id>", "only what came after this event", whole, 0)
		.option("--agent <agent>", "only of this agent")
		.option("--kind <kind>", "only of this kind (turn.ended), or of this noun (turn); several with commas")
		.option("--since <time>", "only from this time on: an ISO time, or how long ago (90s, 10m, 2h, 7d)")
		.option("--follow", "go on with what happens from now on")
		.option("--deltas", "with --follow: also what is being said, before it is an item")
		.addOption(new Option("--project <slug>", "only of this project; with --agent, where its name is looked for first"))
		.addOption(json())
		.action(async (options) => await (await import("./events.ts")).events(options));
}
