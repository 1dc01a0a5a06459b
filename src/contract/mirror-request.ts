// What a client asks to mirror.
import { type AgentId, agentOf, type ProjectSlug } from "./ids.ts";
import type { MirroredRows } from "./rows.ts";

/** What a screen shows besides the agents: boards of projects, threads of agents. */
export interface MirrorRequest {
	boards: readonly ProjectSlug[];
	threads: readonly AgentId[];
	/** of each thread */
	itemsMax: number;
	/** only the rows of these boards and threads, for a client that has the others */
	isPart: boolean;
}

/** Of the issues that are done a board has those that were done last, at most so many. */
export const boardDoneMax = 100;

/** One more than a board has tells whether there are older ones. */
export const mirroredDoneMax = boardDoneMax + 1;

/** The agents whose names issues and conversations show; they may have been reaped. */
export function agentsNamedIn({
	issues,
	runs,
	mails,
	prompts,
	items,
}: Pick<MirroredRows, "issues" | "runs" | "mails" | "prompts" | "items">): AgentId[] {
	const actors = [
		...mails.map(({ from }) => from),
		...prompts.map(({ createdBy }) => createdBy),
		...items.map(({ actor }) => actor),
	];
	const working = [...issues.flatMap(({ assignee }) => assignee ?? []), ...runs.map(({ agent }) => agent)];
	return [...new Set([...working, ...actors.flatMap((actor) => agentOf(actor) ?? [])])];
}
