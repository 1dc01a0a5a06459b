// What Enter asks of the daemon: a line that begins with a slash is a command; every other text is a prompt.
import { Refused } from "#client/client.ts";
import type { SlashAnswer, SlashContext } from "./slash.ts";
import { slashOf } from "./slash-commands.ts";
import { unwritable } from "./update.ts";

interface Submission {
	/** what is shown until the answer comes; empty for what answers at once */
	waits: string;
	cancelled?: string | undefined;
	ask(signal: AbortSignal): Promise<SlashAnswer>;
	/** a prompt: whoever sends one wants to see its answer */
	isPrompt: boolean;
}

export function submissionOf(
	text: string,
	{ agent, ...given }: Omit<SlashContext, "signal" | "query">,
): Submission | Error {
	if (text.startsWith("/")) {
		const found = slashOf(text);
		if (found instanceof Refused) return found;
		const query = agent.project === null ? {} : { project: agent.project };
		const { command, words } = found;
		const { waits = "", cancelled } = command;
		return {
			waits: typeof waits === "string" ? waits : waits(agent),
			cancelled,
			isPrompt: false,
			ask: (signal) => command.run({ ...given, agent, signal, query }, words),
		};
	}
	const dead = unwritable(agent);
	if (dead !== null) return new Error(dead);
	const ask = async (): Promise<SlashAnswer> => {
		const { position } = await given.client.call("prompt", {
			key: given.key,
			params: { agent: agent.id },
			body: { text },
		});
		return position > 1 || agent.turn !== null ? { text: "It is in the queue." } : {};
	};
	return { waits: "", isPrompt: true, ask };
}
