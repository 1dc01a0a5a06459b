// Upkeep: removes expired receipts, snapshots, refs and trash, packs loose refs and objects, truncates the store's log,
// and removes what dead processes left.
//
// A round consists of small, bounded steps with pauses between them, in which requests come first. The next round does
// the rest. Nothing waits for upkeep, and a step that fails is tried again in the next round.
import { AgentId } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import type { Retention } from "#contract/retention.ts";
import type { Leftover } from "#contract/wire.ts";
import type { Running } from "./loop/part-runner.ts";
import { sleep } from "./loop/retry.ts";
import { type Clock, monotonicNow } from "./ports/clock.ts";
import { caught, type Log } from "./ports/log.ts";
import type { Reads, Store } from "./ports/store.ts";
import type { GcRequest } from "./ports/workspace-requests.ts";
import type { Workspaces } from "./ports/workspaces.ts";
import { projectRepository } from "./workspaces/checkout.ts";

export interface UpkeepParts {
	store: Store;
	clock: Clock;
	limits: Limits;
	retention: Retention;
	workspaces: Workspaces | null;
	/** steps for other files of the home */
	sweepers: readonly Sweeper[];
	log: Log;
	/** whether this node does what one does for all */
	coordinates(): boolean;
	/** this node: repositories of others are not here */
	node: NodeEpoch | null;
}

export type Sweeper = (round: { now: number; retention: Retention; reads: Reads }) => Promise<unknown>;

/** per round and project */
const atMost = { folders: 50, refs: 2000 };
const receiptsAtOnce = 2000;
/** the first round waits until requests after the start are done */
const firstMs = 20_000;
const pauseMs = 20;
/** whoever asked for it has its answer long before */
const errandsKeptMs = 60 * 60 * 1000;

export class Upkeep {
	readonly #parts: UpkeepParts;
	#rounds: Promise<unknown> = Promise.resolve();

	constructor(parts: UpkeepParts) {
		this.#parts = parts;
	}

	/** Runs a round soon after the start, then one every `upkeepMinutes`. */
	async start(): Promise<Running> {
		const stop = new AbortController();
		let timer: ReturnType<typeof setTimeout> | undefined;
		const next = (inMs: number): void => {
			timer = setTimeout(
				() =>
					void this.round(stop.signal).finally(
						() => !stop.signal.aborted && next(this.#parts.retention.upkeepMinutes * 60_000),
					),
				inMs,
			);
		};
		next(firstMs);
		return {
			ended: new Promise(() => {}),
			[Symbol.asyncDispose]: async () => {
				stop.abort();
				clearTimeout(timer);
				await this.#rounds;
			},
		};
	}

	/** Runs one round, after the one before it has ended. */
	async round(signal: AbortSignal = new AbortController().signal): Promise<void> {
		const mine = this.#rounds.then(() => this.#round(signal));
		this.#rounds = mine;
		await mine;
	}

	async #round(signal: AbortSignal): Promise<void> {
		const { store, clock, limits, retention, workspaces, sweepers } = this.#parts;
		const steps: [string, () => Promise<unknown>][] = [
			["receipts", () => this.#dropReceipts(monotonicNow(clock) - limits.receiptsKeptMs, signal)],
			["errands", () => store.errands.drop(clock.now() - errandsKeptMs, receiptsAtOnce)],
			...sweepers.map((sweep): [string, () => Promise<unknown>] => [
				"leftovers",
				() => sweep({ now: clock.now(), retention, reads: store.reads }),
			]),
		];
		const projects = workspaces === null ? [] : await store.reads.projects().catch(() => []);
		const own = projects.filter((each) => each.removedAt === null && isOwn(this.#parts.node, each));
		for (const project of own) {
			const gc = async (): Promise<unknown> => {
				const request = { ...(await gcRequest(store.reads, project)), dryRun: false, atMost, signal };
				return await workspaces?.gc(projectRepository(project), request);
			};
			steps.push([`project ${project.slug}`, gc]);
		}
		steps.push(["store", () => store.trim()]);
		for (const [name, step] of steps) {
			if (signal.aborted) return;
			await step().catch(
				caught(this.#parts.log, "upkeep", `Could not look after ${name}; tried again in the next round`),
			);
			await sleep(pauseMs, signal);
		}
	}

	async #dropReceipts(before: number, signal: AbortSignal): Promise<void> {
		if (!this.#parts.coordinates()) return;
		while (!signal.aborted && (await this.#parts.store.dropReceipts(before, receiptsAtOnce)) >= receiptsAtOnce)
			await sleep(pauseMs, signal);
	}
}

/** The agents and refs that decide what may be freed. */
export async function gcRequest(
	reads: Reads,
	{ slug }: Pick<ProjectState, "slug">,
): Promise<Pick<GcRequest, "withFolder" | "goneOf" | "needed">> {
	const withFolder = await reads.agentsWithFolders(slug);
	const needed = withFolder.flatMap(({ workspacePlan: plan }) =>
		plan?.parent == null || plan.snapshot === null ? [] : [`refs/brood/snapshots/${plan.parent}/${plan.snapshot}`],
	);
	const goneOf: GcRequest["goneOf"] = async (owners) =>
		(await reads.agentsWith(owners.flatMap((owner) => AgentId.safeParse(owner).data ?? [])))
			.filter(({ project, workspaceRemovedAt }) => project === slug && workspaceRemovedAt !== null)
			.map(({ id }) => id);
	return { withFolder, goneOf, needed };
}

/** Returns what was freed or, with `dryRun`, what would be. */
export async function runGc(
	workspaces: Workspaces,
	reads: Reads,
	project: ProjectState,
	dryRun: boolean,
): Promise<Leftover[]> {
	return await workspaces.gc(projectRepository(project), { ...(await gcRequest(reads, project)), dryRun });
}
