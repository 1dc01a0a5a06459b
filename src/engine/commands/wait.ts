// Commands about waits.
import { type AgentId, agentOf } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { WaitCancel, WaitLook, WaitOpen, type WaitState } from "#contract/wait.ts";
import { wakesOnMail } from "#domain/mail.ts";
import { claimAgain } from "#domain/slots.ts";
import { type ContinueClaim, decideCancelWait, decideLook, decideOpen, type TargetFacts } from "#domain/wait.ts";
import { capacityOf } from "./capacity.ts";
import { defineCommand } from "./define.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export const waitDefinitions = {
	"wait.open": defineCommand({
		schema: WaitOpen,
		allowedActors: "everyone",
		startsWork: false,
		load: async (work, { targets: ids, blocking }) => {
			const caller = agentOf(work.envelope.actor);
			const targets = [];
			for (const id of ids) targets.push(await work.agent(id));
			return {
				targets,
				waiter: caller === null ? null : ((await work.agent(caller)) ?? null),
				open: await work.tx.openWaits(),
				targetFacts: blocking ? null : await factsOfAll(work, ids),
			};
		},
		decide: (facts, command, { actor, monotonic }) => decideOpen(command, facts, { actor, at: monotonic }),
		subject: "the event",
	}),
	"wait.look": defineCommand({
		schema: WaitLook,
		allowedActors: "daemon",
		startsWork: false,
		load: async (work, { wait: id }, limits) => {
			const wait = await work.tx.wait(id);
			if (wait === undefined) return {};
			const queue = wait.agent === null ? { last: null, lastFront: null } : await work.tx.queueEnds(wait.agent);
			const targets = await factsOfAll(work, wait.targets);
			return { found: { wait, targets, queue, continueClaim: await continueClaimOf(work, wait, limits) } };
		},
		decide: ({ found }, _, { monotonic: now }) =>
			found === undefined ? [] : decideLook(found.wait, found.targets, { ...found, now }),
		subject: {},
	}),
	"wait.cancel": defineCommand({
		schema: WaitCancel,
		allowedActors: "everyone",
		startsWork: false,
		load: async (work, { wait: id }, limits) => {
			const wait = await work.tx.wait(id);
			return { wait, continueClaim: wait === undefined ? null : await continueClaimOf(work, wait, limits) };
		},
		decide: ({ wait, continueClaim }, { wait: id }, envelope) => decideCancelWait(wait, id, envelope, continueClaim),
		subject: (_, { wait }) => ({ event: wait }),
	}),
};

/** Only an open turn that gave its slot back needs one again. */
async function continueClaimOf(
	work: UnitOfWork,
	{ agent: id, turn: of, blocking }: WaitState,
	limits: Limits,
): Promise<ContinueClaim> {
	if (id === null || of === null || !blocking) return null;
	const [agent, turn] = [await work.agent(id), await work.turn(of)];
	if (agent === undefined || turn?.state !== "open") return null;
	const capacity = await capacityOf(work, limits);
	return capacity.leases.some((lease) => lease.turn === turn.id)
		? null
		: claimAgain(agent, turn.subscription, capacity);
}

async function factsOfAll(work: UnitOfWork, targets: readonly AgentId[]): Promise<TargetFacts[]> {
	const waiting = new Set((await work.tx.openWaits()).flatMap((open) => open.agent ?? []));
	const targetFacts: TargetFacts[] = [];
	for (const target of targets) targetFacts.push(...(await factsOf(work, target, waiting)));
	return targetFacts;
}

async function factsOf(work: UnitOfWork, id: AgentId, waiting: ReadonlySet<AgentId>): Promise<TargetFacts[]> {
	const agent = await work.agent(id);
	if (agent === undefined) return [];
	const { due = 0 } = (await work.tx.pendingWork([id], work.envelope.at)).get(id) ?? {};
	return [
		{
			agent,
			duePrompts: due,
			newMail: (await work.tx.newMailCount(id)).mails,
			wakesOnMail: wakesOnMail(agent),
			lastMail: await work.tx.lastMail(id),
			waits: waiting.has(id),
		},
	];
}
