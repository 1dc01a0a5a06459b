// Retries a busy provider with growing pauses. A provider that asks for a long pause has a usage limit, which is
// reported to the daemon.
import { setTimeout as pause } from "node:timers/promises";
import { APICallError } from "ai";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import { LimitMet, TurnFailed } from "../acp-agent.ts";

const triesMax = 5;
const firstMs = 500;
/** A turn does not wait longer than this. */
const retryForMs = 30_000;
const limitMs = 60_000;
/** A longer pause is taken for a mistake. */
const longestMs = 366 * 24 * 60 * 60 * 1000;

/** `work` calls `started` with its first output: after that it cannot be repeated. */
export async function withRetries<T>(signal: AbortSignal, work: (started: () => void) => Promise<T>): Promise<T> {
	for (let attempt = 1; ; attempt++) {
		let started = false;
		try {
			return await work(() => {
				started = true;
			});
		} catch (error) {
			if (signal.aborted) throw error;
			const failure = APICallError.isInstance(error) ? error : null;
			const waitMs = waitOf(failure) ?? firstMs * 2 ** (attempt - 1);
			const again = failure?.isRetryable === true && !started && attempt < triesMax && waitMs <= retryForMs;
			if (!again) throw turnError(error, failure);
			await pause(waitMs, undefined, { signal }).catch(expected("the turn was stopped"));
			if (signal.aborted) throw error;
		}
	}
}

function turnError(error: unknown, failure: APICallError | null): Error {
	if (failure?.statusCode === 429)
		return new LimitMet(performance.timeOrigin + performance.now() + (waitOf(failure) ?? limitMs));
	return new TurnFailed(
		`The model's provider failed: ${failure === null ? "" : `${failure.statusCode ?? "no answer"}, `}${messageOf(error)}`,
	);
}

/** The pause that the provider asks for, in milliseconds. */
function waitOf(failure: APICallError | null): number | null {
	const headers = failure?.responseHeaders ?? {};
	const [ms, seconds] = [Number(headers["retry-after-ms"] ?? Number.NaN), Number(headers["retry-after"] ?? Number.NaN)];
	const wait = Number.isFinite(ms) ? ms : seconds * 1000;
	return wait >= 0 && wait <= longestMs ? wait : null;
}
