// Texts that were sent and not answered: they may have arrived. The same text sent to the same place again goes under
// the same idempotency key, so that it happens once. Kept in this tab, as drafts are.
import { Refused } from "#client/client.ts";
import type { Input } from "#client/input.ts";
import type { RouteName } from "#contract/routes.ts";
import { freshKey } from "./connection.ts";

/** Sent twice, they would be there twice. Whoever pauses an agent again wants it paused: the rest is meant anew. */
const texts: ReadonlySet<RouteName> = new Set<RouteName>([
	...(["prompt", "send", "review", "turnFinish", "agentAddTo", "fork"] as const),
	...(["issueAdd", "issueComment", "issueReject"] as const),
]);

/** Whether the same text, sent again after it was not answered, is the same request. */
export const happensOnce = (name: RouteName): boolean => texts.has(name);

export interface Sent<T> {
	answer: T;
	/** it was sent before, and not answered */
	isAgain: boolean;
}

/** `send` gets a fresh key, or that of the same text that was not answered. */
export async function sendOnce<N extends RouteName, T>(
	name: N,
	{ params, body }: Input<N>,
	send: (key: string) => Promise<T>,
): Promise<Sent<T>> {
	if (!happensOnce(name)) return { answer: await send(freshKey()), isAgain: false };
	const place = `brood.unanswered.${JSON.stringify([name, params])}`;
	const text = JSON.stringify(body);
	const before: Unanswered | null = JSON.parse(sessionStorage.getItem(place) ?? "null");
	const isAgain = before?.text === text;
	const key = isAgain ? before.key : freshKey();
	// whoever has sent something else means the next one anew
	sessionStorage.removeItem(place);
	try {
		return { answer: await send(key), isAgain };
	} catch (error) {
		if (!(error instanceof Refused)) keep(place, { text, key });
		throw error;
	}
}

interface Unanswered {
	text: string;
	key: string;
}

function keep(place: string, unanswered: Unanswered): void {
	try {
		sessionStorage.setItem(place, JSON.stringify(unanswered));
	} catch {
		// the storage is full: sent again, it is another request
	}
}
