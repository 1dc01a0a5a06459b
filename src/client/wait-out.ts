// Waits until a wait is over. The wait is a row: an outage of the database delays its end, and does not end it.
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Wait } from "#contract/wire.ts";

const pauseMs = 250;
/** a timer cannot be set for longer */
const timerMsMax = 2 ** 31;

interface WaitOut {
	/** asks again, and is answered when the wait is over or after a while */
	look(): Promise<Wait | Refusal>;
	stopped?: { readonly aborted: boolean } | undefined;
	/** for tests */
	pause?(ms: number): Promise<unknown>;
	/** milliseconds that never jump */
	now?(): number;
	/** how long after its deadline the daemon may still say how the wait ended */
	graceMs?: number;
}

/** Also answers with a wait that does not block; and after its deadline with `TIMEOUT`, if nothing else is known. */
export async function waitOut(
	opened: Wait,
	{ look, stopped, pause = sleep, now = () => performance.now(), graceMs = 2000 }: WaitOut,
): Promise<Wait | Refusal> {
	const forMs = opened.deadline === null ? Infinity : Date.parse(opened.deadline) - Date.parse(opened.openedAt);
	const until = now() + forMs;
	const late = refuse("TIMEOUT", "Time ran out, and the database does not answer: it is not known who is still busy.", {
		details: { wait: opened.id },
	});
	const { promise: overdue, resolve } = Promise.withResolvers<Refusal>();
	// a look may take longer than what is left
	const timer = forMs + graceMs < timerMsMax ? setTimeout(resolve, forMs + graceMs, late) : undefined;
	try {
		for (let latest = opened; ; ) {
			if (latest.state !== "open" || !latest.blocking || stopped?.aborted === true) return latest;
			const found = await Promise.race([look(), overdue]);
			if (!isRefusal(found)) latest = found;
			else if (found.code !== "STORE_UNAVAILABLE") return found;
			else if (now() >= until) return late;
			else await pause(pauseMs);
		}
	} finally {
		clearTimeout(timer);
	}
}

const sleep = (ms: number): Promise<unknown> => new Promise((resume) => setTimeout(resume, ms));
