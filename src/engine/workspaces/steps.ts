// Fencing: runs one git step on a workspace, so that nobody else is at it, and so that a crash in the middle is found.
//
// The problem. What git does takes long, happens outside of every transaction, and cannot be taken back. Meanwhile a
// turn could begin in the same files, another step could, the agent could be forked or deleted, and the daemon can die
// at any moment: before git has done anything, in the middle, or after it and before the store knows.
//
// What always holds
//   - A step has a lease: a mark on the agent's row, taken by a command like any other and therefore by one asker only.
//     Agents that share the tree are marked with it. While it is there no turn starts, and no other step does; whoever
//     asks is told which step is at work.
//   - A lease has no time limit. It ends with the step, or with the process that holds it: nothing of ours goes on
//     after the daemon's end (processes are ended with it), so the next daemon knows that every lease it finds is of
//     a step that was cut off. It turns it into a `recovery` hold (`recover.ts`), which ends by itself if nothing was
//     left half done (`lookAfterCrash`).
//   - A turn has the same fence: the agent's row names the one that is open, and whatever speaks for another one is
//     refused (`domain/turn.ts`). The hand-over of its prompt is a claim on the turn's row that is granted once.
//   - What git did is recorded however often it takes; a full disk or a lost connection only makes it late.
//
// The steps
//   1. `workspace.lease`. Of a request under a key, the receipt says in the same transaction that it was begun
//   2. git looks. Right before what cannot be taken back, the receipt says where the branch was
//   3. git acts
//   4. `workspace.record`: what came of it, the answer under the key, and the end of the lease, in one transaction;
//      where there is nothing to record, `workspace.free`
//
// A crash
//   - before 3: nothing happened; the same request begins anew
//   - between 3 and 4: whoever asks again with the same key takes the step up where it was. git is asked whether the
//     branch has moved from where it was, and only what is missing is done. Two commits are never made of one request
//   - after 4: the same request gets the recorded answer
//
// Why not another way
//   - a lease that expires: a step of any length would have to prove that it still lives, and a slow disk would let two
//     in
//   - a lock in memory: after a crash it would not say which step was cut off
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
		more: { tell?: string | undefined; closes?: Closing | undefined; frees?: boolean } = {},
	): Promise<void> {
		const { tell, closes, frees = false } = more;
		const operation = operationOf(by);
		const mends = operation?.begun == null ? {} : { mends: true as const };
		const command: CommandInput = {
			type: "workspace.record",
			agent: agent.id,
			fact,
			...(tell !== undefined && { tell: tell.slice(0, 10_000) }),
			...mends,
			...(frees && { frees }),
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
