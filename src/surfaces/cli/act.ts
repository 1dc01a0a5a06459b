// Runs a command: connects, calls the daemon, prints the answer or the error, and sets the exit code.
import { Refused } from "#client/client.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import { nameRule } from "#contract/name-rule.ts";
import { isProjectSlug } from "#contract/project-slug.ts";
import { refuse } from "#contract/refusal.ts";
import { AgentNames } from "./agent-names.ts";
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
		const cli = await cliContextOf(options);
		const data = await ask(cli);
		if (options.json === true) return printData(data);
		await new AgentNames(cli.client).putInto(data);
		print(await show(data));
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	}
}

export async function cliContextOf({ project }: Options): Promise<CliContext> {
	if (project !== undefined && !isProjectSlug(project))
		throw new Refused(refuse("VALIDATION_ERROR", `${JSON.stringify(project)} is not a project's name: ${nameRule}.`));
	const connected = await connect();
	let key: string | undefined;
	return {
		...connected,
		query: project === undefined ? {} : { project },
		// loading the module takes longer than all the rest of a command that only reads
		get key() {
			key ??= freshKey();
			return key;
		},
	};
}

/** For a request that changes something. */
export const freshKey = (): string => process.getBuiltinModule("node:crypto").randomUUID();
