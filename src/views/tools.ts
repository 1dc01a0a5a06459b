// What a tool of `contract/tools.ts` asks of the daemon, and the answer in words for a model, with the same as data beside it.
import { quote } from "#contract/quote.ts";
import type { RefusalCode } from "#contract/refusal.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { AnswerOf, Call } from "#contract/routes.ts";
import { type ToolInput, type ToolName, tools } from "#contract/tools.ts";
import type { Agent, Wait } from "#contract/wire.ts";
import { rendered } from "#domain/mail.ts";

export interface ToolAnswer {
	text: string;
	data: Record<string, unknown>;
}

export interface Hands {
	/** the id of the agent that uses the tool */
	self: string;
	call: Call;
	/** no longer waits once it is aborted */
	stopped?: { readonly aborted: boolean };
}

export async function useTool(name: ToolName, input: unknown, hands: Hands): Promise<ToolAnswer | Refusal> {
	const parsed = tools[name].input.safeParse(input ?? {});
	if (!parsed.success) return refuse("VALIDATION_ERROR", parsed.error.issues.map(({ path, message }) => `${path.join(".") || name}: ${message}`).join("; "));
	// each entry takes what the schema of its own name lets through
	const use: (hands: Hands, input: never) => Promise<ToolAnswer | Refusal> = uses[name];
	return await Reflect.apply(use, undefined, [hands, parsed.data]);
}

/** A refusal as a model is told it. */
export const refusalText = ({ code, message }: { code: RefusalCode; message: string }): string => `${code}: ${message}`;

const uses: { [T in ToolName]: (hands: Hands, input: ToolInput<T>) => Promise<ToolAnswer | Refusal> } = {
	fork: async ({ self, call }, { inherit, tokens, ...wish }) =>
		told(await call("fork", { params: { agent: self }, body: { ...wish, fresh: !inherit, ...(tokens !== undefined && { budget: { tokens } }) } }), (child) => ({
			text: `Your child is ${child.handle} (id ${child.id}), ${child.label}.`,
			data: { id: child.id, handle: child.handle, label: child.label },
		})),
	kill: async ({ call }, { agent, ...body }) => told(await call("kill", { params: { agent }, body }), ended),
	interrupt: async ({ call }, { agent, ...body }) =>
		told(await call("interrupt", { params: { agent }, body }), (stopped) => ({
			text: `${stopped.handle} was stopped; it is ${stopped.label}.`,
			data: brief(stopped),
		})),
	send: async ({ call }, { agent, ...body }) =>
		told(await call("send", { params: { agent }, body }), ({ id, to, state, urgent }) => ({
			text: `Mail ${id} was accepted${body.urgent === true && !urgent ? ` as ordinary mail, which waits: ${onlyRelated}` : ""}.`,
			data: { id, to, state, urgent },
		})),
	check_mail: async ({ self, call }) => told(await call("mail", { params: { agent: self } }), mailbox),
	read_mail: async ({ self, call }, body) =>
		told(await call("mailRead", { params: { agent: self }, body }), (mails) => ({
			text: mails.length === 0 ? "No unread mail." : mails.map(rendered).join("\n\n"),
			data: { mails: mails.map(({ id, from, body: words, sentAt }) => ({ id, from, body: words, sentAt })) },
		})),
	wait,
	list_agents: async ({ self, call }) =>
		told(await call("agents", {}), (agents) => ({
			text: agents
				.map((agent) => `${agent.handle} (${agent.id})${agent.id === self ? ", you" : ""}: ${agent.type}, ${agent.label}, queue ${agent.queueLength}`)
				.join("\n"),
			data: {
				agents: agents.map((agent) => ({ ...brief(agent), supervisor: agent.supervisor, queueLength: agent.queueLength, unreadMail: agent.unreadMail })),
			},
		})),
	queue_prompt: async ({ call }, { agent, ...body }) =>
		told(await call("prompt", { params: { agent }, body }), ({ id, position }) => ({
			text: position === 0 ? `Prompt ${id} is being run.` : `Prompt ${id} is number ${position} in the queue.`,
			data: { id, position },
		})),
	commit: async ({ self, call }, body) =>
		told(await call("commit", { params: { agent: self }, body }), ({ commit, branch, files, left }) => ({
			text: [
				`Committed ${commit} on ${branch}.`,
				...files.map((file) => `${file.status} ${file.path}`),
				...left.map((file) => `left: ${file.path} (${file.reason})`),
			].join("\n"),
			data: { commit, branch, files, left },
		})),
	diff: async ({ self, call }, query) =>
		told(await call("diff", { params: { agent: self }, query }), ({ against, files, patch, truncated }) => ({
			text: files.length === 0 ? `Nothing differs from ${against}.` : shortened(patch),
			data: { against, files, truncated: truncated || patch.length > patchLengthMax },
		})),
	work_complete: async ({ call }, body) => told(await call("workComplete", { params: mine, body }), (issue) => aboutIssue(issue, "The stage is complete.")),
	comment: async ({ call }, body) => told(await call("issueComment", { params: mine, body }), (issue) => aboutIssue(issue, "Your comment was kept.")),
	stage_message: async ({ call }, body) => told(await call("issueMessage", { params: mine, body }), (issue) => aboutIssue(issue, "Your note was kept.")),
	search: async ({ call }, query) =>
		told(await call("search", { query }), ({ found, complete }) => ({
			text:
				[
					...found.map(({ id, handle, kind, snippet }) => quote(`item ${id}, ${kind} of ${handle}`, snippet)),
					...(complete ? [] : ["(the newest items are not searched yet)"]),
				].join("\n") || "Nothing was found.",
			data: { found: found.map(({ id, agent, handle, kind, at, snippet }) => ({ id, agent, handle, kind, at, snippet })), complete },
		})),
};

/** The issue that the agent works on. */
const mine = { issue: "mine" };

const aboutIssue = ({ project, number, stage }: { project: string; number: number; stage: string }, words: string): ToolAnswer => ({
	text: `${words} ${project}#${number} is in stage ${stage}.`,
	data: { project, number, stage },
});

/** Inside of its turn where the agent can wait there; any other is told to end its turn. */
async function wait({ call, stopped }: Hands, { timeoutSeconds, ...wish }: ToolInput<"wait">): Promise<ToolAnswer | Refusal> {
	const body = { ...wish, ...(timeoutSeconds !== undefined && { timeoutMs: Math.round(timeoutSeconds * 1000) }) };
	let now = await call("waitOpen", { body });
	while (!isRefusal(now) && now.state === "open" && now.blocking && stopped?.aborted !== true)
		now = await call("wait", { params: { wait: String(now.id) }, query: { block: true } });
	return told(now, (over) => ({
		text: over.state === "open" ? "It has not happened yet. End your turn now: you will be continued when it has, or when the time is up." : waited(over),
		data: { id: over.id, state: over.state, seen: over.seen },
	}));
}

function waited({ state, seen }: Wait): string {
	const how = state === "met" ? "It has happened." : state === "timeout" ? "Time ran out." : "The wait was ended.";
	return [how, ...seen.map(({ handle, label, met }) => `${handle}: ${label}${met ? "" : ", not yet"}`)].join("\n");
}

const onlyRelated = "only people and the agents above and below it may interrupt an agent";

function mailbox(mails: AnswerOf<"mail">): ToolAnswer {
	const unread = mails.filter((mail) => mail.state !== "read");
	const lines = unread.map(({ id, from, urgent, body }) => `mail ${id} from ${from}${urgent ? ", urgent" : ""}, ${body.length} characters`);
	return {
		text: [`${unread.length} unread of ${mails.length}.`, ...lines].join("\n"),
		data: { mails: mails.map(({ id, from, state, urgent, sentAt }) => ({ id, from, state, urgent, sentAt })) },
	};
}

const patchLengthMax = 100_000;
const shortened = (patch: string): string => (patch.length <= patchLengthMax ? patch : `${patch.slice(0, patchLengthMax)}\n[cut: the rest is too long]`);

const ended = (agent: Agent): ToolAnswer => ({ text: `${agent.handle} has ended.`, data: brief(agent) });

const brief = ({ id, handle, type, label }: Agent) => ({ id, handle, type, label });

function told<T extends object>(answer: T | Refusal, words: (answer: T) => ToolAnswer): ToolAnswer | Refusal {
	return isRefusal(answer) ? answer : words(answer);
}
