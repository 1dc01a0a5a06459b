// The rows that a client mirrors. It reads them without waiting, so that they are of one moment.
import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item.ts";
import type { MirroredRows, MirrorRequest } from "#contract/rows.ts";
import type { Rows } from "./rows.ts";

export function mirroredIn(rows: Rows, { boards, threads, itemsMax, isPart }: MirrorRequest): MirroredRows {
	const {
		agents,
		projects,
		subscriptions,
		leases,
		nodes,
		prompts,
		turns,
		approvals,
		waits,
		mails,
		issues,
		runs,
		events,
	} = rows;
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
	const all = <V>(table: ReadonlyMap<unknown, V>): V[] => (isPart ? [] : [...table.values()]);
	return {
		last: events.length,
		...{ agents: all(agents), projects: all(projects), subscriptions: all(subscriptions), leases: all(leases) },
		nodes: all(nodes).sort((a, b) => (a.id < b.id ? -1 : 1)),
		prompts: [...prompts.values()].flatMap((each) => (open(each.agent) ? each : isPart ? [] : { ...each, text: "" })),
		turns: [...turns.values()].filter((turn) => (turn.state === "open" && !isPart) || latest.has(turn)),
		approvals: all(approvals).filter(({ state }) => state === "pending"),
		waits: all(waits).filter(({ state }) => state === "open"),
		mails: kept.flatMap((mail) => (open(mail.to) ? mail : isPart ? [] : { ...mail, body: "" })),
		issues: shown,
		runs: [...runs.values()].filter(({ issue }) => shown.some(({ id }) => id === issue)),
		items: said.toSorted((a, b) => a.id - b.id),
	};
}
