// Leases: one git step on a workspace at a time, and a crash in the middle of it is seen.
//
// The problem. A git step takes long, happens outside of every transaction, and cannot be undone. Meanwhile a turn or
// another step could start in the same files, the agent could be forked or deleted, and the daemon can die at any
// moment: before git has done anything, in the middle, or after it and before the store knows.
//
// What always holds
//   - A step has a lease: a field of the agent's row, taken by a command and therefore by one caller only. Agents that
//     share the tree get it too. While it is there, no turn and no other step starts; callers are refused with the
//     name of the running step.
//   - A lease has no time limit. It ends with the step or with the daemon, whose processes all end with it. So every
//     lease that the next daemon finds belongs to an interrupted step. It becomes a `recovery` hold (`recover.ts`; not
//     that of a fork or a snapshot, which change nothing), which `resume` ends if nothing was left half done
//     (`lookAfterCrash`).
//   - A turn is guarded in the same way: the agent's row names the open one, and commands of any other are refused
//     (`domain/turn.ts`). The hand-over of its prompt is recorded on the turn's row, once.
//   - The result of git is recorded with retries; a full disk or a lost connection only delays it.
//
// The steps
//   1. `workspace.lease`. For a request with a key, the same transaction writes a receipt that the step was begun
//   2. git reads. Right before a change that cannot be undone, the receipt gets the branch's commit
//   3. git changes
//   4. `workspace.record`: the result, the answer under the key, and the end of the lease, in one transaction; without
//      a result, `workspace.free`. An approve records under the key that it was merged, and its answer when all agents
//      were brought up to date. Of `recover` and `delete` the last command, after this one, has the key
//
// A crash
//   - before 3: nothing happened; a retry starts again
//   - between 3 and 4: a retry with the same key continues. If the branch has moved from the commit in the receipt,
//     only what is missing is done. One request never makes two commits
//   - after 4: a retry gets the recorded answer; `approve` goes on after its merge, a recover or delete is repeated
//
// Why not another way
//   - a lease that expires: a long step would have to renew it, and a slow disk would let two in
//   - a lock in memory: after a crash it would not say which step was interrupted
import type { AgentState } from "#contract/agent.ts";
import type { CommandInput } from "#contract/command.ts";
import type { Actor, IdempotencyKey } from "#contract/ids.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import type { ReceiptOutcome, StartedStep } from "#contract/receipt.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { RemoteStatus } from "#contract/workspace.ts";
import type { LeaseStep, Recorded } from "#contract/workspace-step.ts";
import { noWorkspace } from "#domain/workspace.ts";
import type { Receipts, ResumableRequest } from "../loop/receipts.ts";
import { untilRecorded } from "../loop/retry.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";
import type { Checkout, StepControl } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { approvedIn, checkoutOf } from "./checkout.ts";
import { whileLeased } from "./leased.ts";

export interface StepParts {
	reads: Reads;
	dispatch: Dispatch;
	workspaces: Workspaces;
	receipts: Receipts;
	/** this node: other nodes' files are not here; everything is if null */
	node: NodeEpoch | null;
}

/** Who requests a step, and the idempotency key, if there is one. */
export type Requester = { actor: Actor } | ResumableRequest;

/** Steps that compare with base, so that what the remote has is fetched first. An approve does so by itself. */
const comparing: readonly LeaseStep[] = ["sync", "switch", "release", "recover"];

const resumableOf = (by: Requester): ResumableRequest | null => ("key" in by ? by : null);

/** What the same request began before a crash, if it was this step. */
export function startedStepOf(by: Requester, step: LeaseStep): StartedStep | null {
	const begun = resumableOf(by)?.begun ?? null;
	return begun?.step === step ? begun : null;
}

export const keyAndFingerprint = (by: Requester): { key: IdempotencyKey | null; fingerprint?: string } =>
	"key" in by ? { key: by.key, fingerprint: by.fingerprint } : { key: null };

export class Steps {
	readonly #parts: StepParts;
	readonly #stop = new AbortController();
	readonly #running = new Set<Promise<void>>();

	constructor(parts: StepParts) {
		this.#parts = parts;
	}

	/** Runs a git step under a lease. */
	async leased<T extends object>(
		agent: AgentState,
		step: LeaseStep,
		by: Requester,
		work: (checkout: Checkout, control: StepControl, origin: RemoteStatus | null) => Promise<T | Refusal>,
		{ fetched = !comparing.includes(step) } = {},
	): Promise<T | Refusal> {
		const begun = startedStepOf(by, step);
		const again = begun === null ? {} : { again: true as const };
		const command = { type: "workspace.lease" as const, agent: agent.id, step, ...again };
		const resumable = resumableOf(by);
		const { turn, issue } = agent;
		const started = begun ?? {
			step,
			...(turn !== null && { turn: turn.id }),
			...(issue !== null && { stage: issue.stage }),
		};
		const receipt = resumable === null ? {} : { receipt: receiptOf(resumable, { outcome: { begun: started } }) };
		const lease = { actor: by.actor, key: null, command, ...receipt };
		const working = whileLeased(
			this.#parts,
			lease,
			async (refused) => refused ?? (await this.#work(agent, { by, started, fetched }, work)),
		);
		const over = working.then(
			() => {},
			() => {},
		);
		this.#running.add(over);
		void over.then(() => this.#running.delete(over));
		return await working;
	}

	/** Writes a durable receipt under the caller's key. */
	async begin(by: Requester, begun: StartedStep): Promise<void> {
		const resumable = resumableOf(by);
		if (resumable !== null) await this.#parts.receipts.begin(resumable, begun);
	}

	/** Retried until it is recorded: git's change has happened. */
	async record(
		{ agent }: Checkout,
		event: Recorded,
		by: Requester,
		more: { tell?: string | undefined; receipt?: StepReceipt | undefined; frees?: boolean } = {},
	): Promise<void> {
		const { tell, receipt, frees = false } = more;
		const resumable = resumableOf(by);
		const completesInterruptedStep = resumable?.begun == null ? {} : { completesInterruptedStep: true as const };
		const command: CommandInput = {
			type: "workspace.record",
			agent: agent.id,
			event,
			...(tell !== undefined && { tell: tell.slice(0, 10_000) }),
			...completesInterruptedStep,
			...(frees && { frees }),
		};
		const stored = resumable === null || receipt === undefined ? {} : { receipt: receiptOf(resumable, receipt) };
		await untilRecorded(this.#parts.dispatch, { actor: by.actor, key: null, command, ...stored });
	}

	async send(command: CommandInput, by: Requester): Promise<Refusal | null> {
		const outcome = await this.#parts.dispatch({ actor: by.actor, ...keyAndFingerprint(by), command });
		return "refused" in outcome ? outcome.refused : null;
	}

	async with<T extends object>(
		agent: AgentState,
		work: (checkout: Checkout) => Promise<T | Refusal>,
	): Promise<T | Refusal> {
		if (!isOwn(this.#parts.node, agent)) return atAnotherNode(agent);
		const checkout = await checkoutOf(this.#parts.reads, agent);
		return checkout === null ? noWorkspace(agent) : await work(checkout);
	}

	/** Ends projects' commands that are still running, and waits for git. */
	async drain(): Promise<void> {
		this.#stop.abort();
		await Promise.all(this.#running);
	}

	async #work<T extends object>(
		agent: AgentState,
		how: StepAttempt,
		work: (checkout: Checkout, control: StepControl, origin: RemoteStatus | null) => Promise<T | Refusal>,
	): Promise<T | Refusal> {
		const approved = await approvedIn(this.#parts.reads, agent);
		return await this.with(agent, async (checkout) => {
			const { signal } = this.#stop;
			const { base } = checkout.workspace;
			const origin = how.fetched ? null : await this.#parts.workspaces.refresh(checkout.project, { base, signal });
			return await work(checkout, { approved, signal, ...this.#beginControl(how) }, origin);
		});
	}

	#beginControl({ by, started }: StepAttempt): Pick<StepControl, "begin" | "begun"> {
		if (resumableOf(by) === null) return {};
		// the branch's commit before the first attempt is kept, however often the step is interrupted
		if (started.head !== undefined) return { begun: { head: started.head } };
		return { begin: async ({ head }) => await this.begin(by, { ...started, head }) };
	}
}

/** Requests go to the agent's node; this is for what is done beside it. */
const atAnotherNode = ({ handle, node }: Pick<AgentState, "handle" | "node">): Refusal =>
	refuse("CONFLICT", `The files of ${handle} are on another node.`, {
		details: { node },
		suggestions: ["brood node list"],
	});

const receiptOf = ({ actor, key, fingerprint }: ResumableRequest, receipt: StepReceipt) => ({
	actor,
	key,
	fingerprint,
	...receipt,
});

/** The receipt that is written with a record: the answer, or how far the step is. */
export interface StepReceipt {
	outcome: ReceiptOutcome;
	answer?: unknown;
}

/** The record ends the step, with this answer. */
export const answeredWith = (answer: unknown): StepReceipt => ({ outcome: { subject: {} }, answer });

interface StepAttempt {
	by: Requester;
	/** as its receipt has it so far */
	started: StartedStep;
	/** the step needs nothing of the remote, or has just been told of it */
	fetched: boolean;
}
