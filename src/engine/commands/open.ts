// What the deciders of approvals and waits have to see.
import type { ApprovalAnswer, ApprovalAsk, ApprovalWithdraw } from "#contract/approval.ts";
import { type AgentId, agentOf } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import type { WaitOpen, WaitState } from "#contract/wait.ts";
import { decideAnswer, decideAsk, decideWithdraw, withinLimit } from "#domain/approval.ts";
import { wakesOnMail } from "#domain/mail.ts";
import { claimAgain } from "#domain/slots.ts";
import { decideCancelWait, decideLook, decideOpen, type Seat, type TargetSight } from "#domain/wait.ts";
import type { Decided, Work } from "../work.ts";
import { onAgent } from "./agent.ts";
import { capacityOf } from "./slots.ts";
import { inThread } from "./thread.ts";

export async function askApproval(work: Work, command: ApprovalAsk, { approvalsOpenMax: openMax }: Limits): Promise<Decided> {
	const open = (await work.tx.pendingApprovals(command.agent)).length;
	return await inThread(work, command.agent, (agent) => withinLimit(agent, decideAsk(agent, command), { open, openMax }));
}

export async function answerApproval(work: Work, command: ApprovalAnswer): Promise<Decided> {
	const approval = await work.tx.approval(command.approval);
	const queue = await work.tx.queue(command.agent);
	return await onAgent(work, command.agent, (agent) => decideAnswer(agent, command, approval, queue));
}

export async function withdrawApproval(work: Work, command: ApprovalWithdraw): Promise<Decided> {
	const approval = await work.tx.approval(command.approval);
	return await onAgent(work, command.agent, (agent) => decideWithdraw(agent, approval));
}

export async function openWait(work: Work, command: WaitOpen): Promise<Decided> {
	const { actor } = work.envelope;
	const caller = agentOf(actor);
	const targets = [];
	for (const id of command.targets) targets.push(await work.agent(id));
	const open = await work.tx.openWaits();
	const sights = command.blocking ? null : await sightsOf(work, command.targets);
	const seen = { targets, waiter: caller === null ? null : ((await work.agent(caller)) ?? null), open, sights };
	return { decision: decideOpen(command, seen, { actor, at: work.envelope.steady }), subject: "the event" };
}

export async function lookAtWait(work: Work, id: number, limits: Limits): Promise<Decided> {
	const wait = await work.tx.wait(id);
	if (wait === undefined) return { decision: [], subject: {} };
	const targets = await sightsOf(work, wait.targets);
	const queue = wait.agent === null ? { last: null, lastFront: null } : await work.tx.queue(wait.agent);
	return { decision: decideLook(wait, targets, { queue, seat: await seatOf(work, wait, limits), now: work.envelope.steady }), subject: {} };
}

/** Only a turn that is still open and gave its place back has to have one again. */
async function seatOf(work: Work, { agent: id, turn: of, blocking }: WaitState, limits: Limits): Promise<Seat> {
	if (id === null || of === null || !blocking) return null;
	const [agent, turn] = [await work.agent(id), await work.turn(of)];
	if (agent === undefined || turn?.state !== "open") return null;
	const capacity = await capacityOf(work, limits);
	return capacity.leases.some((lease) => lease.turn === turn.id) ? null : claimAgain(agent, turn.subscription, capacity);
}

async function sightsOf(work: Work, targets: readonly AgentId[]): Promise<TargetSight[]> {
	const waiting = new Set((await work.tx.openWaits()).flatMap((open) => open.agent ?? []));
	const sights: TargetSight[] = [];
	for (const target of targets) sights.push(...(await sightOf(work, target, waiting)));
	return sights;
}

async function sightOf(work: Work, id: AgentId, waiting: ReadonlySet<AgentId>): Promise<TargetSight[]> {
	const agent = await work.agent(id);
	if (agent === undefined) return [];
	const due = (await work.tx.prompts(id)).filter(({ notBefore }) => notBefore === null || notBefore <= work.envelope.at);
	const mails = await work.tx.mails(id);
	const newMail = wakesOnMail(agent) ? mails.filter((mail) => mail.state === "accepted").length : 0;
	return [{ agent, duePrompts: due.length, unreadMail: mails.filter((mail) => mail.state !== "read").length, newMail, waits: waiting.has(id) }];
}

export async function cancelWait(work: Work, id: number, limits: Limits): Promise<Decided> {
	const wait = await work.tx.wait(id);
	const seat = wait === undefined ? null : await seatOf(work, wait, limits);
	return { decision: decideCancelWait(wait, id, work.envelope, seat), subject: { event: id } };
}
