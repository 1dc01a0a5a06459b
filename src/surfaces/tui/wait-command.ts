// `/wait`: says when agents have nothing left to do, or another condition holds.
import type { Refused } from "#client/client.ts";
import { expected } from "#contract/log.ts";
import { conditions } from "#contract/wait.ts";
import type { SlashAnswer, SlashCommand, SlashContext } from "./slash.ts";
import { answerWhenOver } from "./wait-answer.ts";
import { numberOf, usageRefusal, type Words } from "./words.ts";

export const waitCommand: SlashCommand = {
	usage: "AGENT… [--for idle|turn|mail|ended] [--any] [--timeout SECONDS]",
	help: "say when these agents have nothing left to do, or another condition holds",
	flags: ["any"],
	waits: "Waiting …",
	cancelled: "The wait was cancelled.",
	run: waitFor,
};

async function waitFor(context: SlashContext, { words, options }: Words): Promise<SlashAnswer> {
	const { client, key, query, signal } = context;
	if (words.length === 0) throw refused();
	const condition = options.get("for") ?? "idle";
	if (!isCondition(condition)) throw refused();
	const timeout = options.get("timeout");
	const timeoutMs =
		timeout === undefined ? {} : { timeoutMs: Math.round(numberOf(timeout, "--timeout", refused) * 1000) };
	const mode = options.has("any") ? ("any" as const) : ("all" as const);
	const wait = await client.call("waitOpen", {
		key,
		body: { agents: words, for: condition, mode, ...timeoutMs, ...query },
	});
	const { id } = wait;
	context.awaits(wait.seen.map(({ agent }) => agent));
	const cancel = (): void =>
		void client
			.call("waitCancel", { key: `${key}-cancel`, params: { wait: String(id) } })
			.catch(expected("the daemon is away; nobody waits for it any more"));
	// it may have been given up before the daemon answered
	if (signal.aborted) cancel();
	else signal.addEventListener("abort", cancel);
	return await answerWhenOver(client, wait, signal);
}

const isCondition = (word: string): word is (typeof conditions)[number] => conditions.some((each) => each === word);

const refused = (problem?: string): Refused => usageRefusal(`/wait ${waitCommand.usage}`, problem);
