// Waits until a wait is over. The wait is a row: an outage of the database delays its end, and does not end it.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Wait } from "#contract/wire.ts";

const pauseMs = 250;

interface WaitOut {
	/** asks again, and is answered when the wait is over or after a while */
	look(): Promise<Wait | Refusal>;
	stopped?: { readonly aborted: boolean } | undefined;
	/** for tests */
	pause?(ms: number): Promise<unknown>;
	/** milliseconds that never jump */
	now?(): number;
}

/** Also answers with a wait that does not block, and with the last refusal once the deadline of the wait has passed. */
export async function waitOut(
	opened: Wait,
	{ look, stopped, pause = sleep, now = () => performance.now() }: WaitOut,
): Promise<Wait | Refusal> {
	const forMs = opened.deadline === null ? Infinity : Date.parse(opened.deadline) - Date.parse(opened.openedAt);
	const until = now() + forMs;
	for (let latest = opened; ; ) {
		if (latest.state !== "open" || !latest.blocking || stopped?.aborted === true) return latest;
		const found = await look();
		if (!isRefusal(found)) latest = found;
		else if (found.code !== "STORE_UNAVAILABLE" || now() >= until) return found;
		else await pause(pauseMs);
	}
}

const sleep = (ms: number): Promise<unknown> => new Promise((resume) => setTimeout(resume, ms));
