// `brood turn retry`: one turn, or all that the end of the daemon interrupted.
import { fullName } from "#contract/full-name.ts";
import type { Prompt } from "#contract/wire.ts";
import { act, type CliContext } from "./act.ts";
import { type AllOptions, meansAll, scopeOf, scopeOfAll } from "./directory-project.ts";
import { printError, UsageError } from "./print.ts";

interface Retried {
	name: string;
	prompt: Prompt;
}

export async function retry(agent: string | undefined, turn: string, options: AllOptions): Promise<void> {
	if (meansAll(options)) return await retryAll(agent, options);
	await act(
		options,
		async (cli) => {
			if (agent === undefined) throw new UsageError("Name the agent, or use --all.");
			const query = await scopeOf(cli, [agent]);
			return await cli.client.call("turnRetry", { key: cli.key, query, params: { agent, turn }, body: {} });
		},
		({ id }) => `prompt ${id} runs it again`,
	);
}

async function retryAll(agent: string | undefined, options: AllOptions): Promise<void> {
	await act(
		options,
		async (cli) => {
			if (agent !== undefined) throw new UsageError("Name an agent or use --all, not both.");
			return await retryInterrupted(cli, options);
		},
		(retried) =>
			retried.map(({ name, prompt: { id } }) => `${name}: prompt ${id} runs it again`).join("\n") ||
			"no turn was interrupted",
	);
}

/** A failure with one does not stop the others. */
async function retryInterrupted(cli: CliContext, options: AllOptions): Promise<Retried[]> {
	const { client, key } = cli;
	const query = await scopeOfAll(cli, options);
	const { interrupted } = await client.call("interruptedTurns");
	const retried: Retried[] = [];
	for (const { agent, turn, handle, project } of interrupted) {
		if (query.project !== undefined && project !== query.project) continue;
		try {
			const ask = { key: `${key}-${turn}`, params: { agent, turn: String(turn) }, body: {} };
			const name = fullName({ handle, project });
			retried.push({ name, prompt: await client.call("turnRetry", ask) });
		} catch (error) {
			process.exitCode = printError(error, options.json === true);
		}
	}
	return retried;
}
