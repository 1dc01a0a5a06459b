// Runs one turn in a process: sends the prompt, turns its updates into items, and returns how it ended.
import { createHash } from "node:crypto";
import type { ApprovalQuestion } from "#contract/approval.ts";
import type { CheckedFiles, FileCheck } from "#contract/file-check.ts";
import type { TurnItem } from "#contract/turn.ts";
import type { Clock } from "#engine/ports/clock.ts";
import type { TurnResult, TurnWatch } from "#engine/ports/driver.ts";
import type { Launched, PromptHandlers } from "./acp/launch.ts";
import { questionOf } from "./acp/question.ts";
import { begun, emptyTranslation, finish, type Translated, type Translation, translate } from "./acp/translate.ts";
import { countUp, tokensOf, tokensSoFar, usageItem } from "./acp/usage.ts";
import { limitFromText, limitOf, messageOfError } from "./acp/usage-limit.ts";
import { PendingQuestions, type QuestionNow } from "./pending-questions.ts";

/** With more items waiting to be written, the process has to wait. */
const waitingMax = 64;
const batchMax = 64;
const deltasMax = 1000;
/** the longest content of a question, and the most bytes of files that it overwrites in it */
const [contentMax, oldTextMax] = [900_000, 100_000];
/** usage items wait this long for others to be written with */
const lingerMs = 15;
/** A program that reached a limit and is silent for so long waits for the limit to end. */
const limitTimeoutMs = 30_000;

type OutgoingDelta = Parameters<TurnWatch["delta"]>[0];

export interface RunPromptOptions {
	watch: TurnWatch;
	clock: Clock;
	/** what has to be known of the files that a call names */
	checkFiles(check: FileCheck): Promise<CheckedFiles>;
	/**
	 * Our own programs report limits as data; others in text. The last items of ours are written before their processes
	 * are ended; those of others are written with the end of the turn.
	 */
	isOurs: boolean;
	/** called for an item that cannot be written */
	caught(error: unknown): void;
}

export async function runPrompt(
	process: Launched,
	text: string,
	{ watch, clock, checkFiles, isOurs, caught }: RunPromptOptions,
	signal: AbortSignal,
): Promise<TurnResult> {
	let state = emptyTranslation();
	const outbox = new Outbox(watch, caught);
	const take = ({ next, items, delta, partial }: Translated): void => {
		state = next;
		outbox.put(items);
		if (partial !== undefined) watch.partial(partial);
		if (delta !== null) outbox.putDelta(delta);
	};
	const since = countUp();
	/** during the turn only if something was used; at the end always, with the size of the context window */
	const used = (tokens: ReturnType<typeof tokensOf>, atTheEnd: boolean): boolean => {
		const cost = process.costOf(state.window?.cost ?? null);
		const fresh = since(tokens);
		const items =
			atTheEnd || fresh !== null || (cost !== null && cost.amount > 0) ? usageItem(fresh, state.window, cost) : [];
		outbox.put(items);
		return items.length > 0;
	};
	const asking = new PendingQuestions(watch, (now) => completeQuestion(now, checkFiles));
	const limit = new LimitWatch(() => process.cancel());
	const on: PromptHandlers = {
		providerError: (text) => limit.providerError(text, clock.now()),
		update: (update) => {
			watch.noteOutput();
			limit.over();
			take(translate(state, update));
			if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
				asking.update(update.toolCallId);
			if (update.sessionUpdate !== "usage_update" || !used(tokensSoFar(update), false)) return;
			void outbox.written().then(() => (outbox.isClosed ? undefined : watch.used().catch(caught)));
		},
		drained: () => outbox.drained(),
		// the items before the question are written first
		async ask(request) {
			take(begun(state, request.toolCall));
			await outbox.empty();
			const { toolCallId } = request.toolCall;
			return await asking.ask(toolCallId, (files) => questionOf(request, state.calls.get(toolCallId), files));
		},
	};
	const end = await process.prompt(text, on).then(
		({ stopReason, ...answer }): TurnResult => {
			take(finish(state));
			used(tokensOf(answer), true);
			if (limit.met !== null && !signal.aborted) return { state: "failed", text: null, ...limit.met };
			return resultOf(state, stopReason, clock.now());
		},
		(error: unknown): TurnResult => {
			take(finish(state));
			const how = signal.aborted ? "interrupted" : "failed";
			return {
				state: how,
				reason: reasonOf(error),
				text: null,
				...limitOf(error, { now: clock.now(), fromText: !isOurs }),
			};
		},
	);
	limit.over();
	if (!isOurs) return { ...end, last: await outbox.rest() };
	await outbox.empty();
	return end;
}

function resultOf({ failed, lastMessage }: Translation, stopReason: string, now: number): TurnResult {
	if (stopReason === "cancelled") return { state: "interrupted", reason: "cancelled", text: null };
	if (!failed) return { state: "completed", reason: stopReason === "end_turn" ? null : stopReason, text: lastMessage };
	// some programs report a failure during the turn, and end it normally
	const reason = lastMessage ?? "its program failed";
	return { state: "failed", reason, text: null, ...limitFromText(lastMessage ?? "", now) };
}

/** Adds whether the agent may change the files, and what it would overwrite, which needs the disk. */
async function completeQuestion(
	now: QuestionNow,
	checkFiles: RunPromptOptions["checkFiles"],
): Promise<ApprovalQuestion> {
	const { paths, written, content } = now([]);
	// with every line of the old texts it still has to be short enough to be asked
	const bytesMax = Math.max(0, Math.min(oldTextMax, Math.floor((contentMax - content.length) / 3)));
	const { allowed, existing } = await checkFiles({ paths, written, bytesMax });
	const { paths: _, written: __, ...question } = now(existing);
	// "always" applies to the files of an edit, and otherwise to exactly this question
	const files = question.files.toSorted().join("\0");
	const about =
		question.tool === "edit" && paths.length > 0
			? files
			: files === ""
				? question.content
				: `${question.content}\0${files}`;
	return {
		...question,
		inside: allowed,
		digest: createHash("sha256").update(about.toWellFormed()).digest("hex"),
	};
}

/** Ends a turn whose program waits for a limit: it would keep its slot for hours. */
class LimitWatch {
	met: { reason: string; limit: NonNullable<TurnResult["limit"]> } | null = null;
	readonly #stop: () => void;
	#timer: NodeJS.Timeout | null = null;

	constructor(stop: () => void) {
		this.#stop = stop;
	}

	providerError(words: string, now: number): void {
		const { limit } = limitFromText(words, now);
		if (limit === undefined) return;
		this.over();
		this.#timer = setTimeout(() => {
			this.met = { reason: words, limit };
			this.#stop();
		}, limitTimeoutMs);
	}

	/** The program continues, or has ended. */
	over(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
		this.#timer = null;
	}
}

const isTurnItem = (each: TurnItem | { delta: OutgoingDelta }): each is TurnItem => "kind" in each;

/**
 * Writes items to the journal in batches, with a bounded queue. Deltas wait until the items before them are written, so
 * that readers get both in the order of what happened.
 */
class Outbox {
	readonly #watch: TurnWatch;
	readonly #caught: (error: unknown) => void;
	#waiting: (TurnItem | { delta: OutgoingDelta })[] = [];
	#deltas = 0;
	#writing: Promise<void> | null = null;
	/** ends the wait for more items */
	#hurry = (): void => {};
	/** no more items are written from here */
	#closed = false;

	constructor(watch: TurnWatch, caught: (error: unknown) => void) {
		this.#caught = caught;
		this.#watch = watch;
	}

	get isClosed(): boolean {
		return this.#closed;
	}

	put(items: readonly TurnItem[]): void {
		this.#waiting.push(...items);
		if (items.some(({ kind }) => kind !== "usage")) this.#hurry();
		if (this.#waiting.length > 0) this.#writing ??= this.#write();
	}

	putDelta(delta: OutgoingDelta): void {
		if (this.#writing === null) this.#watch.delta(delta);
		// a stalled store is not a reason to keep more: the whole message comes as an item
		else if (this.#deltas < deltasMax) {
			this.#deltas++;
			this.#waiting.push({ delta });
			this.#hurry();
		}
	}

	async drained(): Promise<void> {
		while (this.#waiting.length - this.#deltas > waitingMax && this.#writing !== null) await this.#writing;
	}

	async written(): Promise<void> {
		while (this.#writing !== null) await this.#writing;
	}

	/** As `written`, without waiting for more items. */
	async empty(): Promise<void> {
		this.#hurry();
		await this.written();
	}

	/** The items that are not written yet, at most one batch. */
	async rest(): Promise<TurnItem[]> {
		this.#closed = true;
		await this.empty();
		while (this.#waiting.length - this.#deltas > batchMax) await this.#send();
		return this.#waiting.splice(0).filter(isTurnItem);
	}

	async #write(): Promise<void> {
		// items of the same moment are written together
		await Promise.resolve();
		while (this.#waiting.length > 0 && !this.#closed) {
			if (this.#waiting.every((each) => isTurnItem(each) && each.kind === "usage")) await this.#linger();
			if (!this.#closed) await this.#send();
		}
		this.#writing = null;
	}

	/**
	 * The deltas that come first, then the items up to the next delta. A rejection means that the store is broken, and
	 * the engine about to end; or that there is a bug, and these items are lost.
	 */
	async #send(): Promise<void> {
		for (let [first] = this.#waiting; first !== undefined && "delta" in first; [first] = this.#waiting) {
			this.#waiting.shift();
			this.#deltas--;
			this.#watch.delta(first.delta);
		}
		const end = this.#waiting.findIndex((each) => "delta" in each);
		const count = Math.min(batchMax, end < 0 ? this.#waiting.length : end);
		const items = this.#waiting.splice(0, count).filter(isTurnItem);
		if (items.length > 0) await this.#watch.items(items).catch(this.#caught);
	}

	async #linger(): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#hurry = resolve;
		const timer = setTimeout(resolve, lingerMs);
		await promise;
		clearTimeout(timer);
	}
}

function reasonOf(error: unknown): string {
	const words = messageOfError(error);
	return words === "ACP connection closed" ? "its process ended" : words;
}
