// What the daemon does now and then by itself so that nothing grows for ever: expired receipts, snapshots, refs and
// trash go, loose refs and objects are packed, the store's log is cut, and what died processes left is removed.
//
// A round is done in pieces, each of them small: so many folders, so many refs, then a pause in which others come
// first. What is left over is for the next round. Nothing in it is waited for by anybody, and what fails is tried again
// the next time.
import type { Limits } from "#contract/limits.ts";
import type { ProjectState } from "#contract/project.ts";
import type { Retention } from "#contract/retention.ts";
import type { Running } from "./loop/supervisor.ts";
import { type Clock, monotonicNow } from "./ports/clock.ts";
import { caught, type Log } from "./ports/log.ts";
import type { Reads, Store } from "./ports/store.ts";
import type { GcRequest, Leftover } from "./ports/workspace-requests.ts";
import type { Workspaces } from "./ports/workspaces.ts";
import { projectRepository } from "./workspaces/checkout.ts";

export interface UpkeepParts {
	store: Store;
	clock: Clock;
	limits: Limits;
	retention: Retention;
	workspaces: Workspaces | null;
	/**
	 * what else of the home is to be looked after; each is told the time and which agents were deleted before it expired
	 */
	sweepers: readonly Sweeper[];
	log: Log;
}

export type Sweeper = (round: { now: number; retention: Retention; reads: Reads }) => Promise<unknown>;

/** in one round, of each project */
const atMost = { folders: 50, refs: 2000 };
const receiptsAtOnce = 2000;
/** after the daemon's start: whoever started it wants something else first */
const firstMs = 20_000;
const pauseMs = 20;

export class Upkeep {
	readonly #parts: UpkeepParts;
	#rounds: Promise<unknown> = Promise.resolve();

	constructor(parts: UpkeepParts) {
		this.#parts = parts;
	}

	/** As a part of the engine: a round soon, then one every now and then. */
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

	/** Everything once; one round at a time. */
	async round(signal: AbortSignal = new AbortController().signal): Promise<void> {
		const mine = this.#rounds.then(() => this.#round(signal));
		this.#rounds = mine;
		await mine;
	}

	async #round(signal: AbortSignal): Promise<void> {
		const { store, clock, limits, retention, workspaces, sweepers } = this.#parts;
		const steps: [string, () => Promise<unknown>][] = [
			["receipts", () => this.#dropReceipts(monotonicNow(clock) - limits.receiptsKeptMs, signal)],
			...sweepers.map((sweep): [string, () => Promise<unknown>] => [
				"leftovers",
				() => sweep({ now: clock.now(), retention, reads: store.reads }),
			]),
		];
		const projects =
			workspaces === null
				? []
				: (await store.reads.projects().catch(() => [])).filter(({ removedAt }) => removedAt === null);
		for (const project of projects)
			steps.push([
				`project ${project.slug}`,
				async () =>
					await workspaces?.gc(projectRepository(project), {
						...(await gcRequest(store.reads, project)),
						dryRun: false,
						atMost,
						signal,
					}),
			]);
		steps.push(["store", () => store.trim()]);
		for (const [name, step] of steps) {
			if (signal.aborted) return;
			await step().catch(
				caught(this.#parts.log, "upkeep", `Could not look after ${name}; tried again in the next round`),
			);
			await pause(pauseMs);
		}
	}

	async #dropReceipts(before: number, signal: AbortSignal): Promise<void> {
		while (!signal.aborted && (await this.#parts.store.dropReceipts(before, receiptsAtOnce)) >= receiptsAtOnce)
			await pause(pauseMs);
	}
}

/** Whose things in a project are whose: what may be freed follows from it. */
export async function gcRequest(
	reads: Reads,
	{ slug }: Pick<ProjectState, "slug">,
): Promise<Pick<GcRequest, "living" | "gone" | "needed">> {
	const agents = await reads.agents({ project: slug });
	const living = agents.filter((agent) => agent.workspaceRemovedAt === null);
	const needed = living.flatMap(({ plan }) =>
		plan?.parent == null || plan.snapshot === null ? [] : [`refs/brood/snapshots/${plan.parent}/${plan.snapshot}`],
	);
	return { living, gone: agents.filter((agent) => agent.workspaceRemovedAt !== null).map(({ id }) => id), needed };
}

/** What a project's upkeep did, or would do. */
export async function runGc(
	workspaces: Workspaces,
	reads: Reads,
	project: ProjectState,
	dryRun: boolean,
): Promise<Leftover[]> {
	return await workspaces.gc(projectRepository(project), { ...(await gcRequest(reads, project)), dryRun });
}

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));
