// Whether this home can be used with the store that is named now. The daemon's program looks itself: it knows best.
import { spawnSync } from "node:child_process";
import { Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import { programPath } from "#local/programs.ts";
import { givenAddress, homeOf, running } from "./connect.ts";

/** What the next daemon would say; `--check-home` compares only the home with its store. */
export function homeProblem(what: "--check-restart" | "--check-home"): string | null {
	const check = [programPath("programs/daemon"), what, "--home", homeOf()];
	const { status, stderr } = spawnSync(process.execPath, check, { encoding: "utf8", timeout: 20_000 });
	return status === 0 ? null : stderr.trim().replace(/^brood: /, "") || "The configuration could not be checked.";
}

/** A running daemon does not hear of a database that this shell names: it must not look as if it used that one. */
export async function refuseOtherStore(): Promise<void> {
	if (!process.env["BROOD_DATABASE_URL"] || givenAddress() !== null) return;
	// a start looks for itself
	if ((await running({ anyContract: true })) === null) return;
	const wrong = homeProblem("--check-home");
	if (wrong === null) return;
	throw new Refused(
		refuse("HOME_UNUSABLE", `The running daemon has another store than BROOD_DATABASE_URL names. ${wrong}`, {
			suggestions: ["unset BROOD_DATABASE_URL"],
		}),
	);
}
