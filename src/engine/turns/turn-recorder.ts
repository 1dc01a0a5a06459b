// Records one turn in the journal: its items, its approvals, and whether it is silent.

import type { ApprovalRequest, ApprovalState } from "#contract/approval.ts";
import type { CommandWithout } from "#contract/command.ts";
import { isAbout } from "#contract/event-data.ts";
import { type Limits, utf8Bytes } from "#contract/limits.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { PartialOutput, TurnItem, TurnState } from "#contract/turn.ts";
import { followCalls } from "#domain/turn-end.ts";
import { usedUp } from "#domain/usage.ts";
import type { Publisher } from "../loop/publish.ts";
import { until } from "../loop/until.ts";
import type { Blobs, Partials } from "../ports/blobs.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Outcome } from "../ports/dispatch.ts";
import type { ApprovalChoice, PartialText, TurnWatch } from "../ports/driver.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";
import { PartialOutputKeeper } from "./partial-output.ts";
import { RunningOutput } from "./running-output.ts";

export interface TurnRecorderParts {
	reads: Reads;
	publisher: Publisher;
	/** null where long texts cannot be stored; they are truncated then */
	blobs: Blobs | null;
	/** null where nothing outlives the daemon */
	partials: Partials | null;
	clock: Clock;
	limits: Limits;
	log: Log;
}

/** how much of a text in a blob is also in its item */
const previewLength = 16 * 1024;
/** how much output of an open call survives a crash */
const partialLengthMax = 128 * 1024;
/** the room for an item's data beside its text */
const dataRoom = 128 * 1024;

export class TurnRecorder implements TurnWatch, Disposable {
	readonly #turn: TurnState;
	readonly #parts: TurnRecorderParts;
	readonly #send: (command: CommandWithout<"agent" | "turn">) => Promise<Outcome>;
	readonly #signal: AbortSignal;
	/** the calls of the turn that have no result yet */
	readonly #openCalls = new Set<string>();
	readonly #partial: PartialOutputKeeper;
	readonly #running: RunningOutput;
	#yields = false;
	/** an approval was refused, and the agent has been told */
	#refused = false;
	#lastOutputAt: number;
	#silent = false;
	#timer: ReturnType<typeof setTimeout> | undefined;

	constructor(
		turn: TurnState,
		parts: TurnRecorderParts,
		send: (command: CommandWithout<"agent" | "turn">) => Promise<Outcome>,
		signal: AbortSignal,
	) {
		this.#turn = turn;
		this.#parts = parts;
		this.#send = send;
		this.#signal = signal;
		this.#partial = new PartialOutputKeeper(parts.partials, {
			turn: turn.id,
			lengthMax: Math.min(partialLengthMax, Math.floor(parts.limits.textBytesMax / 8)),
			log: parts.log,
		});
		this.#running = new RunningOutput(turn, (message) => {
			// a turn that was stopped may be over
			if (!signal.aborted) parts.publisher.live(message);
		});
		this.#lastOutputAt = monotonicNow(parts.clock);
		this.#scheduleCheck();
	}

	get phase(): "model" | "tool" {
		return this.#openCalls.size > 0 ? "tool" : "model";
	}

	async items(items: readonly TurnItem[]): Promise<void> {
		this.noteOutput();
		await this.#append(await this.storable(items));
		for (const item of items) this.#partial.over(item);
		followCalls(this.#openCalls, items);
		await this.#yieldIfAsked();
	}

	/**
	 * Long texts are moved into blobs. The items are about to be recorded: no output of an ended call may follow its
	 * result.
	 */
	async storable(items: readonly TurnItem[]): Promise<TurnItem[]> {
		for (const item of items) this.#running.over(item);
		return await Promise.all(items.map((item) => this.#shortened(item)));
	}

	/** What it has produced that is not recorded yet. */
	get partials(): PartialOutput[] {
		return this.#partial.open;
	}

	partial({ of, output, isPrinted }: PartialText): void {
		this.#partial.add(of, output);
		if (isPrinted && "call" in of) this.#running.add(of.call, output);
	}

	delta(delta: { part: string; kind: string; text: string }): void {
		this.noteOutput();
		this.#parts.publisher.live({ delta: { agent: this.#turn.agent, turn: this.#turn.id, ...delta } });
	}

	/** The question is recorded before it can be answered; the answer may come from any surface, or never. */
	async ask(question: ApprovalRequest, changed?: AbortSignal): Promise<ApprovalChoice | null> {
		this.noteOutput();
		try {
			const outcome = await this.#send({ type: "approval.ask", question });
			if ("refused" in outcome) {
				await this.#tellOfRefusal(outcome.refused);
				return null;
			}
			const id = outcome.done.event ?? 0;
			const answered = async (): Promise<{ answer: ApprovalChoice | null } | null> => {
				const approval = await this.#parts.reads.approval(id);
				return approval?.state === "pending" ? null : { answer: answerIn(approval) };
			};
			const signals = [this.#signal, ...(changed === undefined ? [] : [changed])];
			const found = await until(this.#parts.publisher, answered, {
				matters: (event) => isAbout(event, "approval"),
				signals,
			});
			// stopping the turn closes its approvals; a question that has changed is withdrawn
			if (found === null && !this.#signal.aborted) await this.#send({ type: "approval.withdraw", approval: id });
			return found?.answer ?? null;
		} finally {
			this.noteOutput();
		}
	}

	/** Only once per turn: an agent that asks too much goes on asking. */
	async #tellOfRefusal({ code, message }: Refusal): Promise<void> {
		if (this.#refused || code === "TURN_NOT_OPEN") return;
		this.#refused = true;
		await this.#append([
			{
				kind: "system",
				text: `This approval was denied automatically: ${message}`,
				data: null,
			},
		]);
	}

	noteOutput(): void {
		this.#lastOutputAt = monotonicNow(this.#parts.clock);
		if (!this.#silent) return;
		this.#silent = false;
		void this.#send({ type: "turn.markResponsive" }).catch(
			this.#caught("It could not be recorded that a silent turn has output again"),
		);
	}

	/** Ends the turn as soon as no tool call is open. */
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
		this.#running[Symbol.dispose]();
	}

	async #yieldIfAsked(): Promise<void> {
		if (this.#yields && this.#openCalls.size === 0) await this.#send({ type: "turn.yield" });
	}

	async #append(items: readonly TurnItem[]): Promise<void> {
		const outcome = await this.#send({ type: "turn.append", items: [...items] });
		// a turn that is over takes no items; any other refusal concerns one item, so each is tried alone
		if (!("refused" in outcome) || outcome.refused.code === "TURN_NOT_OPEN") return;
		for (const item of items) {
			const alone = await this.#send({ type: "turn.append", items: [item] });
			if ("refused" in alone)
				await this.#send({
					type: "turn.append",
					items: [{ kind: "system", text: `An item could not be recorded: ${alone.refused.message}` }],
				});
		}
	}

	/** A text that is too long for a row goes into a blob; the item has its beginning and the blob's name. */
	async #shortened(item: TurnItem): Promise<TurnItem> {
		const { blobs, limits } = this.#parts;
		const { text, data } = item;
		const bytes = utf8Bytes(text ?? "");
		if (text === null || bytes <= limits.textBytesMax - Math.min(dataRoom, limits.textBytesMax / 2)) return item;
		const start = text.slice(0, Math.min(previewLength, Math.floor(limits.textBytesMax / 8))).toWellFormed();
		// if the disk is full, the item is still recorded
		const blob = (await blobs?.put(text).catch(this.#caught("A long text could not be stored"))) ?? null;
		const note = blob === null ? "the rest could not be stored" : "the full text is in a blob";
		const fields =
			typeof data === "object" && data !== null && !Array.isArray(data) ? data : data === null ? {} : { value: data };
		return {
			...item,
			text: `${start}\n[truncated: ${bytes} bytes, ${note}]`,
			data: { ...fields, bytes, ...(blob !== null && { blob }) },
		};
	}

	#caught(text: string): (error: unknown) => void {
		return caught(this.#parts.log, "turns", text, { agent: this.#turn.agent, turn: this.#turn.id });
	}

	#scheduleCheck(): void {
		const { clock, limits } = this.#parts;
		const inMs = this.#silent ? limits.silentTurnMs : this.#lastOutputAt + limits.silentTurnMs - monotonicNow(clock);
		this.#timer = setTimeout(
			() => void this.#checkSilence().catch(this.#caught("A silent turn could not be recorded")),
			Math.min(Math.max(inMs, 1), 2 ** 31 - 1),
		);
	}

	/** Silence is only shown to people, and never ends a turn. A turn that waits for an answer is not silent. */
	async #checkSilence(): Promise<void> {
		const { clock, limits } = this.#parts;
		const due = !this.#silent && monotonicNow(clock) - this.#lastOutputAt >= limits.silentTurnMs;
		if (due && (await this.#waits())) this.#lastOutputAt = monotonicNow(clock);
		else if (due) {
			this.#silent = true;
			await this.#send({ type: "turn.markSilent", since: this.#lastOutputAt });
		}
		if (!this.#signal.aborted) this.#scheduleCheck();
	}

	async #waits(): Promise<boolean> {
		const { reads } = this.#parts;
		if ((await reads.pendingApprovals(this.#turn.agent)).length > 0) return true;
		return (await reads.openWaits()).some((wait) => wait.agent === this.#turn.agent);
	}
}

const answerIn = (approval: ApprovalState | undefined): ApprovalChoice | null =>
	approval === undefined || approval.option === null ? null : { option: approval.option, reason: approval.reason };
