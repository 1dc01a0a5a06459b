// How a decision lands: receipt → load → decide → events, rows and receipt, all inside one transaction.
//
//   batch ─▶ locks ─▶ ┌ savepoint ─ receipt? ─ load ─ decide ─ apply ─ release ┐ ─▶ … ─▶ COMMIT ─▶ answers
//                     └──────────────── refused: rollback ────────────────────┘
//
// Each command sees the rows as the earlier ones of its batch left them. This file decides nothing itself
// and does no I/O but through the transaction; it runs wherever the store keeps its rows.
import type { Command, Envelope } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { isRefusal, refuse } from "#contract/refusal.ts";
import { forbiddenFor } from "#domain/permission.ts";
import { loadAndDecide } from "./commands/table.ts";
import type { Outcome, Receipt, RunBatch, Subject, Tx } from "./ports.ts";
import { type Decided, Work } from "./work.ts";

export function batchRunner(limits: Limits): RunBatch {
	return async (tx, batch) => {
		await tx.lock(await lockSet(tx, batch));
		const outcomes: Outcome[] = [];
		for (const envelope of batch) outcomes.push(await landOne(tx, envelope, limits));
		return outcomes;
	};
}

async function landOne(tx: Tx, envelope: Envelope, limits: Limits): Promise<Outcome> {
	const earlier = envelope.key === null ? undefined : await tx.receipt(envelope.key);
	if (earlier !== undefined) return await answerAgain(tx, envelope, earlier);
	await tx.savepoint();
	const { outcome, receipt } = await landNew(tx, envelope, limits);
	if ("refused" in outcome) await tx.rollback();
	else await tx.release();
	if (envelope.key !== null) await tx.putReceipt(envelope.key, receipt, envelope.at);
	return outcome;
}

async function landNew(tx: Tx, envelope: Envelope, limits: Limits): Promise<{ outcome: Outcome; receipt: Receipt }> {
	const { command, fingerprint } = envelope;
	const work = new Work(tx, envelope);
	const { decision, subject } = forbidden(envelope) ?? (await loadAndDecide(work, command, limits));
	if (isRefusal(decision)) {
		return { outcome: { refused: decision, replayed: false }, receipt: { fingerprint, answer: { refused: decision } } };
	}
	const events = await work.apply(decision);
	const named = subject === "the event" ? eventOf(events) : subject;
	return { outcome: { done: await work.answer(named), events, replayed: false }, receipt: { fingerprint, answer: { subject: named } } };
}

/** Items and prompts are answered with their id alone: an agent writes thousands and needs no copy of itself each time. */
function eventOf([first]: readonly Event[]): Subject {
	return first === undefined ? {} : { event: first.id };
}

function forbidden({ actor, command }: Envelope): Decided | null {
	const refusal = forbiddenFor(actor, command.type);
	return refusal && { decision: refusal, subject: {} };
}

/** The same key again: the first answer if it is the same command, a conflict if it is another one. */
async function answerAgain(tx: Tx, envelope: Envelope, receipt: Receipt): Promise<Outcome> {
	if (receipt.fingerprint !== envelope.fingerprint) {
		return { refused: refuse("CONFLICT", "This idempotency key was used before, for something else."), replayed: true };
	}
	if ("refused" in receipt.answer) return { refused: receipt.answer.refused, replayed: true };
	return { done: await new Work(tx, envelope).answer(receipt.answer.subject), events: [], replayed: true };
}

/** Every agent whose row the batch may change, so that all writers take their locks in one order. */
async function lockSet(tx: Tx, batch: readonly Envelope[]): Promise<AgentId[]> {
	const agents = new Set<AgentId>();
	for (const { command } of batch) for (const id of await locksOf(tx, command)) agents.add(id);
	return [...agents].sort();
}

async function locksOf(tx: Tx, command: Command): Promise<AgentId[]> {
	switch (command.type) {
		case "agent.init":
		case "project.add":
		case "project.remove":
			return [];
		case "agent.spawn":
			// the family's limit is counted over all of it; agent 0 has none
			return [command.by, ...(await tx.above(command.by)).slice(0, -1)];
		case "agent.kill": {
			const below = command.cascade ? await tx.descendants(command.agent) : await tx.children(command.agent);
			return [command.agent, ...below.map((agent) => agent.id)];
		}
		case "agent.provisioned":
		case "agent.fail":
		case "agent.pause":
		case "agent.resume":
		case "agent.recover":
		case "agent.reap":
		case "agent.configure":
		case "item.append":
		case "context.clear":
		case "context.mark":
		case "context.rewind":
		case "prompt.queue":
			return [command.agent];
	}
}
