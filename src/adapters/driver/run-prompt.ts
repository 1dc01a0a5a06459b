// One turn of one process: the prompt goes in, what it says comes out as items, and how it ended as a value.
import { createHash } from "node:crypto";
import type { ApprovalQuestion } from "#contract/approval.ts";
import type { TurnItem } from "#contract/turn.ts";
import type { Clock } from "#engine/ports/clock.ts";
import type { TurnResult, TurnWatch } from "#engine/ports/driver.ts";
import type { Launched, PromptHandlers } from "./acp/launch.ts";
import { errorText, limitFromText, limitOf } from "./acp/limits.ts";
import { type Question, questionOf } from "./acp/question.ts";
import { begun, emptyTranslation, finish, type Translated, type Translation, translate } from "./acp/translate.ts";
import { countUp, tokensOf, tokensSoFar, usageItem } from "./acp/usage.ts";
import { PendingQuestions } from "./pending-questions.ts";

/** More than this waiting to be written, and the process has to wait too. */
const waitingMax = 64;
const batchMax = 64;
/** what was used waits so long for something to be written with: at the end of a turn that is the end itself */
const lingerMs = 15;
/** A program that met a limit and says nothing for so long is waiting for it to end. */
const limitPatienceMs = 30_000;

export interface RunPromptOptions {
	watch: TurnWatch;
	clock: Clock;
	/** whether all of these files are its own to change */
	areInside(places: readonly string[]): Promise<boolean>;
	/**
	 * Our own programs tell of a limit in a way of their own; others may use words. And what ours left running is ended
	 * after their last words, which do not wait for that; after others nothing is done, and their last words are written
	 * with the end.
	 */
	isOurs: boolean;
	/** told of what cannot be written */
	caught(error: unknown): void;
}

export async function runPrompt(
	process: Launched,
	text: string,
	{ watch, clock, areInside, isOurs, caught }: RunPromptOptions,
	signal: AbortSignal,
): Promise<TurnResult> {
	let state = emptyTranslation();
	const outbox = new Outbox(watch, caught);
	const take = ({ next, items, delta, partial }: Translated): void => {
		state = next;
		outbox.put(items);
		if (partial !== undefined) watch.partial(partial.of, partial.output);
		if (delta !== null) watch.delta(delta);
	};
	const since = countUp();
	/** on the way only if something was used; at the end also how full the window is */
	const used = (tokens: ReturnType<typeof tokensOf>, atTheEnd: boolean): boolean => {
		const cost = process.spent(state.window?.cost ?? null);
		const fresh = since(tokens);
		const items =
			atTheEnd || fresh !== null || (cost !== null && cost.amount > 0) ? usageItem(fresh, state.window, cost) : [];
		outbox.put(items);
		return items.length > 0;
	};
	const asking = new PendingQuestions(watch, (question) => asked(question, areInside));
	const limit = new LimitWatch(() => process.cancel());
	const on: PromptHandlers = {
		complaint: (words) => limit.complain(words, clock.now()),
		update: (update) => {
			watch.heard();
			limit.over();
			take(translate(state, update));
			if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
				asking.look(update.toolCallId);
			if (update.sessionUpdate !== "usage_update" || !used(tokensSoFar(update), false)) return;
			void outbox.written().then(() => (outbox.isClosed ? undefined : watch.used().catch(caught)));
		},
		drained: () => outbox.drained(),
		// whoever is asked sees first what led to the question
		async ask(request) {
			take(begun(state, request.toolCall));
			await outbox.empty();
			const { toolCallId } = request.toolCall;
			return await asking.ask(toolCallId, () => questionOf(request, state.calls.get(toolCallId)));
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
	// some programs end a turn that failed as if it had not, and say so on the way
	const reason = lastMessage ?? "its program failed";
	return { state: "failed", reason, text: null, ...limitFromText(lastMessage ?? "", now) };
}

/** With what only the disk knows: whether the files that it names are where it may change them. */
async function asked(
	{ places, ...question }: Question,
	areInside: RunPromptOptions["areInside"],
): Promise<ApprovalQuestion> {
	// "always" is for the files of an edit; of anything else it is for exactly what is asked
	const files = question.files.toSorted().join("\0");
	const about =
		question.tool === "edit" && places.length > 0
			? files
			: files === ""
				? question.content
				: `${question.content}\0${files}`;
	return {
		...question,
		inside: await areInside(places),
		digest: createHash("sha256").update(about.toWellFormed()).digest("hex"),
	};
}

/** Programs that wait for a limit to end by themselves would keep their turn open, and their slot, for hours. */
class LimitWatch {
	met: { reason: string; limit: NonNullable<TurnResult["limit"]> } | null = null;
	readonly #stop: () => void;
	#timer: NodeJS.Timeout | null = null;

	constructor(stop: () => void) {
		this.#stop = stop;
	}

	complain(words: string, now: number): void {
		const { limit } = limitFromText(words, now);
		if (limit === undefined) return;
		this.over();
		this.#timer = setTimeout(() => {
			this.met = { reason: words, limit };
			this.#stop();
		}, limitPatienceMs);
	}

	/** It goes on, or has ended. */
	over(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
		this.#timer = null;
	}
}

/** Items on their way into the journal: in order, several at a time, and never too many. */
class Outbox {
	readonly #watch: TurnWatch;
	readonly #caught: (error: unknown) => void;
	#waiting: TurnItem[] = [];
	#writing: Promise<void> | null = null;
	/** ends the lingering */
	#hurry = (): void => {};
	/** nothing more is written from here */
	#closed = false;

	constructor(watch: TurnWatch, caught: (error: unknown) => void) {
		this.#caught = caught;
		this.#watch = watch;
	}

	/** the turn is over, and what it used is looked at with its end */
	get isClosed(): boolean {
		return this.#closed;
	}

	put(items: readonly TurnItem[]): void {
		this.#waiting.push(...items);
		if (items.some(({ kind }) => kind !== "usage")) this.#hurry();
		if (this.#waiting.length > 0) this.#writing ??= this.#write();
	}

	async drained(): Promise<void> {
		while (this.#waiting.length > waitingMax && this.#writing !== null) await this.#writing;
	}

	async written(): Promise<void> {
		while (this.#writing !== null) await this.#writing;
	}

	/** The same, without lingering. */
	async empty(): Promise<void> {
		this.#hurry();
		await this.written();
	}

	/** What is not being written yet: not more than fits into one command. */
	async rest(): Promise<TurnItem[]> {
		this.#closed = true;
		await this.empty();
		while (this.#waiting.length > batchMax) await this.#send();
		return this.#waiting.splice(0);
	}

	async #write(): Promise<void> {
		// what arrives in the same moment is written together
		await Promise.resolve();
		while (this.#waiting.length > 0 && !this.#closed) {
			if (this.#waiting.every(({ kind }) => kind === "usage")) await this.#linger();
			if (!this.#closed) await this.#send();
		}
		this.#writing = null;
	}

	/**
	 * A rejection means that the store is broken, and the engine about to end; or that there is a bug, and these items
	 * are lost.
	 */
	async #send(): Promise<void> {
		await this.#watch.items(this.#waiting.splice(0, batchMax)).catch(this.#caught);
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
	const words = errorText(error);
	return words === "ACP connection closed" ? "its process ended" : words;
}
