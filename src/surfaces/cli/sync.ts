// `brood agent sync`: one agent after the other, each with its own answer.
import { Refused } from "#client/client.ts";
import { act, type Options } from "./act.ts";
import { table, UsageError } from "./print.ts";

interface SyncOptions extends Options {
	strategy: "ff" | "rebase" | "merge";
}

interface Line {
	agent: string;
	moved: boolean;
	text: string;
}

export async function sync(references: string[], options: SyncOptions): Promise<void> {
	await act(
		options,
		async ({ client, key, query, query: { project } }): Promise<Line[]> => {
			if (references.length === 0) {
				if (project === undefined) throw new UsageError("Name the agents, or give --project.");
				const synced = await client.call("syncProject", { key, params: { project }, body: {} });
				return synced.map(({ handle, moved, text }) => ({ agent: handle, moved, text }));
			}
			const lines: Line[] = [];
			for (const [at, agent] of references.entries()) {
				const ask = { key: `${key}-${at}`, query, params: { agent }, body: { strategy: options.strategy } };
				try {
					const { moved, text } = await client.call("sync", ask);
					lines.push({ agent, moved, text });
				} catch (error) {
					// the others are not to suffer for one, but the whole did not happen
					if (!(error instanceof Refused) || references.length === 1) throw error;
					process.exitCode = 1;
					lines.push({ agent, moved: false, text: `${error.refusal.code}: ${error.refusal.message}` });
				}
			}
			return lines;
		},
		(lines) =>
			table(
				["AGENT", "MOVED", ""],
				lines.map(({ agent, moved, text }) => [agent, moved ? "yes" : "no", text]),
			) || "all are up to date",
	);
}
