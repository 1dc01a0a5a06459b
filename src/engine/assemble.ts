// Puts an engine's parts together in the order of their dependencies: recovery before anything reads the rows, projects
// before the reactors that use them, reactors last.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import type { NodeEpoch, NodeId } from "#contract/node.ts";
import { retention } from "#contract/retention.ts";
import { Errands } from "./errands.ts";
import { join } from "./join.ts";
import { Dispatcher } from "./loop/dispatch.ts";
import { PartRunner } from "./loop/part-runner.ts";
import { Publisher } from "./loop/publish.ts";
import { startReactor } from "./loop/reactor.ts";
import { Receipts } from "./loop/receipts.ts";
import { Tail } from "./loop/tail.ts";
import type { NodeClock } from "./nodes/node-clock.ts";
import { NodeWatch } from "./nodes/node-watch.ts";
import { NodeSuspension } from "./nodes/suspension.ts";
import type { EngineDependencies } from "./parts.ts";
import { monotonicNow } from "./ports/clock.ts";
import type { Dispatch } from "./ports/dispatch.ts";
import { type IssueWork, noIssueWork } from "./ports/issue-work.ts";
import type { Log } from "./ports/log.ts";
import { autoReactor } from "./reactors/auto.ts";
import { coolDownsReactor } from "./reactors/cool-downs.ts";
import { driftReactor } from "./reactors/drift.ts";
import { endProcessesReactor } from "./reactors/end-processes.ts";
import { indexItemsReactor } from "./reactors/index-items.ts";
import { IssueSteps } from "./reactors/issue-steps.ts";
import { projectSettingsReactor } from "./reactors/project-settings.ts";
import { Provisioner } from "./reactors/provision.ts";
import { waitsReactor } from "./reactors/waits.ts";
import { wakeOnMailReactor } from "./reactors/wake-on-mail.ts";
import { ensureAgentZero, recover } from "./recover.ts";
import { dispatchWithKeptOutput } from "./turns/kept-output.ts";
import { TurnRunner } from "./turns/run-turns.ts";
import { Scheduler } from "./turns/scheduling.ts";
import { startTurnsReactor } from "./turns/start-turns.ts";
import { Upkeep } from "./upkeep.ts";
import { formerWorkspacesReactor, type MovingParts } from "./workspaces/moving.ts";
import { ProjectProblems } from "./workspaces/project-problems.ts";
import { uploadReactor } from "./workspaces/uploading.ts";
import { WorkCycle } from "./workspaces/work-cycle.ts";
import { workspaceIssues } from "./workspaces/workspace-issues.ts";

export interface Assembled {
	publisher: Publisher;
	tail: Tail;
	dispatcher: Dispatcher;
	receipts: Receipts;
	agentZero: AgentState;
	partRunner: PartRunner;
	runner: TurnRunner | null;
	issueSteps: IssueSteps;
	issueWork: IssueWork;
	problems: ProjectProblems;
	scheduler: Scheduler;
	provisioner: Provisioner;
	cycle: WorkCycle | null;
	upkeep: Upkeep;
	errands: Errands;
	moving: MovingParts;
	/** the last event before this daemon ended the turns that it found open */
	recoveredAfter: number;
	/** the last event before any turn of this daemon */
	startedAfter: number;
	node: NodeEpoch | null;
	/** of the last daemon of this home; null if there was none */
	lastEpoch: number | null;
	/** null where there is one node */
	watch: NodeWatch | null;
	suspension: NodeSuspension;
}

/** `nodeClock` is the clock of these parts where there may be other nodes. */
export type AssemblyParts = EngineDependencies & { log: Log; nodeClock: NodeClock | null };

const restarts = { restartsMax: 5, periodMs: 60_000, retryMs: 60_000 };

export async function assemble(parts: AssemblyParts): Promise<Assembled> {
	const { store, log } = parts;
	const suspension = new NodeSuspension();
	const publisher = new Publisher(parts.limits);
	const tail = new Tail({ publisher, reads: store.reads, notifications: store.notifications, clock: parts.clock, log });
	const dispatcher = new Dispatcher({ ...parts, tail, suspension, nodeId: parts.node?.node ?? null });
	const dispatch: Dispatch = (request) => dispatcher.dispatch(request);
	const joinedAt = monotonicNow(parts.nodeClock?.own ?? parts.clock);
	const { node, lastEpoch } = await join(parts, dispatch);
	const { driver, watchdog = null, nodeClock: clock } = parts;
	const { beats } = store;
	const fall = dispatchWithKeptOutput({ ...parts, reads: store.reads }, dispatch);
	const watch =
		node === null || beats === null || clock === null
			? null
			: new NodeWatch({ beats, as: node, suspension, driver, watchdog, dispatch: fall, clock, log }, joinedAt);
	try {
		await watch?.first;
		return await assembleAs(parts, { publisher, tail, dispatcher, node, lastEpoch, watch, suspension });
	} catch (error) {
		await watch?.[Symbol.asyncDispose]();
		throw error;
	}
}

type Begun = Pick<Assembled, "publisher" | "tail" | "dispatcher" | "node" | "lastEpoch" | "watch" | "suspension">;

/** Everything that is made once the node has joined. */
async function assembleAs(parts: AssemblyParts, begun: Begun): Promise<Assembled> {
	const { store, driver, clock, log, workspaces = null, blobs = null, partials = null } = parts;
	const { reads } = store;
	const { publisher, tail, dispatcher, node } = begun;
	const dispatch: Dispatch = (request) => dispatcher.dispatch(request);
	const receipts = new Receipts(parts);
	const coordinates = (): boolean => begun.watch?.isCoordinator() ?? true;
	const agentZero = await ensureAgentZero(dispatch, parts.agentZeroType);
	const recoveredAfter = await reads.lastEvent();
	await recover({ ...parts, reads, dispatch, node });

	const isSilent = (other: NodeId): boolean => begun.watch?.lastSeen(other)?.isSilent ?? false;
	const errands = new Errands({ ...parts, node, isSilent });

	const common = { ...parts, node, reads, dispatch, publisher, workspaces, blobs, partials };
	const uploading = { ...common, blobs: store.kind === "postgres" ? blobs : null };
	const cycle = workspaces && new WorkCycle({ ...uploading, workspaces, receipts });
	const sites = cycle?.sites ?? null;
	const moving = { ...uploading, driver, moving: new Set<AgentId>(), sites };
	const plain = parts.issueWork ?? noIssueWork;
	const issueWork = cycle === null ? plain : workspaceIssues(cycle, reads, plain, node);
	const problems = new ProjectProblems({ ...common, issueWork });
	await problems.lookAtAll();

	const scheduler = new Scheduler(common);
	const runner = driver && new TurnRunner({ ...common, driver, sites });
	if (runner !== null) begun.watch?.tellPhases(() => runner.phases());
	const provisioner = new Provisioner(common);
	const issueSteps = new IssueSteps({ ...common, issueWork });
	const reactors = [
		provisioner,
		driftReactor({ ...common, problems }),
		projectSettingsReactor({ ...common, problems }),
		waitsReactor(common),
		coolDownsReactor(common),
		indexItemsReactor({ ...parts, coordinates }),
		...(driver === null ? [] : [endProcessesReactor({ ...common, driver })]),
		uploadReactor(uploading),
		formerWorkspacesReactor(moving),
		...(runner === null ? [] : [runner, wakeOnMailReactor(common), startTurnsReactor({ ...common, scheduler })]),
		issueSteps,
		autoReactor({ ...common, issueWork, problems, agentZero: agentZero.id }),
	];
	const startedAfter = await reads.lastEvent();
	tail.start(startedAfter);
	const upkeep = new Upkeep({
		...common,
		coordinates,
		retention: parts.retention ?? retention,
		sweepers: parts.sweepers ?? [],
	});
	const longLived = [
		...reactors.map((reactor) => ({ name: reactor.name, start: () => startReactor(reactor, publisher) })),
		{ name: "upkeep", start: () => upkeep.start() },
	];
	const partRunner = await PartRunner.start(longLived, { ...restarts, clock, log });
	return {
		...{ ...begun, receipts, agentZero, partRunner, runner, issueSteps, issueWork, problems },
		...{ scheduler, provisioner, cycle, upkeep, errands, moving, recoveredAfter, startedAfter },
	};
}
