import type { IssueState } from "#contract/issue.ts";
import { until } from "#engine/loop/until.ts";
import type { RequestContext } from "../request-context.ts";

/** how long the agent that did the work may take to its home branch before the issue is sent back without it */
const returnMs = 10_000;

/** An agent that is still on its way to its home branch could not be given the issue again. */
export async function hasReturned({ engine, reads }: RequestContext, { id }: IssueState): Promise<void> {
	const look = async () => ((await reads.issue(id))?.returning == null ? true : null);
	await until(engine.publisher, look, { timeoutMs: returnMs });
}
