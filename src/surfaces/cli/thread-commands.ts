// Conversations: items, marks, mail, events.
import { type Command, Option } from "@commander-js/extra-typings";
import type { Options } from "./act.ts";
import { json, project, whole } from "./options.ts";

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
	for (const [name, description] of [
		["clear", "begin a new context; nothing is deleted"],
		["mark", "name a place in the context"],
		["rewind", "go back to a mark"],
	] as const) {
		const command = program
			.command(name)
			.description(description)
			.argument("<agent>", "whose")
			.addOption(project())
			.addOption(json());
		if (name === "clear") command.action((agent, options) => write(name, agent, options, {}));
		else
			command
				.argument("[name]", "the mark's name")
				.action((agent, mark, options) => write(name, agent, options, mark === undefined ? {} : { name: mark }));
	}
}

async function write(route: "clear" | "mark" | "rewind", agent: string, options: Options, body: object): Promise<void> {
	const [{ act }, { itemLine }] = await Promise.all([import("./act.ts"), import("./print-thread.ts")]);
	await act(options, ({ client, key, query }) => client.ask(route, { key, query, params: { agent }, body }), itemLine);
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
		.action(async (agent, body, options) => {
			const { act } = await import("./act.ts");
			const urgent = options.urgent === true;
			await act(
				options,
				({ client, key, query }) => client.call("send", { key, query, params: { agent }, body: { body, urgent } }),
				(mail) =>
					`mail ${mail.id} accepted${urgent && !mail.urgent ? " as ordinary mail: only people and the agents above and below it may interrupt an agent" : ""}`,
			);
		});
	const mail = program.command("mail").description("an agent's mailbox");
	for (const [name, description] of [
		["check", "what is in it"],
		["read", "take what has not been read"],
	] as const) {
		mail
			.command(name)
			.description(description)
			.argument("<agent>", "whose")
			.addOption(project())
			.addOption(json())
			.action(async (agent, options) => {
				const [{ act }, { mailLines, mailTable }] = await Promise.all([
					import("./act.ts"),
					import("./print-thread.ts"),
				]);
				const params = { agent };
				await act(
					options,
					({ client, key, query }) =>
						name === "check"
							? client.call("mail", { query, params })
							: client.call("mailRead", { key, query, params, body: {} }),
					name === "check" ? mailTable : mailLines,
				);
			});
	}
	mail
		.command("delete")
		.description("take one out of it for good; the journal keeps that it was sent")
		.argument("<agent>", "whose")
		.argument("<mail>", "its id")
		.addOption(project())
		.addOption(json())
		.action(async (agent, id, options) => {
			const { act } = await import("./act.ts");
			await act(
				options,
				({ client, key, query }) => client.call("mailDelete", { key, query, params: { agent, mail: id } }),
				(gone) => `mail ${gone.id} deleted`,
			);
		});
}

function searchCommand(program: Command): void {
	program
		.command("search")
		.description("find what was said: the items that have all of these words, newest first")
		.argument("<text>", "the words; `pars*` stands for all that begin with it")
		.option("--agent <agent>", "only of this agent")
		.addOption(new Option("--project <slug>", "only of this project"))
		.option("--limit <n>", "how many at most", Number, 20)
		.addOption(json())
		.action(async (text, options) => {
			const [{ act }, { foundLines }] = await Promise.all([import("./act.ts"), import("./print-thread.ts")]);
			const { agent, limit } = options;
			await act(
				options,
				({ client, query }) => client.call("search", { query: { ...query, text, limit, ...(agent && { agent }) } }),
				foundLines,
			);
		});
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
		.action(async (options) => {
			await (await import("./events.ts")).events(options);
		});
}
