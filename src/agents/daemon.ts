// How our own agents reach the daemon that started them: with the client, and the token of their process.
import { type Answer, Client, fromResponse, type Input, Refused, type Send } from "#client/client.ts";
import type { RouteName } from "#contract/routes.ts";

export interface Door {
	client: Client;
	self: string;
}

/** Null in a process that no daemon started. A request that `signal` ends rejects. */
export function doorOf(
	{ BROOD_URL: url, BROOD_TOKEN: token, BROOD_AGENT: self }: NodeJS.ProcessEnv,
	signal?: AbortSignal,
): Door | null {
	if (url === undefined || token === undefined || self === undefined) return null;
	const send: Send = async (target, request) =>
		fromResponse(await fetch(target, { ...request, ...(signal && { signal }) }));
	return { client: new Client({ url, token }, send), self };
}

/**
 * Asks for something; rejects with the daemon's own sentence. Without another agent in `params` it is about the caller.
 */
export async function askDaemon<N extends RouteName>(
	name: N,
	input: Input<N>,
	signal?: AbortSignal,
): Promise<Answer<N>> {
	const door = doorOf(process.env, signal);
	if (door === null) throw new Error("This agent was not started by a daemon.");
	try {
		return await door.client.call(name, { params: { agent: door.self }, ...input });
	} catch (error) {
		throw error instanceof Refused ? new Error(`${error.refusal.code}: ${error.message}`) : error;
	}
}

/** Waits inside the turn for as long as it takes; answers with how it ended. */
export async function waitThere(
	request: { agents?: string[]; children?: boolean; timeoutMs?: number },
	signal: AbortSignal,
): Promise<string> {
	let wait = await askDaemon("waitOpen", { body: request });
	while (wait.state === "open" && !signal.aborted) {
		wait = await askDaemon("wait", { params: { wait: String(wait.id) }, query: { block: "true" } }, signal);
	}
	return wait.state;
}
