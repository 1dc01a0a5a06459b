// Errands: requests that this node was asked and another one carries out, and the other way round.
//
// What always holds
//   - An errand is carried out at most once: only one life of one node may take it, and that daemon remembers which
//     ones it has begun. A lost answer of the database makes it look again, never begin again.
//   - It is always answered: by the node that took it, however long its database is away, by the transaction that
//     ends the life of that node (`commands/end-errands.ts`), or, if that node is silent and cannot fall because it may
//     believe itself alone, by whoever asked: what was not taken is withdrawn then.
// Rows are the truth; notifications are hints, and everybody looks every second.
import { type NodeEpoch, type NodeId, type NodeState, nodeDown } from "#contract/node.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { retryWhile } from "./loop/retry.ts";
import { doneWithin } from "./loop/time-limits.ts";
import type { Clock, Ids } from "./ports/clock.ts";
import { caught, type Log } from "./ports/log.ts";
import type { Store } from "./ports/store.ts";

export interface ErrandParts {
	store: Pick<Store, "errands" | "notifications" | "reads">;
	/** null in an engine that is not a node: it asks nobody and is asked nothing */
	node: NodeEpoch | null;
	clock: Clock;
	ids: Ids;
	log: Log;
	/** whether no beat of a node comes: it may not answer for a long time */
	isSilent(node: NodeId): boolean;
}

type Asked = Pick<NodeState, "id" | "name" | "state">;
type ErrandReply = { answer: string } | Refusal;

/** Carries out a request, as text, as if it had been sent here; the answer is text as well. */
export type CarryOut = (request: string) => Promise<string>;

/** how long a stop waits for errands; later ones are answered by the transaction in which this node leaves */
const stopMs = 2000;

export class Errands implements AsyncDisposable {
	readonly #parts: ErrandParts;
	readonly #stop = new AbortController();
	readonly #following: Disposable | null;
	readonly #begun = new Map<string, Promise<void>>();
	/** a look that began before their answers were written may still find them */
	readonly #finished = new Set<string>();
	readonly #waiting = new Map<string, { node: Asked; resolve(answer: ErrandReply): void }>();
	#carryOut: CarryOut | null = null;
	#looking: Promise<void> | null = null;
	#again = false;

	constructor(parts: ErrandParts) {
		this.#parts = parts;
		this.#following = parts.store.notifications?.onErrand(() => this.#look()) ?? null;
	}

	/** Carries out what this node is asked from now on. */
	serve(carryOut: CarryOut): void {
		this.#carryOut = carryOut;
		this.#look();
	}

	/** Answers what the other node answers; waits for as long as the caller does. */
	async ask(node: NodeState, request: string, gone?: AbortSignal): Promise<ErrandReply> {
		const { store, clock, ids, node: me } = this.#parts;
		const id = ids.key();
		const { promise, resolve } = Promise.withResolvers<ErrandReply>();
		this.#waiting.set(id, { node, resolve });
		try {
			const errand = { id, node: node.id, epoch: node.epoch, asker: me?.node ?? null, request, at: clock.now() };
			if (!(await store.errands.ask(errand))) return nodeDown((await store.reads.node(node.id)) ?? node);
			this.#tell();
			const left = (): void =>
				resolve(refuse("DAEMON_UNREACHABLE", `The request was cancelled before node ${node.name} answered.`));
			gone?.addEventListener("abort", left, { once: true });
			this.#stop.signal.addEventListener("abort", left, { once: true });
			// it may have left before there was anybody to tell
			if (gone?.aborted === true || this.#stop.signal.aborted) left();
			const answer = await promise;
			gone?.removeEventListener("abort", left);
			this.#stop.signal.removeEventListener("abort", left);
			return answer;
		} finally {
			this.#waiting.delete(id);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#following?.[Symbol.dispose]();
		this.#carryOut = null;
		await doneWithin(stopMs, Promise.all(this.#begun.values()));
		this.#stop.abort();
		await this.#looking;
	}

	#tell(): void {
		const { notifications } = this.#parts.store;
		if (notifications === null) this.#look();
		else notifications.tellErrand();
	}

	#look(): void {
		this.#again = true;
		this.#looking ??= this.#lookAgain()
			.catch(caught(this.#parts.log, "errands", "Errands could not be looked for; retrying"))
			.finally(() => {
				this.#looking = null;
			});
	}

	async #lookAgain(): Promise<void> {
		while (this.#again && !this.#stop.signal.aborted) {
			this.#again = false;
			await this.#begin();
			await this.#readAnswers();
		}
	}

	async #begin(): Promise<void> {
		const { node, store } = this.#parts;
		const carryOut = this.#carryOut;
		if (node === null || carryOut === null) return;
		const finished = [...this.#finished];
		for (const { id, request } of await store.errands.take(node))
			if (!this.#begun.has(id) && !this.#finished.has(id)) this.#begun.set(id, this.#do(id, request, carryOut));
		for (const id of finished) this.#finished.delete(id);
	}

	async #do(id: string, request: string, carryOut: CarryOut): Promise<void> {
		const { store, log } = this.#parts;
		const answer = await carryOut(request);
		await retryWhile(
			() => store.errands.answer(id, answer).then(() => true),
			() => false,
			this.#stop.signal,
		).catch(caught(log, "errands", "The answer to an errand could not be written", { errand: id }));
		this.#finished.add(id);
		this.#begun.delete(id);
		this.#tell();
	}

	async #readAnswers(): Promise<void> {
		if (this.#waiting.size === 0) return;
		const answers = await this.#parts.store.errands.answers([...this.#waiting.keys()]);
		for (const { id, answer } of answers) this.#waiting.get(id)?.resolve({ answer });
		const answered = new Set(answers.map(({ id }) => id));
		for (const [id, { node, resolve }] of [...this.#waiting])
			if (!answered.has(id) && this.#parts.isSilent(node.id)) resolve(await this.#giveUp(id, node));
	}

	async #giveUp(id: string, node: Asked): Promise<ErrandReply> {
		const { errands } = this.#parts.store;
		if (await errands.withdraw(id)) return nodeSilent(node, "Nothing was done.");
		const [late] = await errands.answers([id]);
		return late === undefined ? nodeSilent(node, "The request may have been carried out.") : { answer: late.answer };
	}
}

const nodeSilent = ({ id, name, state }: Asked, done: string): Refusal =>
	refuse("NODE_DOWN", `Node ${name} is silent: no beat of it comes. ${done}`, {
		details: { node: id, state },
		suggestions: ["brood node list", `if its machine is off: brood node fall ${name}`],
	});
