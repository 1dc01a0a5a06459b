// The agents of a project after its base has moved.
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, type ProjectSlug, system } from "#contract/ids.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Reads } from "../ports/store.ts";
import type { MoveResult } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { checkoutOf } from "./checkout.ts";
import type { Requester, Steps } from "./steps.ts";

/** so long an answer waits for agents that are brought up to date */
const syncMs = 10_000;
/** so many at the same time */
const syncsMax = 8;

/** What became of another agent after a merge. */
export interface Synced {
	agent: AgentId;
	handle: string;
	moved: boolean;
	text: string;
}

/** What is done with one of them. */
interface Verbs {
	steps: Pick<Steps, "say">;
	forward(agent: AgentState, by: Requester): Promise<MoveResult | Refusal>;
	lookAfterCrash(agent: AgentState): Promise<void>;
}

export class Followers {
	readonly #parts: { reads: Reads; workspaces: Workspaces };
	readonly #verbs: Verbs;
	readonly #syncing = new Set<AgentId>();
	#stopped = false;

	constructor(parts: { reads: Reads; workspaces: Workspaces }, verbs: Verbs) {
		this.#parts = parts;
		this.#verbs = verbs;
	}

	/** No further agent is begun with. */
	stop(): void {
		this.#stopped = true;
	}

	/**
	 * Idle, unheld and clean agents with nothing of their own go to base; the others are told how far they are behind.
	 * One agent's tree may take for ever to be looked at, and nobody waits for it: after a moment it goes on by itself,
	 * and the answer says so.
	 */
	async bringAlong(project: ProjectSlug, by: Requester): Promise<Synced[]> {
		const all = (await this.#parts.reads.agents({ project })).filter(
			({ life, workspace }) => life === "live" && workspace !== null && workspace.kind !== "main",
		);
		const waiting = all.toReversed();
		const found = new Map<AgentId, Pick<Synced, "moved" | "text"> | null>();
		const work = async (): Promise<void> => {
			for (let agent = waiting.pop(); agent !== undefined && !this.#stopped; agent = waiting.pop()) {
				// one that did not come to an end the last time is not waited for again
				if (this.#syncing.has(agent.id)) continue;
				this.#syncing.add(agent.id);
				// one tree that cannot be read must not keep the others from being brought up to date
				const result = await this.#bringUpToDate(agent, { actor: by.actor }).catch(() => ({
					moved: false,
					text: "its workspace could not be looked at",
				}));
				this.#syncing.delete(agent.id);
				found.set(agent.id, result);
			}
		};
		await within(syncMs, Promise.all(Array.from({ length: syncsMax }, work)));
		return all.flatMap(({ id, handle }) => {
			const result = found.has(id) ? found.get(id) : { moved: false, text: "its workspace is still being looked at" };
			return result ? [{ agent: id, handle, ...result }] : [];
		});
	}

	/** One whose own update was cut off is taken along like the others, if nothing is half done. */
	async #lookedAt(agent: AgentState): Promise<AgentState> {
		if (!agent.holds.some(({ kind, step }) => kind === "recovery" && step === "sync")) return agent;
		await this.#verbs.lookAfterCrash(agent);
		return (await this.#parts.reads.agent(agent.id)) ?? agent;
	}

	async #bringUpToDate(found: AgentState, by: Requester): Promise<{ moved: boolean; text: string } | null> {
		const agent = await this.#lookedAt(found);
		const checkout = await checkoutOf(this.#parts.reads, agent);
		const standing = checkout === null ? null : await this.#parts.workspaces.branchStatus(checkout);
		if (checkout === null || standing === null || isRefusal(standing))
			return { moved: false, text: "its workspace could not be looked at" };
		if (standing.behind === 0) return null;
		const free = agent.turn === null && agent.holds.length === 0 && agent.lease === null;
		if (free && standing.ahead === 0 && !standing.dirty) {
			const moved = await this.#verbs.forward(agent, by);
			if (!isRefusal(moved)) return { moved: true, text: moved.text };
		}
		const text = `Your branch is ${standing.behind} ${standing.behind === 1 ? "commit" : "commits"} behind ${checkout.workspace.base}.`;
		await this.#verbs.steps.say({ type: "item.append", agent: agent.id, kind: "system", text }, { actor: system });
		return { moved: false, text };
	}
}

async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
	const late = Promise.withResolvers<void>();
	const timer = setTimeout(late.resolve, timeoutMs);
	await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
