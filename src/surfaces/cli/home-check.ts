// Whether this home can be used with the store that is named now. The daemon's program looks itself: it knows best.
import { spawnSync } from "node:child_process";
import { Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import { programPath } from "#local/programs.ts";
import { givenAddress, homeOf, running } from "./connect.ts";

/** What the next daemon would say. */
export function startProblem(): string | null {
	const { status, text } = checked("--check-restart", 20_000);
	return status === 0 ? null : text || "The configuration could not be checked.";
}

/** What is wrong with the home's config.yaml; the daemon that runs has read an earlier one. */
export function configProblem(): string | null {
	const { status, text } = checked("--check-config", 20_000);
	return status === 0 || text === "" ? null : text;
}

function checked(
	what: "--check-restart" | "--check-home" | "--check-config",
	timeoutMs: number,
): { status: number | null; text: string } {
	const check = [programPath("programs/daemon"), what, "--home", homeOf()];
	const options = { encoding: "utf8", timeout: timeoutMs, killSignal: "SIGKILL" } as const;
	const { status, stderr } = spawnSync(process.execPath, check, options);
	return { status, text: stderr.trim().replace(/^brood: /, "") };
}

/** A running daemon does not hear of a database that this shell names: it must not look as if it used that one. */
export async function refuseOtherStore(): Promise<void> {
	if (!process.env["BROOD_DATABASE_URL"] || givenAddress() !== null) return;
	// a start looks for itself
	if ((await running({ anyContract: true })) === null) return;
	// compares only the home with its store; a look that does not end in time says nothing of it
	const { status, text } = checked("--check-home", 3_000);
	if (status === 0 || text === "") return;
	throw new Refused(
		refuse("HOME_UNUSABLE", `The running daemon has another store than BROOD_DATABASE_URL names. ${text}`, {
			suggestions: ["unset BROOD_DATABASE_URL"],
		}),
	);
}
