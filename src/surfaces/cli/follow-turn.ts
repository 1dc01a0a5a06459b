// Follows a prompt until its turn ends: prints what the agent does, and lets a person answer its questions in place.

import { type Client, Refused } from "#client/client.ts";
import { dataOf } from "#contract/event-data.ts";
import { fullName } from "#contract/full-name.ts";
import { isItem } from "#contract/item-kinds.ts";
import { refuse } from "#contract/refusal.ts";
import { inline } from "#contract/visible.ts";
import type { Agent, Prompt, Turn } from "#contract/wire.ts";
import { continueCommand } from "#views/holds.ts";
import { answerApproval } from "./answer-approval.ts";
import { reconnect } from "./connect.ts";
import { howToLogInIfNot } from "./default-type.ts";
import type { LiveConversation } from "./live-conversation.ts";

export interface Follow {
	/** null: print nothing */
	live: LiveConversation | null;
	/** somebody is there to answer questions */
	interactive: boolean;
	/** null: print no hints */
	say: ((text: string) => void) | null;
}

/**
 * Resolves with a prompt's turn when it has ended. Restarts a daemon that dies meanwhile: it knows how the turn ended.
 */
export async function followTurn(client: Client, prompt: Prompt, { live, interactive, say }: Follow): Promise<Turn> {
	const { id, agent } = prompt;
	const stop = new AbortController();
	let isCurrent = false;
	const ended = async (): Promise<Turn | undefined> =>
		(await client.call("turns", { params: { agent }, query: { after: id } })).findLast(
			(turn) => turn.prompt === id && turn.state !== "open",
		);
	try {
		const first = await ended();
		if (first !== undefined && live === null) return first;
		if (first === undefined) await answerEarlier(client, prompt, { interactive, say });
		for await (const message of client.follow(
			{ agent, after: id - 1, deltas: live !== null },
			stop.signal,
			reconnect,
		)) {
			// starting the daemon again would overwrite the line that is being written
			if ("lost" in message) live?.endPiece();
			// before this point the stream replays old events, and deltas would come in between
			if ("upTo" in message) isCurrent = true;
			if ("delta" in message && isCurrent) live?.piece(message.delta);
			if ("soFar" in message) live?.soFar(message.soFar);
			if (!("event" in message)) continue;
			const { event } = message;
			if (isItem(event)) live?.item(event);
			// one that the policy has answered needs nobody
			if (event.kind === "approval.asked" && dataOf(event, event.kind)?.answer === undefined) {
				live?.endPiece();
				await answerApproval(client, event.id, { interactive, say });
			}
			if (["agent.held", "prompt.returned", "turn.ended"].includes(event.kind)) await startable(client, prompt);
			if (event.kind !== "turn.ended") continue;
			const turn = await ended();
			// a turn that never handed its prompt over is followed by another
			if (turn !== undefined && !(await isQueued(client, prompt))) return turn;
		}
		throw new Error("the event stream ended");
	} finally {
		stop.abort();
	}
}

/** A turn before this prompt's may wait for an answer, and the prompt with it. */
async function answerEarlier(client: Client, { id, agent }: Prompt, how: Omit<Follow, "live">): Promise<void> {
	const earlier = (await client.call("approvals", { query: { agent } })).filter((asked) => asked.id < id);
	if (earlier.length > 0) how.say?.(`Prompt ${id} waits: the turn before it needs an answer.`);
	for (const asked of earlier) await answerApproval(client, asked.id, how);
}

const isQueued = async (client: Client, { id, agent }: Pick<Prompt, "id" | "agent">): Promise<boolean> =>
	(await client.call("queue", { params: { agent } })).some((waiting) => waiting.id === id);

/** A held agent's prompt waits for a person, so following it would never end. */
export async function startable(client: Client, prompt: Pick<Prompt, "id" | "agent">): Promise<void> {
	const found = await client.call("agent", { params: { agent: prompt.agent }, query: {} });
	if (found.holds.length === 0 || !(await isQueued(client, prompt))) return;
	const why = found.holds.map(({ kind, reason }) => inline(reason || kind).replace(/\.$/, "")).join("; ");
	const login = await loginHint(client, found);
	throw new Refused(
		refuse(
			"AGENT_INVALID_STATE",
			`${found.handle} is held and does not start prompt ${prompt.id}: ${why}.${login === null ? "" : ` ${login}`}`,
			{ suggestions: [`brood agent status ${fullName(found)}`, ...otherModel(found), continueCommand(found)] },
		),
	);
}

/** Where the model that was chosen is what the process refused, only another one helps. */
const otherModel = (agent: Agent): string[] =>
	agent.model !== null && agent.holds.some(({ reason }) => reason.includes(`model ${agent.model}`))
		? [`brood agent configure ${fullName(agent)} --model …`]
		: [];

/** How to log in, for an agent whose process does not start because it is not logged in. */
async function loginHint(client: Client, { type, lastError }: Agent): Promise<string | null> {
	if (lastError?.code !== "PROCESS_FAILED" || lastError.step !== "process") return null;
	const words = await howToLogInIfNot(client, type);
	return words === null ? null : `${words} Then let the agent continue.`;
}
