// Whether the running daemon has the store that is named now.
import { Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import { givenAddress, homeOf, running } from "./connect.ts";
import { checkedByDaemon } from "./daemon-check.ts";

/** A running daemon does not hear of a database that this shell names: it must not look as if it used that one. */
export async function refuseOtherStore(): Promise<void> {
	if (!process.env["BROOD_DATABASE_URL"] || givenAddress() !== null) return;
	// a start looks for itself
	if ((await running({ anyContract: true })) === null) return;
	// compares only the home with its store; a look that does not end in time says nothing of it
	const { status, text } = checkedByDaemon("--check-home", homeOf(), 3_000);
	if (status === 0 || text === "") return;
	throw new Refused(
		refuse("HOME_UNUSABLE", `The running daemon has another store than BROOD_DATABASE_URL names. ${text}`, {
			suggestions: ["unset BROOD_DATABASE_URL"],
		}),
	);
}
