// The answers of tools: text for the model, and the same as data.
import { counted } from "#contract/counted.ts";
import { quote } from "#contract/quote.ts";
import type { RefusalCode } from "#contract/refusal.ts";
import type { AnswerOf } from "#contract/routes.ts";
import type { Agent } from "#contract/wire.ts";
import { quotedMail } from "#domain/mail.ts";

export interface ToolAnswer {
	text: string;
	data: Record<string, unknown>;
}

export const refusalText = ({ code, message }: { code: RefusalCode; message: string }): string => `${code}: ${message}`;

export const forked = ({ id, handle, label }: Agent): ToolAnswer => ({
	text: `Your child is ${handle} (id ${id}), ${label}.`,
	data: { id, handle, label },
});

export const ended = ({ endedBelow, ...agent }: AnswerOf<"kill">): ToolAnswer => ({
	text: `${agent.handle} has ended${endedBelow === 0 ? "" : `, with ${endedBelow} below it`}.`,
	data: { ...brief(agent), endedBelow },
});

export const interrupted = (agent: Agent): ToolAnswer => ({
	text: `${agent.handle} was stopped; it is ${agent.label}.`,
	data: brief(agent),
});

export const sent = ({ id, to, state, urgent }: AnswerOf<"send">, asked: { urgent: boolean }): ToolAnswer => ({
	text: `Mail ${id} was accepted${asked.urgent && !urgent ? ` as ordinary mail, which waits: ${onlyRelated}` : ""}.`,
	data: { id, to, state, urgent },
});

const onlyRelated = "only people and the agents above and below it may interrupt an agent";

export function mailbox(mails: AnswerOf<"mail">): ToolAnswer {
	const unread = mails.filter((mail) => mail.state !== "read");
	const lines = unread.map(
		({ id, from, urgent, body }) => `mail ${id} from ${from}${urgent ? ", urgent" : ""}, ${body.length} characters`,
	);
	return {
		text: [`${unread.length} unread of ${mails.length}.`, ...lines].join("\n"),
		data: { mails: mails.map(({ id, from, state, urgent, sentAt }) => ({ id, from, state, urgent, sentAt })) },
	};
}

export const mailRead = (mails: AnswerOf<"mailRead">): ToolAnswer => ({
	text: mails.length === 0 ? "No unread mail." : mails.map(quotedMail).join("\n\n"),
	data: { mails: mails.map(({ id, from, body, sentAt }) => ({ id, from, body, sentAt })) },
});

export function waited({ id, state, seen }: AnswerOf<"wait">): ToolAnswer {
	const how = {
		open: "It has not happened yet. End your turn now: you will be continued when it has, or when the time is up.",
		met: "It has happened.",
		timeout: "Time ran out.",
		cancelled: "The wait was ended.",
	}[state];
	const each = seen.map(({ handle, label, met }) => `${handle}: ${label}${met ? "" : ", not yet"}`);
	return { text: [how, ...(state === "open" ? [] : each)].join("\n"), data: { id, state, seen } };
}

export const agentList = (agents: readonly Agent[], self: string): ToolAnswer => ({
	text: agents
		.map(
			({ id, handle, type, label, queueLength }) =>
				`${handle} (${id})${id === self ? ", you" : ""}: ${type}, ${label}, queue ${queueLength}`,
		)
		.join("\n"),
	data: {
		agents: agents.map((agent) => ({
			...brief(agent),
			supervisor: agent.supervisor,
			queueLength: agent.queueLength,
			unreadMail: agent.unreadMail,
		})),
	},
});

export const queued = ({ id, position }: AnswerOf<"prompt">): ToolAnswer => ({
	text: position === 0 ? `Prompt ${id} is being run.` : `Prompt ${id} is number ${position} in the queue.`,
	data: { id, position },
});

export const committed = ({ commit, branch, files, omitted }: AnswerOf<"commit">): ToolAnswer => ({
	text: [
		`Committed ${commit} on ${branch}.`,
		...files.map((file) => `${file.status} ${file.path}`),
		...omitted.map((file) => `left out: ${file.path} (${file.reason})`),
	].join("\n"),
	data: { commit, branch, files, omitted },
});

export const differing = ({ against, files, total, patch, truncated, omitted }: AnswerOf<"diff">): ToolAnswer => ({
	text: [
		files.length === 0 && omitted.length === 0 ? `Nothing differs from ${against}.` : shortened(patch),
		...(total.files > filesMax ? [`and ${counted(total.files - filesMax, "more file")} changed`] : []),
		...omitted.map((file) => `not shown: ${file.path} (${file.reason})`),
	].join("\n"),
	data: {
		against,
		files: files.slice(0, filesMax),
		total,
		omitted,
		truncated: truncated || patch.length > patchLengthMax,
	},
});

/** that are listed for a model */
const filesMax = 1000;
const patchLengthMax = 100_000;
const shortened = (patch: string): string =>
	patch.length <= patchLengthMax ? patch : `${patch.slice(0, patchLengthMax)}\n[cut: the rest is too long]`;

export const issueAnswer = (
	{ project, number, stage }: { project: string; number: number; stage: string },
	words: string,
): ToolAnswer => ({ text: `${words} ${project}#${number} is in stage ${stage}.`, data: { project, number, stage } });

export const searched = ({ found, complete }: AnswerOf<"search">): ToolAnswer => ({
	text:
		[
			...found.map(({ id, handle, kind, snippet }) => quote(`item ${id}, ${kind} of ${handle}`, snippet)),
			...(complete ? [] : ["(the newest items are not searched yet)"]),
		].join("\n") || "Nothing was found.",
	data: {
		found: found.map(({ id, agent, handle, kind, at, snippet }) => ({ id, agent, handle, kind, at, snippet })),
		complete,
	},
});

const brief = ({ id, handle, type, label }: Agent) => ({ id, handle, type, label });
