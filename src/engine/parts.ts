// What an engine is put together from.
import type { Limits } from "#contract/limits.ts";
import type { NodeJoin } from "#contract/node.ts";
import type { Retention } from "#contract/retention.ts";
import type { Blobs, Partials } from "./ports/blobs.ts";
import type { Clock, Ids } from "./ports/clock.ts";
import type { Driver } from "./ports/driver.ts";
import type { IssueWork } from "./ports/issue-work.ts";
import type { Log } from "./ports/log.ts";
import type { Store } from "./ports/store.ts";
import type { Watchdog } from "./ports/store-nodes.ts";
import type { Workspaces } from "./ports/workspaces.ts";
import type { Sweeper } from "./upkeep.ts";

/** How a daemon joins; `startId` is another one at each start. */
export type NodeIdentity = Omit<NodeJoin, "type" | "turnsMax">;

export interface EngineDependencies {
	store: Store;
	/** null where no turns are run; prompts then stay queued */
	driver: Driver | null;
	limits: Limits;
	/** limits that were asked for and do not count, because all nodes share others */
	limitsIgnored?: readonly string[];
	clock: Clock;
	ids: Ids;
	/** for texts that are too long for a row */
	blobs?: Blobs;
	partials?: Partials;
	issueWork?: IssueWork;
	/** null where there is no git */
	workspaces?: Workspaces | null;
	/** the type of agent 0, if it has to be made */
	agentZeroType?: string;
	/** this daemon among several; nodes do not matter if absent */
	node?: NodeIdentity;
	/** ends this daemon if it stands still; needed where other nodes may replace it */
	watchdog?: Watchdog;
	log?: Log;
	/** how long things are kept; the defaults if absent */
	retention?: Retention;
	/** further steps of upkeep */
	sweepers?: readonly Sweeper[];
}
