// How a decision lands: receipt → load → decide → events, rows and receipt, all inside one transaction.
//
//   batch ─▶ ┌ savepoint ─ receipt? ─ load ─ decide ─ apply ─ release ┐ ─▶ … ─▶ COMMIT ─▶ answers
//            └──────────────── refused: rollback ────────────────────┘
//
// Each command sees the rows as the earlier ones of its batch left them. This file decides nothing itself
// and does no I/O but through the transaction; it runs wherever the store keeps its rows.
import type { Envelope } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import { agentOf } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { messageOf } from "#contract/message-of.ts";
import type { Receipt, Subject } from "#contract/receipt.ts";
import { isRefusal, refusalCodes, refuse } from "#contract/refusal.ts";
import { outsideTurn } from "#domain/turn.ts";
import type { CommandResult, Outcome } from "../ports/dispatch.ts";
import type { RunBatch, Tx } from "../ports/store.ts";
import { forbiddenFor } from "./define.ts";
import { definitionOf } from "./table.ts";
import { type Decided, UnitOfWork } from "./unit-of-work.ts";

export function batchRunner(limits: Limits): RunBatch {
	return async (tx, batch) => {
		const results: CommandResult[] = [];
		for (const envelope of batch) {
			if (results.length > 0 && tx.isOverdue()) break;
			results.push(await runOne(tx, envelope, limits));
		}
		return results;
	};
}

async function runOne(tx: Tx, envelope: Envelope, limits: Limits): Promise<CommandResult> {
	await tx.savepoint();
	try {
		const { actor, key, monotonic: at, receipt: extra } = envelope;
		const earlier = key === null ? undefined : await tx.receipt(actor, key);
		const again = earlier === undefined ? null : await answerAgain(tx, envelope, earlier);
		const { outcome, receipt } =
			again === null ? await runNew(tx, envelope, limits) : { outcome: again, receipt: null };
		if ("refused" in outcome) await tx.rollback();
		if (key !== null && receipt !== null) await tx.putReceipt({ ...receipt, actor, key, at });
		if ("done" in outcome && extra !== undefined) await tx.putReceipt(extra);
		if ("done" in outcome) await tx.release();
		return outcome;
	} catch (error) {
		if (tx.failsBatch(error)) throw error;
		// a bug: this command is rolled back, the others of the batch are not affected
		await tx.rollback();
		return { bug: messageOf(error) };
	}
}

async function runNew(
	tx: Tx,
	envelope: Envelope,
	limits: Limits,
): Promise<{ outcome: Outcome; receipt: Receipt | null }> {
	const { command, fingerprint } = envelope;
	const work = new UnitOfWork(tx, envelope);
	const { decision, subject } =
		(await forbidden(work, envelope)) ?? (await definitionOf(command).decide(work, command, limits));
	if (isRefusal(decision)) {
		// a retryable refusal gets no receipt, so that a retry is decided again
		const receipt = refusalCodes[decision.code].retryable ? null : { fingerprint, outcome: { refused: decision } };
		return { outcome: { refused: decision, replayed: false }, receipt };
	}
	const events = await work.apply(decision);
	const named = subject === "the event" ? eventOf(events) : subject;
	const [first, last] = [events.at(0)?.id, events.at(-1)?.id];
	const range = first !== undefined && last !== undefined ? { events: [first, last] as const } : {};
	return {
		outcome: { done: await work.answer(named), events, replayed: false },
		receipt: { fingerprint, outcome: { subject: named, ...range } },
	};
}

/** Items and prompts are answered with their id only: an agent writes thousands of them. */
function eventOf([first]: readonly Event[]): Subject {
	return first === undefined ? {} : { event: first.id };
}

/** Refuses actors who may not send the command, and agents outside of a turn. */
async function forbidden(work: UnitOfWork, { actor, command }: Envelope): Promise<Decided | null> {
	const caller = agentOf(actor);
	const speaker = caller === null ? undefined : await work.agent(caller);
	const refusal = forbiddenFor(actor, definitionOf(command)) ?? (caller !== null ? outsideTurn(caller, speaker) : null);
	return refusal && { decision: refusal, subject: {} };
}

/**
 * The same key again: the first answer with its events if it is the same request, a conflict if it is another one. Null
 * for a request that was only begun: none of its commands has run.
 */
async function answerAgain(tx: Tx, envelope: Envelope, { fingerprint, outcome }: Receipt): Promise<Outcome | null> {
	if (fingerprint !== envelope.fingerprint) return { refused: keyTaken, replayed: true };
	if ("begun" in outcome) return null;
	if ("refused" in outcome) return { refused: outcome.refused, replayed: true };
	const [first, last] = outcome.events ?? [0, -1];
	const events = last < first ? [] : await tx.events({ after: first - 1, limit: last - first + 1 });
	return { done: await new UnitOfWork(tx, envelope).answer(outcome.subject), events, replayed: true };
}

export const keyTaken = refuse("CONFLICT", "This idempotency key was used before, for something else.");
