// A provider that is busy for a moment is asked again, more and more slowly. One that says how long it wants to be left
// alone, and that is long, has met a limit: the daemon knows what to do then.
import { setTimeout as pause } from "node:timers/promises";
import { APICallError } from "ai";
import { expected } from "#contract/log.ts";
import { LimitMet, TurnFailed } from "../acp-agent.ts";

const triesMax = 5;
const firstMs = 500;
/** A longer wait is not for a turn to sit through. */
const retryForMs = 30_000;
const limitMs = 60_000;
/** Nobody is left alone for longer: such a number is a mistake. */
const longestMs = 366 * 24 * 60 * 60 * 1000;

/** `work` is told what to call once it has said something, since that cannot be said again. */
export async function withRetries<T>(signal: AbortSignal, work: (saying: () => void) => Promise<T>): Promise<T> {
	for (let callOrRefusal = 1; ; callOrRefusal++) {
		let said = false;
		try {
			return await work(() => {
				said = true;
			});
		} catch (error) {
			if (signal.aborted) throw error;
			const failure = APICallError.isInstance(error) ? error : null;
			const waitMs = waitOf(failure) ?? firstMs * 2 ** (callOrRefusal - 1);
			const again = failure?.isRetryable === true && !said && callOrRefusal < triesMax && waitMs <= retryForMs;
			if (!again) throw asTurn(error, failure);
			await pause(waitMs, undefined, { signal }).catch(expected("the turn was stopped"));
			if (signal.aborted) throw error;
		}
	}
}

function asTurn(error: unknown, failure: APICallError | null): Error {
	if (failure?.statusCode === 429)
		return new LimitMet(performance.timeOrigin + performance.now() + (waitOf(failure) ?? limitMs));
	return new TurnFailed(
		`The model's provider failed: ${failure === null ? "" : `${failure.statusCode ?? "no answer"}, `}${error instanceof Error ? error.message : String(error)}`,
	);
}

/** What the provider asks for, in seconds or in milliseconds. */
function waitOf(failure: APICallError | null): number | null {
	const headers = failure?.responseHeaders ?? {};
	const [ms, seconds] = [Number(headers["retry-after-ms"] ?? Number.NaN), Number(headers["retry-after"] ?? Number.NaN)];
	const wait = Number.isFinite(ms) ? ms : seconds * 1000;
	return wait >= 0 && wait <= longestMs ? wait : null;
}
