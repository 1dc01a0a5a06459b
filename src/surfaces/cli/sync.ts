// `brood agent sync`: one agent after the other, each with its own result.
import { Refused } from "#client/client.ts";
import { fullName } from "#contract/full-name.ts";
import type { RemoteStatus } from "#contract/workspace.ts";
import { act, type CliContext } from "./act.ts";
import { type AllOptions, meansAll, scopeOf, scopeOfAll } from "./directory-project.ts";
import { table, UsageError } from "./print.ts";
import { originLines } from "./print-work.ts";
import { projectHere } from "./project-here.ts";

interface SyncOptions extends AllOptions {
	strategy: "ff" | "rebase" | "merge";
}

interface SyncedAgent {
	/** as it was named in the command */
	name: string;
	updated: boolean;
	text: string;
	origin: RemoteStatus | null;
}

export async function sync(named: string[], options: SyncOptions): Promise<void> {
	if (named.length === 0 && !meansAll(options)) return await syncProject(options);
	await act(
		options,
		async (cli): Promise<SyncedAgent[]> => {
			const { client, key } = cli;
			const references = meansAll(options) ? await withWorkspace(cli, named, options) : named;
			const query = await scopeOf(cli, references);
			const lines: SyncedAgent[] = [];
			for (const [at, name] of references.entries()) {
				const ask = { key: `${key}-${at}`, query, params: { agent: name }, body: { strategy: options.strategy } };
				try {
					const { updated, text, origin } = await client.call("sync", ask);
					lines.push({ name, updated, text, origin: origin ?? null });
				} catch (error) {
					// one failure does not stop the others, but the command as a whole failed
					if (!(error instanceof Refused) || references.length === 1) throw error;
					process.exitCode = 1;
					lines.push({ name, updated: false, text: `${error.refusal.code}: ${error.refusal.message}`, origin: null });
				}
			}
			return lines;
		},
		// agents of one project have the same remote
		(lines) => [tableOf(lines), ...new Set(lines.flatMap(({ origin }) => originLines(origin)))].join("\n"),
	);
}

async function syncProject(options: SyncOptions): Promise<void> {
	await act(
		options,
		async (cli) => {
			const { client, key } = cli;
			const project = cli.query.project ?? (await projectHere(cli));
			if (project === undefined) throw new UsageError("Name the agents, or use --all or --project.");
			return await client.call("syncProject", { key, params: { project }, body: {} });
		},
		({ origin, synced }) => {
			const lines = synced.map(({ handle, updated, text }) => ({ name: handle, updated, text }));
			return [tableOf(lines) || "all agents are up to date", ...originLines(origin)].join("\n");
		},
	);
}

const tableOf = (lines: readonly Omit<SyncedAgent, "origin">[]): string =>
	table(
		["AGENT", "UPDATED", ""],
		lines.map(({ name, updated, text }) => [name, updated ? "yes" : "no", text]),
	);

/** Every living agent that has files of its own. */
async function withWorkspace(cli: CliContext, named: readonly string[], options: AllOptions): Promise<string[]> {
	if (named.length > 0) throw new UsageError("Name agents or use --all, not both.");
	return (await cli.client.call("agents", { query: await scopeOfAll(cli, options) }))
		.filter(({ life, workspace }) => life === "live" && workspace !== null && workspace.kind !== "main")
		.map(fullName);
}
