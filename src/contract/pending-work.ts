// What waits for an agent: all that a list of agents shows and that is not in the agent's own row.
import type { WaitState } from "./wait.ts";

export interface PendingWork {
	/** how many prompts wait, how many of them are due, and the earliest moment that one of them waits for */
	queueLength: number;
	due: number;
	notBefore: number | null;
	unreadMail: number;
	pendingApprovals: number;
	/** the latest of its open waits */
	wait: WaitState | null;
}

export const noPendingWork: PendingWork = {
	...{ queueLength: 0, due: 0, notBefore: null },
	...{ unreadMail: 0, pendingApprovals: 0, wait: null },
};
