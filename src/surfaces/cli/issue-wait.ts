// `brood issue wait`: reads the issue once, then again after every event that may have changed it.

import { Refused } from "#client/client.ts";
import { isAbout } from "#contract/event-data.ts";
import { needsPerson } from "#contract/issue.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { looseData } from "#contract/loose-data.ts";
import { refuse } from "#contract/refusal.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { reconnect } from "./connect.ts";
import { named } from "./issues.ts";
import { issueTable } from "./print-issues.ts";

interface WaitOptions extends Options {
	for: "done" | "stage" | "attention";
	stage?: string | undefined;
	timeout?: number | undefined;
}

export async function wait(name: string, options: WaitOptions): Promise<void> {
	const { timeout } = options;
	await act(
		options,
		async (cli) => {
			const stop = new AbortController();
			const timer =
				timeout === undefined ? undefined : setTimeout(() => stop.abort(), Math.min(timeout * 1000, 2 ** 31 - 1));
			try {
				return await untilMet(cli, name, options, stop.signal);
			} finally {
				clearTimeout(timer);
				stop.abort();
			}
		},
		(issue) => issueTable([issue]),
	);
}

async function untilMet(cli: CliContext, name: string, options: WaitOptions, signal: AbortSignal): Promise<Issue> {
	const { client } = cli;
	const where = await named(cli, name);
	// remember the position before the first read, so that no change is missed
	const { lastEvent } = await client.call("status");
	const first = await client.call("issue", where);
	const met = conditionOf(first, options);
	if (met(first)) return first;
	try {
		for await (const event of client.events(lastEvent, signal, () => reconnect(signal))) {
			if (!isAbout(event, "issue", "run") || looseData(event.data).issueId !== first.id) continue;
			const now = await client.call("issue", where);
			if (met(now)) return now;
		}
	} catch (error) {
		if (!signal.aborted) throw error;
	}
	throw new Refused(
		refuse("TIMEOUT", `Time ran out: still waiting for ${first.project}#${first.number}.`, {
			details: { issueName: `${first.project}#${first.number}` },
		}),
	);
}

/** For `stage`: any other stage, or the named one. An issue that waits for a review counts as one with attention. */
function conditionOf(first: Issue, { for: condition, stage }: WaitOptions): (issue: Issue) => boolean {
	if (condition === "done") return ({ doneAt }) => doneAt !== null;
	if (condition === "attention") return needsPerson;
	return stage === undefined ? (issue) => issue.stage !== first.stage : (issue) => issue.stage === stage.toUpperCase();
}
