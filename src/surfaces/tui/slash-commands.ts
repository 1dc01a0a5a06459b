// The slash commands: the words of the command line, for the agent that is shown.
import { Refused } from "#client/client.ts";
import { counted } from "#contract/counted.ts";
import { refuse } from "#contract/refusal.ts";
import { mailLines } from "./agent-text.ts";
import { loadDiff } from "./requests.ts";
import type { SlashCommand, SlashContext } from "./slash.ts";
import { waitCommand } from "./wait-command.ts";
import { numberOf, problemOf, textOf, usageRefusal, type Words, wordsOf } from "./words.ts";

const other = ({ agent }: SlashContext, { words }: Words): string => words[0] ?? agent.id;
const named = (context: SlashContext, words: Words) => ({
	key: context.key,
	params: { agent: other(context, words) },
	query: words.words.length === 0 ? {} : context.query,
});
/** The id of an agent that was named, where it is known: review marks are kept by it. */
const idNamed = ({ seen, query }: SlashContext, name: string): string =>
	seen.agents.values().find(({ handle, project }) => handle === name && (project ?? undefined) === query.project)?.id ??
	name;
const itself = ({ agent, key }: SlashContext) => ({ key, params: { agent: agent.id } });

export const slashCommands: Readonly<Record<string, SlashCommand>> = {
	fork: {
		usage: '["prompt"] [--name NAME] [--at ITEM] [--fresh]',
		help: "make a child with this conversation and these files, and go there",
		flags: ["fresh"],
		waits: ({ turn }) => (turn === null ? "Forking …" : "Waiting for tools to complete …"),
		cancelled: "Given up: a fork that still waited is not made.",
		run: async (context, { words, typed, options }) => {
			const [name, at] = [options.get("name"), options.get("at")];
			const child = await context.client.call("fork", {
				...itself(context),
				signal: context.signal,
				body: {
					...(name !== undefined && { name }),
					...(at !== undefined && { at: numberIn("fork", "--at", at) }),
					...(options.has("fresh") && { fresh: true }),
					...(words.length > 0 && { prompt: textOf({ words, typed }) }),
				},
			});
			return { go: { from: context.agent.id, to: child.id }, text: `forked ${child.handle}` };
		},
	},
	add: {
		usage: "[NAME] [--type TYPE] [--model MODEL]",
		help: "make an agent in this project, and go there (see /follow)",
		waits: "Making its workspace …",
		run: async ({ client, agent, key, project }, { words: [name], options }) => {
			const [agentType, model] = [options.get("type"), options.get("model")];
			const body = {
				...(name !== undefined && { name }),
				...(agentType !== undefined && { agentType }),
				...(model !== undefined && { model }),
			};
			const made =
				project === null
					? await client.call("agentAdd", { key, body })
					: await client.call("agentAddTo", { key, params: { project }, body });
			return { go: { from: agent.id, to: made.id }, text: `made ${made.handle}` };
		},
	},
	kill: {
		usage: "[AGENT] [--cascade]",
		help: "end this agent or another; --cascade also ends everything below it",
		flags: ["cascade"],
		waits: "Ending its processes …",
		run: async (context, words) => {
			const { client, agent } = context;
			const killed = await client.call("kill", {
				...named(context, words),
				body: { cascade: words.options.has("cascade") },
			});
			const { id: from, supervisor: to } = agent;
			const above = killed.id === from && to !== null ? { go: { from, to } } : {};
			const below = killed.endedBelow === 0 ? "" : `, with ${counted(killed.endedBelow, "agent")} below it`;
			return { text: `${killed.handle} ended${below}`, ...above };
		},
	},
	send: {
		usage: "AGENT TEXT [--urgent]",
		help: "send mail to another agent",
		flags: ["urgent"],
		run: async (context, { words, typed, options }) => {
			const [to, text] = words;
			if (to === undefined || text === undefined) throw usage("send");
			const { client, key, query } = context;
			const body = { body: textOf({ words, typed }, 1), urgent: options.has("urgent") };
			const mail = await client.call("send", { key, params: { agent: to }, query, body });
			return { text: `mail ${mail.id} sent to ${to}` };
		},
	},
	"check-mail": { usage: "", help: "show the mail", run: async () => ({ panel: { kind: "mail", at: 0 } }) },
	"read-mail": {
		usage: "[ID]",
		help: "read the oldest unread mail, or one by its number, in the agent's place: the agent does not get it",
		run: async (context, { words: [id] }) => {
			const box = id === undefined ? await context.client.call("mail", itself(context)) : [];
			const oldest = box.find(({ state }) => state !== "read")?.id;
			const body = { mail: id === undefined ? oldest : numberIn("read-mail", "ID", id) };
			const [mail] = body.mail === undefined ? [] : await context.client.call("mailRead", { ...itself(context), body });
			if (mail === undefined) return { text: "no unread mail" };
			return { panel: { kind: "text", at: 0, title: `mail ${mail.id}`, lines: mailLines(context.seen, mail) } };
		},
	},
	clear: {
		usage: "",
		help: "begin a new context; the thread stays",
		run: async (context) => {
			await context.client.call("clear", { ...itself(context), body: {} });
			return { text: "a new context begins" };
		},
	},
	mark: {
		usage: "[NAME]",
		help: "mark the end of the conversation, to rewind to it later",
		run: async (context, { words: [name] }) => {
			await context.client.call("mark", { ...itself(context), body: name === undefined ? {} : { name } });
			return { text: `marked${name === undefined ? "" : ` ${name}`}` };
		},
	},
	rewind: {
		usage: "[NAME]",
		help: "go back to a mark",
		run: async (context, { words: [name] }) => {
			await context.client.call("rewind", { ...itself(context), body: name === undefined ? {} : { name } });
			return { text: `back at ${name ?? "the last mark"}` };
		},
	},
	agents: {
		usage: "",
		help: "show the tree of agents",
		run: async () => ({ panel: { kind: "tree", at: 0, filter: "all", words: "", collapsed: new Set() } }),
	},
	queue: { usage: "", help: "show the queue", run: async () => ({ panel: { kind: "queue", at: 0 } }) },
	inbox: { usage: "", help: "show everything that needs you", run: async () => ({ panel: { kind: "inbox", at: 0 } }) },
	turns: {
		usage: "",
		help: "show the turns, each with its diff",
		run: async () => ({ panel: { kind: "turns", at: 0 } }),
	},
	pause: {
		usage: "[AGENT]",
		help: "start no further turns",
		run: async (context, words) => {
			const { handle } = await context.client.call("pause", { ...named(context, words), body: {} });
			return { text: `${handle} is paused` };
		},
	},
	resume: {
		usage: "[AGENT]",
		help: "let a paused agent continue",
		run: async (context, words) => {
			const { handle } = await context.client.call("resume", { ...named(context, words), body: {} });
			return { text: `${handle} goes on` };
		},
	},
	recover: {
		usage: "[AGENT]",
		help: "clear error holds and repair the workspace",
		waits: "Repairing the workspace …",
		run: async (context, words) => {
			const { handle, label, holds, repaired } = await context.client.call("recover", {
				...named(context, words),
				body: {},
			});
			if (label === "error")
				return { text: `${handle} is still in error: ${holds.map(({ reason }) => reason).join(" ")}` };
			return { text: `${handle} works again. ${repaired ?? ""}`.trim() };
		},
	},
	interrupt: {
		usage: "[AGENT] [--force]",
		help: "stop the running turn; --force gives its processes no time",
		flags: ["force"],
		run: async (context, words) => {
			const body = { force: words.options.has("force") };
			const { handle } = await context.client.call("interrupt", { ...named(context, words), body });
			return { text: `the turn of ${handle} was stopped` };
		},
	},
	finish: {
		usage: "[-m] MESSAGE [--failed]",
		help: "end the turn of a human agent with this answer; --failed marks it as failed",
		flags: ["m", "failed"],
		run: async (context, { words, typed, options }) => {
			if (words.length === 0) throw usage("finish");
			const body = { message: textOf({ words, typed }), failed: options.has("failed") };
			const ended = await context.client.call("turnFinish", { ...itself(context), body });
			return { text: `turn ${ended.id} ${ended.state}` };
		},
	},
	wait: waitCommand,
	diff: {
		usage: "[AGENT]",
		help: "show what it changed, file by file",
		waits: "Reading its files …",
		run: async (context, words) => {
			const { params, query } = named(context, words);
			const agent = idNamed(context, params.agent);
			const title = `changes of ${words.words[0] ?? context.agent.handle}`;
			return { panel: await loadDiff(context.client, title, { route: "diff", agent, ...query }) };
		},
	},
	commit: {
		usage: "[-m] MESSAGE",
		help: "commit its work in its name",
		flags: ["m"],
		waits: "Committing …",
		run: async (context, { words, typed }) => {
			if (words.length === 0) throw usage("commit");
			const body = { message: textOf({ words, typed }) };
			const { commit, files } = await context.client.call("commit", { ...itself(context), body });
			return { text: `${commit.slice(0, 7)}: ${counted(files.length, "file")}` };
		},
	},
	approve: {
		usage: "[AGENT]",
		help: "merge its work into base",
		waits: "Merging …",
		run: async (context, words) => {
			const { merged } = await context.client.call("approve", { ...named(context, words), body: {} });
			return { text: `merged into ${merged.base} as ${merged.commit.slice(0, 7)}` };
		},
	},
	model: {
		usage: "[MODEL]",
		help: "use another model from the next turn on",
		run: async (context, { words: [model] }) => {
			if (model === undefined) return { text: `the model is ${context.agent.model ?? "the agent's own choice"}` };
			const { handle } = await context.client.call("configure", { ...itself(context), body: { model } });
			return { text: `${handle} uses ${model} from its next turn on` };
		},
	},
	mouse: {
		usage: "on|off",
		help: "off leaves the mouse, and so the selection, to your terminal",
		run: async (_, { words: [word] }) => ({ prefer: { mouse: isOn("mouse", word) }, text: `the mouse is ${word}` }),
	},
	follow: {
		usage: "on|off",
		help: "on goes to an agent that you fork or add, and away from one that you kill",
		run: async (_, { words: [word] }) => ({
			...{ prefer: { follow: isOn("follow", word) }, text: `following is ${word}` },
		}),
	},
	help: {
		usage: "",
		help: "show the commands (F1 shows the keys)",
		run: async () => ({ panel: { kind: "commands", at: 0 } }),
	},
	quit: { usage: "", help: "leave; agents go on", run: async () => ({ quit: true }) },
};

function isOn(name: string, word: string | undefined): boolean {
	if (word !== "on" && word !== "off") throw usage(name);
	return word === "on";
}

const numberIn = (name: string, option: string, word: string): number =>
	numberOf(word, option, (problem) => usage(name, problem));

const usage = (name: string, problem?: string): Refused =>
	usageRefusal(`/${name} ${slashCommands[name]?.usage ?? ""}`.trimEnd(), problem);

/** The command that a line names; a refusal if there is none. */
export function slashOf(line: string): { command: SlashCommand; words: Words } | Refused {
	const name = /^\/(\S*)/.exec(line)?.[1] ?? "";
	const command = slashCommands[name];
	if (command === undefined)
		return new Refused(refuse("VALIDATION_ERROR", `There is no command /${name}.`, { suggestions: ["/help"] }));
	const words = wordsOf(line, new Set(command.flags));
	const problem = problemOf(words, command.usage);
	return problem === null ? { command, words } : usage(name, problem);
}
