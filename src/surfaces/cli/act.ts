// Runs a command: connects, calls the daemon, prints the answer or the error, and sets the exit code.
import { randomUUID } from "node:crypto";
import { Refused } from "#client/client.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import { nameRule } from "#contract/name-rule.ts";
import { isProjectSlug } from "#contract/project-slug.ts";
import { refuse } from "#contract/refusal.ts";
import { type Connected, connect } from "./connect.ts";
import { print, printData, printError } from "./print.ts";

export interface Options {
	json?: boolean | undefined;
	project?: string | undefined;
}

export interface CliContext extends Connected {
	/** a fresh key for each command that changes something */
	key: string;
	query: { project?: ProjectSlug };
}

/** `show` turns the answer into text for a person. */
export async function act<T>(
	options: Options,
	ask: (cli: CliContext) => Promise<T>,
	show: (data: T) => string | Promise<string>,
): Promise<void> {
	try {
		const { project } = options;
		if (project !== undefined && !isProjectSlug(project))
			throw new Refused(refuse("VALIDATION_ERROR", `${JSON.stringify(project)} is no project's name: ${nameRule}.`));
		const query = project === undefined ? {} : { project };
		const data = await ask({ ...(await connect()), key: randomUUID(), query });
		if (options.json === true) printData(data);
		else print(await show(data));
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	}
}
