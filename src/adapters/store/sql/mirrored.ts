// The rows that a client mirrors. They are of one moment only inside a transaction.
import type { Event } from "#contract/event.ts";
import type { IssueState, RunState } from "#contract/issue.ts";
import type { MailState } from "#contract/mail.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { MirroredRows, MirrorRequest } from "#contract/rows.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Reads } from "#engine/ports/store.ts";
import type { Connection } from "./connection.ts";
import { allUnreadMail } from "./mail-queries.ts";
import { mailFrom, promptFrom } from "./rows.ts";
import { allPrompts } from "./turn-queries.ts";

export async function mirroredBy(
	reads: Omit<Reads, "mirrored" | "agentsAboutToBegin">,
	connection: Connection,
	{ boards, threads, itemsMax }: MirrorRequest,
): Promise<MirroredRows> {
	const [issues, runs]: [IssueState[], RunState[]] = [[], []];
	for (const project of boards) {
		issues.push(...(await reads.issues(project)));
		runs.push(...(await reads.runsOfProject(project)));
	}
	const prompts = new Map(
		(await connection.all(allPrompts, {})).map((row): [number, PromptState] => [
			row.id,
			promptFrom({ ...row, text: "" }),
		]),
	);
	const mails = new Map(
		(await connection.all(allUnreadMail, {})).map((row): [number, MailState] => [
			row.id,
			mailFrom({ ...row, body: "" }),
		]),
	);
	const turns = new Map((await reads.openTurns()).map((turn): [number, TurnState] => [turn.id, turn]));
	const items: Event[] = [];
	for (const agent of threads) {
		for (const { id } of [...prompts.values()].filter((prompt) => prompt.agent === agent)) {
			const whole = await reads.prompt(id);
			if (whole !== undefined) prompts.set(id, whole);
		}
		for (const mail of await reads.mails(agent)) mails.set(mail.id, mail);
		// as many turns as the items can be of
		for (const turn of await reads.latestTurns(agent, itemsMax)) turns.set(turn.id, turn);
		items.push(...(await reads.itemsBefore(agent, null, itemsMax)));
	}
	return {
		last: await reads.lastEvent(),
		...{
			agents: await reads.agents(),
			projects: await reads.projects(),
			subscriptions: await reads.subscriptions(),
			leases: await reads.leases(),
		},
		...{
			prompts: [...prompts.values()],
			turns: byId(turns),
			approvals: await reads.pendingApprovals(),
			waits: await reads.openWaits(),
		},
		...{ mails: byId(mails), issues, runs, items: items.toSorted((a, b) => a.id - b.id) },
	};
}

const byId = <V extends { id: number }>(rows: ReadonlyMap<number, V>): V[] =>
	[...rows.values()].toSorted((a, b) => a.id - b.id);
