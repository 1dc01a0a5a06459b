// Records one turn in the journal: its items, its approvals, and how long it has been silent.

import type { ApprovalRequest, ApprovalState } from "#contract/approval.ts";
import type { CommandWithout } from "#contract/command.ts";
import { type Limits, utf8Bytes } from "#contract/limits.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { PartialOf, TurnItem, TurnState } from "#contract/turn.ts";
import { followCalls } from "#domain/turn-end.ts";
import { usedUp } from "#domain/usage.ts";
import type { Publisher } from "../loop/publish.ts";
import { until } from "../loop/until.ts";
import type { Blobs, Partials } from "../ports/blobs.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Outcome } from "../ports/dispatch.ts";
import type { PermissionAnswer, TurnWatch } from "../ports/driver.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";
import { PartialOutputFile } from "./partial-output.ts";

export interface TurnRecorderParts {
	reads: Reads;
	publisher: Publisher;
	/** null where there is no place for long texts: then they are cut */
	blobs: Blobs | null;
	/** null where nothing outlives the daemon anyway */
	partials: Partials | null;
	clock: Clock;
	limits: Limits;
	log: Log;
}

/** how much of a text that is kept elsewhere is still in its item */
const previewLength = 16 * 1024;
/** how much of what an open call has put out is kept for the case of a crash */
const partialLengthMax = 128 * 1024;
/** what the rest of an item may need beside its text */
const dataRoom = 128 * 1024;

export class TurnRecorder implements TurnWatch, Disposable {
	readonly #turn: TurnState;
	readonly #parts: TurnRecorderParts;
	readonly #say: (command: CommandWithout<"agent" | "turn">) => Promise<Outcome>;
	readonly #signal: AbortSignal;
	/** the calls of the turn that have no result yet */
	readonly #openCalls = new Set<string>();
	readonly #partial: PartialOutputFile;
	#yields = false;
	/** a question was refused, and the agent was told */
	#refused = false;
	#heardAt: number;
	#silent = false;
	#timer: ReturnType<typeof setTimeout> | undefined;

	constructor(
		turn: TurnState,
		parts: TurnRecorderParts,
		say: (command: CommandWithout<"agent" | "turn">) => Promise<Outcome>,
		signal: AbortSignal,
	) {
		this.#turn = turn;
		this.#parts = parts;
		this.#say = say;
		this.#signal = signal;
		this.#partial = new PartialOutputFile(parts.partials, {
			turn: turn.id,
			lengthMax: Math.min(partialLengthMax, Math.floor(parts.limits.textBytesMax / 8)),
			log: parts.log,
		});
		this.#heardAt = monotonicNow(parts.clock);
		this.#watchTheClock();
	}

	get phase(): "model" | "tool" {
		return this.#openCalls.size > 0 ? "tool" : "model";
	}

	async items(items: readonly TurnItem[]): Promise<void> {
		this.heard();
		await this.#append(await this.keepable(items));
		for (const item of items) this.#partial.over(item);
		followCalls(this.#openCalls, items);
		await this.#yieldIfAsked();
	}

	/** Items as they can be kept. */
	async keepable(items: readonly TurnItem[]): Promise<TurnItem[]> {
		return await Promise.all(items.map((item) => this.#shortened(item)));
	}

	partial(of: PartialOf, output: () => string): void {
		this.#partial.heard(of, output);
	}

	delta(delta: { message: string; kind: string; text: string }): void {
		this.heard();
		this.#parts.publisher.live({ agent: this.#turn.agent, turn: this.#turn.id, ...delta });
	}

	/** Recorded before anybody can answer it; the answer may come from any surface, or never. */
	async ask(question: ApprovalRequest, changed?: AbortSignal): Promise<PermissionAnswer | null> {
		this.heard();
		try {
			const outcome = await this.#say({ type: "approval.ask", question });
			if ("refused" in outcome) {
				await this.#tellOfRefusal(outcome.refused);
				return null;
			}
			const id = outcome.done.event ?? 0;
			const answered = async (): Promise<{ answer: PermissionAnswer | null } | null> => {
				const approval = await this.#parts.reads.approval(id);
				return approval?.state === "pending" ? null : { answer: answerIn(approval) };
			};
			const signals = [this.#signal, ...(changed === undefined ? [] : [changed])];
			const found = await until(this.#parts.publisher, answered, {
				matters: ({ kind }) => kind.startsWith("approval."),
				signals,
			});
			// a turn that is stopped takes its questions along; what has become another question is taken back
			if (found === null && !this.#signal.aborted) await this.#say({ type: "approval.withdraw", approval: id });
			return found?.answer ?? null;
		} finally {
			this.heard();
		}
	}

	/** Once: whoever asks too much goes on asking. */
	async #tellOfRefusal({ code, message }: Refusal): Promise<void> {
		if (this.#refused || code === "TURN_NOT_OPEN") return;
		this.#refused = true;
		await this.#append([
			{ kind: "system", text: `A question was answered with no, as further ones will be: ${message}`, data: null },
		]);
	}

	heard(): void {
		this.#heardAt = monotonicNow(this.#parts.clock);
		if (!this.#silent) return;
		this.#silent = false;
		void this.#say({ type: "turn.heard" }).catch(
			this.#caught("It could not be recorded that a silent turn was heard again"),
		);
	}

	/** The turn ends at the next moment in which no tool call is open. */
	async yield(): Promise<void> {
		if (this.#yields) return;
		this.#yields = true;
		await this.#yieldIfAsked();
	}

	async used(): Promise<void> {
		const agent = await this.#parts.reads.agent(this.#turn.agent);
		if (agent !== undefined && usedUp(agent) !== null) await this.yield();
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
		this.#partial[Symbol.dispose]();
	}

	async #yieldIfAsked(): Promise<void> {
		if (this.#yields && this.#openCalls.size === 0) await this.#say({ type: "turn.yield" });
	}

	async #append(items: readonly TurnItem[]): Promise<void> {
		const outcome = await this.#say({ type: "turn.append", items: [...items] });
		// a turn that is over takes nothing more; anything else is the matter of one item, not of its neighbours
		if (!("refused" in outcome) || outcome.refused.code === "TURN_NOT_OPEN") return;
		for (const item of items) {
			const alone = await this.#say({ type: "turn.append", items: [item] });
			if ("refused" in alone)
				await this.#say({
					type: "turn.append",
					items: [{ kind: "system", text: `An item could not be kept: ${alone.refused.message}` }],
				});
		}
	}

	/**
	 * A text that is too long for a row goes to a place of its own; the item has its beginning and says where the rest
	 * is.
	 */
	async #shortened(item: TurnItem): Promise<TurnItem> {
		const { blobs, limits } = this.#parts;
		const { text, data } = item;
		const bytes = utf8Bytes(text ?? "");
		if (text === null || bytes <= limits.textBytesMax - Math.min(dataRoom, limits.textBytesMax / 2)) return item;
		const start = text.slice(0, Math.min(previewLength, Math.floor(limits.textBytesMax / 8))).toWellFormed();
		// a disk without room for it must not take the rest of the item along
		const blob = (await blobs?.put(text).catch(this.#caught("A long text could not be kept"))) ?? null;
		const note = blob === null ? "the rest could not be kept" : "the whole of it is kept apart";
		const fields =
			typeof data === "object" && data !== null && !Array.isArray(data) ? data : data === null ? {} : { value: data };
		return {
			...item,
			text: `${start}\n[cut: ${bytes} bytes, ${note}]`,
			data: { ...fields, bytes, ...(blob !== null && { blob }) },
		};
	}

	#caught(text: string): (error: unknown) => void {
		return caught(this.#parts.log, "turns", text, { agent: this.#turn.agent, turn: this.#turn.id });
	}

	#watchTheClock(): void {
		const { clock, limits } = this.#parts;
		const inMs = this.#silent ? limits.silentTurnMs : this.#heardAt + limits.silentTurnMs - monotonicNow(clock);
		this.#timer = setTimeout(
			() => void this.#lookAtTheClock().catch(this.#caught("A silent turn could not be recorded")),
			Math.min(Math.max(inMs, 1), 2 ** 31 - 1),
		);
	}

	/** Only shown to people: nothing is ever ended for being silent. Who waits for somebody has a reason to be. */
	async #lookAtTheClock(): Promise<void> {
		const { clock, limits } = this.#parts;
		const due = !this.#silent && monotonicNow(clock) - this.#heardAt >= limits.silentTurnMs;
		if (due && (await this.#waits())) this.#heardAt = monotonicNow(clock);
		else if (due) {
			this.#silent = true;
			await this.#say({ type: "turn.silent", since: this.#heardAt });
		}
		if (!this.#signal.aborted) this.#watchTheClock();
	}

	async #waits(): Promise<boolean> {
		const { reads } = this.#parts;
		if ((await reads.pendingApprovals(this.#turn.agent)).length > 0) return true;
		return (await reads.openWaits()).some((wait) => wait.agent === this.#turn.agent);
	}
}

const answerIn = (approval: ApprovalState | undefined): PermissionAnswer | null =>
	approval === undefined || approval.option === null ? null : { option: approval.option, reason: approval.reason };
