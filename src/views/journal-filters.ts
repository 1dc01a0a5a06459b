// The kinds of events that a person can filter the journal by, and what each choice is called.
import type { NewEvent } from "#contract/event.ts";

interface JournalFilter {
	name: string;
	kinds: readonly NewEvent["kind"][];
}

export const journalFilters: readonly JournalFilter[] = [
	{ name: "turns", kinds: ["turn.started", "turn.ended"] },
	{ name: "agents made and ended", kinds: ["agent.spawned", "agent.ended", "agent.deleted"] },
	{ name: "mail", kinds: ["mail.sent"] },
	{ name: "approvals", kinds: ["approval.asked", "approval.answered"] },
	{ name: "commits and merges", kinds: ["workspace.committed", "workspace.merged"] },
];
