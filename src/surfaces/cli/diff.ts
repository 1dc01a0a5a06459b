// Diffs, whole: a long one takes several answers of the daemon.
import { wholeDiff, withAllFiles } from "#client/whole-diff.ts";
import type { Diff } from "#contract/workspace.ts";
import { act, type Options } from "./act.ts";
import { scopeOf } from "./directory-project.ts";
import { paged } from "./pager.ts";
import { printToStderr, UsageError } from "./print.ts";
import { diffText } from "./print-work.ts";

interface DiffOptions extends Options {
	stat?: boolean | undefined;
	against?: string | undefined;
}

export async function agentDiff(
	agent: string,
	{ stat = false, against = "base", ...options }: DiffOptions,
): Promise<void> {
	await act(
		options,
		async (cli) => {
			const [params, query] = [{ agent }, { ...(await scopeOf(cli, [agent])), against }];
			return await read(stat, async (part) => await cli.client.call("diff", { params, query: { ...query, ...part } }));
		},
		(diff) => shown(diff, stat),
	);
}

export async function issueDiff(issue: string, { stat = false, against, ...options }: DiffOptions): Promise<void> {
	await act(
		options,
		async (cli) => {
			if (against !== undefined && against !== "base") throw new UsageError("An issue is compared with base only.");
			const [params, query] = [{ issue }, await scopeOf(cli, [issue])];
			const ask = async (part: Part) => await cli.client.call("issueDiff", { params, query: { ...query, ...part } });
			return await read(stat, ask);
		},
		(found) => {
			const own = found.uncommittedByHandle;
			// on standard error, so that the patch can be applied
			if (own !== null) printToStderr(`${own} has uncommitted changes, which are not shown; see: brood diff ${own}`);
			return found.commit === null ? "no commits yet" : shown(found, stat);
		},
	);
}

export async function snapshotDiff(
	agent: string,
	snapshot: string,
	{ stat = false, ...options }: DiffOptions,
): Promise<void> {
	await act(
		options,
		async (cli) => {
			const [params, query] = [{ agent, snapshot }, await scopeOf(cli, [agent])];
			return await read(
				stat,
				async (part) => await cli.client.call("snapshot", { params, query: { ...query, ...part } }),
			);
		},
		(diff) => shown(diff, stat),
	);
}

type Part = { from?: string; path?: string; bytesMax?: number };

/** for a patch that is printed, so that few answers are needed */
const bytesMax = 64 * 1024 * 1024;

async function read<D extends Diff>(stat: boolean, ask: (part: Part) => Promise<D>): Promise<D> {
	if (stat) return await withAllFiles(await ask({}), ask);
	const long = async (part: Part): Promise<D> => await ask({ ...part, bytesMax });
	return await wholeDiff(await long({}), long);
}

const shown = (diff: Diff, stat: boolean): string => paged(diffText(diff, stat));
