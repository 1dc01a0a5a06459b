// The rows that a client mirrors. It reads them without waiting, so that they are of one moment.
import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item.ts";
import type { MirroredRows, MirrorRequest } from "#contract/rows.ts";
import type { Rows } from "./rows.ts";

export function mirroredIn(rows: Rows, { boards, threads, itemsMax }: MirrorRequest): MirroredRows {
	const { agents, projects, subscriptions, leases, prompts, turns, approvals, waits, mails, issues, runs, events } =
		rows;
	const shown = [...issues.values()].filter(({ project }) => boards.includes(project));
	const open = (agent: AgentId): boolean => threads.includes(agent);
	const said = threads.flatMap((id) => events.filter((event) => event.agent === id && isItem(event)).slice(-itemsMax));
	// as many turns as the items can be of
	const latest = new Set(
		threads.flatMap((id) => [...turns.values()].filter(({ agent }) => agent === id).slice(-itemsMax)),
	);
	const kept = [...mails.values()].filter(
		({ to, state, deletedAt }) => deletedAt === null && (state !== "read" || open(to)),
	);
	return {
		last: events.length,
		...{
			agents: [...agents.values()],
			projects: [...projects.values()],
			subscriptions: [...subscriptions.values()],
			leases: [...leases.values()],
		},
		prompts: [...prompts.values()].map((prompt) => (open(prompt.agent) ? prompt : { ...prompt, text: "" })),
		turns: [...turns.values()].filter((turn) => turn.state === "open" || latest.has(turn)),
		approvals: [...approvals.values()].filter(({ state }) => state === "pending"),
		waits: [...waits.values()].filter(({ state }) => state === "open"),
		mails: kept.map((mail) => (open(mail.to) ? mail : { ...mail, body: "" })),
		issues: shown,
		runs: [...runs.values()].filter(({ issue }) => shown.some(({ id }) => id === issue)),
		items: said.toSorted((a, b) => a.id - b.id),
	};
}
