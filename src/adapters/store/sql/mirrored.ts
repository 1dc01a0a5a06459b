// The rows that a client mirrors. They are of one moment only inside a transaction.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import type { IssueState, RunState } from "#contract/issue.ts";
import type { MailState } from "#contract/mail.ts";
import { agentsNamedIn, type MirrorRequest, mirroredDoneMax } from "#contract/mirror-request.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { MirroredRows } from "#contract/rows.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Reads } from "#engine/ports/store.ts";
import { shownAgents } from "./agent-queries.ts";
import type { Connection } from "./connection.ts";
import { allUnreadMail } from "./mail-queries.ts";
import { mailFrom, promptFrom, statesIn } from "./rows.ts";
import { allPrompts } from "./turn-queries.ts";

type Simple = Omit<Reads, "mirrored" | "agentsAboutToBegin">;

export async function mirroredBy(reads: Simple, connection: Connection, request: MirrorRequest): Promise<MirroredRows> {
	const shown = await shownRows(reads, request);
	const named = [...agentsNamedIn(shown), ...(await agentsAround(reads, request.threads))];
	if (request.isPart)
		return {
			last: await reads.lastEvent(),
			...noOthers,
			...shown,
			agents: await reads.agentsWith([...new Set(named)]),
		};
	const agents: AgentState[] = await statesIn(connection).all(shownAgents, {});
	const known = new Set(agents.map(({ id }) => id));
	const prompts = (await connection.all(allPrompts, {})).map((row) => promptFrom({ ...row, text: "" }));
	const mails = (await connection.all(allUnreadMail, {})).map((row) => mailFrom({ ...row, body: "" }));
	return {
		last: await reads.lastEvent(),
		agents: [...agents, ...(await reads.agentsWith(named.filter((id) => !known.has(id))))],
		projects: await reads.projects(),
		subscriptions: await reads.subscriptions(),
		turnLeases: await reads.turnLeases(),
		nodes: await reads.nodes(),
		approvals: await reads.pendingApprovals(),
		waits: await reads.openWaits(),
		...shown,
		prompts: joined(prompts, shown.prompts),
		turns: byId(joined(await reads.openTurns(), shown.turns)),
		mails: byId(joined(mails, shown.mails)),
	};
}

const noOthers = { agents: [], projects: [], subscriptions: [], turnLeases: [], nodes: [], approvals: [], waits: [] };

/** The agents of conversations, those above them, and those whose context they inherited. */
async function agentsAround(reads: Simple, threads: readonly AgentId[]): Promise<AgentId[]> {
	const around = await Promise.all(
		threads.map(async (id) => [
			...[id, ...(await reads.above(id))],
			...(await reads.ranges(id)).ranges.map(({ agent }) => agent),
		]),
	);
	return around.flat();
}

/** The rows of the requested boards and threads. */
async function shownRows(reads: Simple, { boards, threads, itemsMax }: MirrorRequest) {
	const issues: IssueState[] = [];
	for (const project of boards) {
		issues.push(...(await reads.issuesOfBoard(project, { doneMax: mirroredDoneMax })));
	}
	const runs: RunState[] = await reads.runsOf(issues.map(({ id }) => id));
	const [prompts, mails, turns, items]: [PromptState[], MailState[], TurnState[], Event[]] = [[], [], [], []];
	for (const agent of threads) {
		prompts.push(...(await reads.prompts(agent)));
		// the unread ones are counted, and the latest are shown
		mails.push(...joined(await reads.unreadMails(agent), await reads.latestMails(agent, itemsMax)));
		// as many turns as the items can be of
		const latest = await reads.latestTurns(agent, itemsMax);
		turns.push(...latest);
		// a running prompt goes back to the queue if it was never handed over
		const running = latest.find(({ state }) => state === "open")?.prompt ?? null;
		prompts.push(...[running === null ? undefined : await reads.prompt(running)].filter((each) => each !== undefined));
		items.push(...(await reads.itemsBefore(agent, null, itemsMax)));
	}
	return { prompts, mails, turns, issues, runs, items: byId(items) };
}

/** A row of the second list takes the place of the same one in the first. */
const joined = <V extends { id: number }>(all: readonly V[], instead: readonly V[]): V[] => [
	...new Map([...all, ...instead].map((row) => [row.id, row])).values(),
];

const byId = <V extends { id: number }>(rows: readonly V[]): V[] => rows.toSorted((a, b) => a.id - b.id);
