// Runs one git step on a workspace: takes its lease, records what git did, and releases the lease.
//
// A step that was asked for under a key leaves a trail: its receipt says with the lease that it was begun, and right
// before it cannot be taken back where the branch was; the transaction that records what git did has the answer as
// well. Whoever asks again after a crash in between takes the step up where it was: git is asked whether it had been
// done, and only what is missing is done now.

import type { AgentState } from "#contract/agent.ts";
import type { CommandInput } from "#contract/command.ts";
import { type Actor, type Key, system } from "#contract/ids.ts";
import type { ReceiptAnswer, StartedStep } from "#contract/receipt.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { LeaseStep, Recorded } from "#contract/workspace-step.ts";
import type { Operation, Receipts } from "../loop/receipts.ts";
import { isRetryable, retryWhile } from "../loop/retry.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";
import type { Checkout, StepControl } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { approvedIn, checkoutOf } from "./checkout.ts";

export interface StepParts {
	reads: Reads;
	dispatch: Dispatch;
	workspaces: Workspaces;
	receipts: Receipts;
}

/** Who requests a step, and the idempotency key, if there is one. */
export type Requester = { actor: Actor } | Operation;

const operationOf = (by: Requester): Operation | null => ("key" in by ? by : null);

/** What the same request began before a crash, if it was this step. */
export function startedStepOf(by: Requester, step: LeaseStep): StartedStep | null {
	const begun = operationOf(by)?.begun ?? null;
	return begun?.step === step ? begun : null;
}

export const keyOf = (by: Requester): { key: Key | null; fingerprint?: string } =>
	"key" in by ? { key: by.key, fingerprint: by.fingerprint } : { key: null };

export class Steps {
	readonly #parts: StepParts;
	readonly #stop = new AbortController();
	readonly #neverAborted = new AbortController().signal;
	readonly #running = new Set<Promise<void>>();

	constructor(parts: StepParts) {
		this.#parts = parts;
	}

	/** Does a step of git's while nobody else is at the workspace. */
	async leased<T extends object>(
		agent: AgentState,
		step: LeaseStep,
		by: Requester,
		work: (checkout: Checkout, control: StepControl) => Promise<T | Refusal>,
	): Promise<T | Refusal> {
		const begun = startedStepOf(by, step);
		const command: CommandInput = {
			type: "workspace.lease",
			agent: agent.id,
			step,
			...(begun !== null && { again: true }),
		};
		const operation = operationOf(by);
		const { turn, issue } = agent;
		const said = begun ?? {
			step,
			...(turn !== null && { turn: turn.id }),
			...(issue !== null && { stage: issue.stage }),
		};
		const opens = operation === null ? {} : { closes: receiptOf(operation, { answer: { begun: said } }) };
		const leased = await this.#parts.dispatch({ actor: by.actor, key: null, command, ...opens });
		if ("refused" in leased) return leased.refused;
		const working = this.#work(agent, { by, said }, work);
		const over = working.then(
			() => {},
			() => {},
		);
		this.#running.add(over);
		void over.then(() => this.#running.delete(over));
		return await working;
	}

	/** Written down under the key of whoever asked, and flushed. */
	async begin(by: Requester, begun: StartedStep): Promise<void> {
		const operation = operationOf(by);
		if (operation !== null) await this.#parts.receipts.begin(operation, begun);
	}

	/** Retried until it is recorded: what git did has happened. */
	async record(
		{ agent }: Checkout,
		fact: Recorded,
		by: Requester,
		more: { tell?: string | undefined; closes?: Closing | undefined } = {},
	): Promise<void> {
		const { tell, closes } = more;
		const operation = operationOf(by);
		const mends = operation?.begun == null ? {} : { mends: true as const };
		const command: CommandInput = {
			type: "workspace.record",
			agent: agent.id,
			fact,
			...(tell !== undefined && { tell: tell.slice(0, 10_000) }),
			...mends,
		};
		const receipt = operation === null || closes === undefined ? {} : { closes: receiptOf(operation, closes) };
		await this.#untilRecorded({ actor: by.actor, key: null, command, ...receipt });
	}

	async say(command: CommandInput, by: Requester): Promise<Refusal | null> {
		const outcome = await this.#parts.dispatch({ actor: by.actor, ...keyOf(by), command });
		return "refused" in outcome ? outcome.refused : null;
	}

	async with<T extends object>(
		agent: AgentState,
		work: (checkout: Checkout) => Promise<T | Refusal>,
	): Promise<T | Refusal> {
		const checkout = await checkoutOf(this.#parts.reads, agent);
		if (checkout === null)
			return refuse("VALIDATION_ERROR", `${agent.handle} has no workspace.`, {
				details: { agent: agent.id },
				suggestions: [`brood agent status ${agent.handle}`],
			});
		return await work(checkout);
	}

	/** Commands of projects that are still running are ended; what git was doing is waited for. */
	async drain(): Promise<void> {
		this.#stop.abort();
		await Promise.all(this.#running);
	}

	async #work<T extends object>(
		agent: AgentState,
		how: Taking,
		work: (checkout: Checkout, control: StepControl) => Promise<T | Refusal>,
	): Promise<T | Refusal> {
		try {
			const approved = await approvedIn(this.#parts.reads, agent);
			return await this.with(agent, async (checkout) => {
				await this.#refresh(agent);
				return await work(checkout, { approved, signal: this.#stop.signal, ...this.#trail(how) });
			});
		} finally {
			await this.#untilRecorded({ actor: system, key: null, command: { type: "workspace.free", agent: agent.id } });
		}
	}

	#trail({ by, said }: Taking): Pick<StepControl, "begin" | "begun"> {
		if (operationOf(by) === null) return {};
		// where the branch was before the first attempt stays known, however often it is cut off
		if (said.head !== undefined) return { begun: { head: said.head } };
		return { begin: async ({ head }) => await this.begin(by, { ...said, head }) };
	}

	/**
	 * A mirror is brought up to date before anything is measured against it; a remote that is away is no reason to wait.
	 */
	async #refresh({ project: slug }: Pick<AgentState, "project">): Promise<void> {
		const project = slug === null ? undefined : await this.#parts.reads.project(slug);
		if (project?.url != null) await this.#parts.workspaces.refresh(project, { signal: this.#stop.signal });
	}

	async #untilRecorded(request: Parameters<Dispatch>[0]): Promise<void> {
		await retryWhile(() => this.#parts.dispatch(request), isRetryable, this.#neverAborted);
	}
}

const receiptOf = ({ actor, key, fingerprint }: Operation, closing: Closing) => ({
	actor,
	key,
	fingerprint,
	...closing,
});

/** What is remembered with a record: the answer, or how far it has come. */
export interface Closing {
	answer: ReceiptAnswer;
	given?: unknown;
}

/** The record is the end of it, and this is the answer. */
export const closing = (given: unknown): Closing => ({ answer: { subject: {} }, given });

interface Taking {
	by: Requester;
	/** what is written down of it so far */
	said: StartedStep;
}
