// What Enter asks of the daemon: a line that begins with a slash is a command; every other text is a prompt.
import { Refused } from "#client/client.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Seen } from "./model.ts";
import type { SendRequest } from "./open-requests.ts";
import type { SlashAnswer, SlashContext } from "./slash.ts";
import { slashOf } from "./slash-commands.ts";
import { unwritable } from "./update.ts";

interface Submission {
	/** what is shown until the answer comes; empty for what answers at once */
	waits: string;
	cancelled?: string | undefined;
	ask: SendRequest;
	/** a prompt: whoever sends one wants to see its answer */
	isPrompt: boolean;
}

/** they ask nothing of the daemon */
const ownCommands = new Set(["agents", "check-mail", "queue", "inbox", "turns", "mouse", "follow", "help", "quit"]);

/** Why a text stays in the input; null if it can be sent. */
export function heldBack(text: string, { connection, refusal, agents }: Seen, current: AgentId): string | null {
	if (!agents.has(current)) return "Not sent: the agents are not loaded yet. Your text stays in the input.";
	const [, name = ""] = /^\/(\S+)/.exec(text) ?? [];
	const isAway = (connection === "lost" && refusal === null) || connection === "stopped";
	return isAway && !ownCommands.has(name) ? "Not sent: the daemon does not run. Your text stays in the input." : null;
}

export function submissionOf(
	text: string,
	{ agent, ...given }: Omit<SlashContext, "signal" | "awaits" | "query">,
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
			ask: (signal, awaits) => command.run({ ...given, agent, signal, awaits, query }, words),
		};
	}
	const dead = unwritable(agent);
	if (dead !== null) return new Error(dead);
	const ask = async (): Promise<SlashAnswer> => {
		const { id, position } = await given.client.call("prompt", {
			key: given.key,
			params: { agent: agent.id },
			body: { text },
		});
		return position > 1 || agent.turn !== null ? { text: "It is in the queue.", queued: id } : {};
	};
	return { waits: "", isPrompt: true, ask };
}
