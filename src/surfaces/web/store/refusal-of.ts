// Why something failed, as a refusal: that of the daemon, or that there was no answer, or none that can be read.
import { Refused } from "#client/client.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";

/** `then`: what follows from it where the daemon did not refuse. */
export function refusalOf(error: unknown, then = ""): Refusal {
	if (error instanceof Refused) return error.refusal;
	// something on the way may have answered instead
	return error instanceof SyntaxError
		? refuse("INTERNAL_ERROR", `The daemon's answer could not be read. ${then}`.trimEnd())
		: refuse("DAEMON_UNREACHABLE", `The daemon did not answer. ${then}`.trimEnd());
}
