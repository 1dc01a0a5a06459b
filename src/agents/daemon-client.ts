// How our own agents call the daemon that started them: with the client and the token of their process.
import { Client, fromResponse, Refused, type Send } from "#client/client.ts";
import type { Input } from "#client/input.ts";
import { waitInTurn } from "#client/wait-in-turn.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { AnswerOf, RouteName } from "#contract/routes.ts";

export interface DaemonClient {
	client: Client;
	self: string;
}

/** Null in a process that no daemon started. A request that `signal` ends rejects. */
export function daemonClient(
	{ BROOD_URL: url, BROOD_TOKEN: token, BROOD_AGENT: self }: NodeJS.ProcessEnv,
	signal?: AbortSignal,
): DaemonClient | null {
	if (url === undefined || token === undefined || self === undefined) return null;
	const send: Send = async (target, request) =>
		fromResponse(await fetch(target, { ...request, ...(signal && { signal }) }));
	return { client: new Client({ url, token }, send), self };
}

/**
 * Calls a route; rejects with the refusal's message. Without another agent in `params` it is about the caller.
 */
export async function askDaemon<N extends RouteName>(name: N, input: Input<N>): Promise<AnswerOf<N>> {
	const { client, self } = startedByDaemon();
	try {
		return await client.call(name, { params: { agent: self }, ...input });
	} catch (error) {
		throw error instanceof Refused ? new Error(`${error.refusal.code}: ${error.message}`) : error;
	}
}

/** Waits inside the turn until the wait ends; answers with its state. */
export async function waitForAgents(
	request: { agents?: string[]; children?: boolean; timeoutMs?: number },
	signal: AbortSignal,
): Promise<string> {
	const wait = await waitInTurn(startedByDaemon(signal).client.callOrRefusal, request, signal);
	if (isRefusal(wait)) throw new Error(`${wait.code}: ${wait.message}`);
	return wait.state;
}

function startedByDaemon(signal?: AbortSignal): DaemonClient {
	const daemon = daemonClient(process.env, signal);
	if (daemon === null) throw new Error("This agent was not started by a daemon.");
	return daemon;
}
