// A history of issues as lines that a person can read: a line for some hours, then the issues that nobody finished and
// why.
import type { Event } from "#contract/event.ts";
import type { IssueState } from "#contract/issue.ts";
import { machine, type SlotHistory } from "./slot-rules.ts";

const hourMs = 60 * 60_000;
const lineMs = 4 * hourMs;

interface Told {
	events: readonly Event[];
	issues: readonly IssueState[];
	slots: SlotHistory;
	/** when the daemon was killed */
	crashes: readonly number[];
}

export function timeline({ events, issues, slots, crashes }: Told): string[] {
	const from = events[0]?.at ?? 0;
	const to = events.at(-1)?.at ?? 0;
	const plans = [...slots.most.keys()].filter((name) => name !== machine).sort();
	const lines = [
		["when (UTC)      ", " done", ...[machine, ...plans].map((name) => name.padEnd(11)), "what happened"].join("  "),
	];
	for (let at = from; at <= to; at += lineMs) {
		const within = (when: number): boolean => when >= at && when < at + lineMs;
		const done = issues.filter(({ doneAt }) => doneAt !== null && doneAt < at + lineMs).length;
		const most = (name: string): number =>
			Math.max(0, ...slots.used.filter((each) => within(each.at)).map(({ used }) => used.get(name) ?? 0));
		const often = (kind: string): number => events.filter((event) => event.kind === kind && within(event.at)).length;
		const happened = [
			times(often("run.started"), "run", "runs"),
			times(often("subscription.coolDownChanged"), "limit", "limits"),
			times(crashes.filter(within).length, "crash", "crashes"),
			times(often("issue.escalated"), "needs a person", "need a person"),
		].filter((words) => words !== null);
		const bars = [machine, ...plans].map((name) => "▪".repeat(most(name)).padEnd(11));
		lines.push(
			[
				new Date(at).toISOString().slice(0, 16).replace("T", " "),
				String(done).padStart(5),
				...bars,
				happened.join(", "),
			].join("  "),
		);
	}
	const left = issues.filter(({ doneAt }) => doneAt === null);
	lines.push(
		"",
		`${issues.length - left.length} of ${issues.length} issues are done. A person has to look at ${left.length}:`,
	);
	return [
		...lines,
		...left.map(
			({ number, stage, attention }) => `  #${number} in ${stage}: ${attention?.reason ?? "nobody knows why"}`,
		),
	];
}

const times = (count: number, one: string, many: string): string | null =>
	count === 0 ? null : `${count} ${count === 1 ? one : many}`;
