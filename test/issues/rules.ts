// The rules that no history of issues may break, checked on the journal alone.
import type { Event } from "#contract/event.ts";
import { IssueEvent, RunEvent } from "#contract/issue.ts";
import type { Preset } from "#contract/preset.ts";
import { isBeforeStart, stageOf } from "#domain/preset.ts";

interface Known {
	number: number;
	preset: string;
	stage: string;
	dependsOn: number[];
	assignee: string | null;
	approved: boolean;
	done: boolean;
	run: number | null;
}

/** Everything that is wrong with a history, in sentences. */
export function brokenRules(events: readonly Event[], presets: Readonly<Record<string, Preset>>): string[] {
	const issues = new Map<number, Known>();
	const runs = new Map<number, "open" | "finished">();
	const busy = new Map<string, number>();
	const wrong: string[] = [];
	const no = (id: number, rule: string): void => void wrong.push(`event ${id}: ${rule}`);
	for (const event of events) {
		const run = event.agent === null ? undefined : RunEvent.safeParse(event).data;
		if (run !== undefined) checkRun(event, run);
		const fact = event.agent === null ? IssueEvent.safeParse(event).data : undefined;
		if (fact !== undefined) checkIssue(event, fact);
	}
	for (const [id, state] of runs) if (state === "open") wrong.push(`run ${id} was never finished`);
	return wrong;

	function checkRun(event: Event, fact: RunEvent): void {
		const issue = issues.get(fact.data.issueId);
		if (issue === undefined) {
			no(event.id, "a run of no issue");
			return;
		}
		const preset = presets[issue.preset];
		if (fact.kind === "run.finished") {
			if (runs.get(fact.data.run) !== "open") no(event.id, `run ${fact.data.run} was finished twice, or never started`);
			runs.set(fact.data.run, "finished");
			issue.run = null;
			return;
		}
		if (issue.run !== null) no(event.id, `#${issue.number} has two open runs`);
		if (issue.assignee !== event.agent) no(event.id, `#${issue.number} is run by somebody else than its assignee`);
		if (preset === undefined || stageOf(preset, fact.data.stage)?.prompt === undefined)
			no(event.id, `a run in ${fact.data.stage}, where no agent works`);
		issue.run = event.id;
		runs.set(event.id, "open");
	}

	function checkIssue(event: Event, fact: IssueEvent): void {
		if (fact.kind === "issue.added") {
			const { number, preset, stage, dependsOn } = fact.data;
			if ([...issues.values()].some((other) => other.number === number))
				no(event.id, `number ${number} was given twice`);
			issues.set(event.id, {
				number,
				preset,
				stage,
				dependsOn,
				assignee: null,
				approved: false,
				done: false,
				run: null,
			});
			return;
		}
		const issue = issues.get(fact.data.issueId);
		if (issue === undefined) {
			no(event.id, `${fact.kind} of no issue`);
			return;
		}
		if (fact.kind === "issue.moved") checkMove(event, issue, fact.data);
		else if (fact.kind === "issue.approved") issue.approved = true;
		else if (fact.kind === "issue.assigned") checkAssigned(event, issue, fact.data.agent);
		else if (fact.kind === "issue.released") issue.assignee = null;
		else if (fact.kind === "issue.undepended")
			issue.dependsOn = issue.dependsOn.filter((number) => number !== fact.data.on);
		else if (fact.kind === "issue.depended") issue.dependsOn = [...issue.dependsOn, fact.data.on];
		else if (fact.kind === "issue.returned") busy.delete(fact.data.agent);
	}

	function checkAssigned(event: Event, issue: Known, agent: string): void {
		const held = busy.get(agent);
		if (issue.assignee !== null) no(event.id, `#${issue.number} was assigned twice`);
		if (held !== undefined) no(event.id, `an agent has #${held} and #${issue.number}`);
		issue.assignee = agent;
		busy.set(agent, issue.number);
		const most = presets[issue.preset] && stageOf(presets[issue.preset] ?? { stages: [] }, issue.stage)?.wipMax;
		const now = [...issues.values()].filter((other) => other.assignee !== null && other.stage === issue.stage).length;
		if (most !== undefined && now > most)
			no(event.id, `${now} issues are worked on in ${issue.stage}, the limit is ${most}`);
	}

	function checkMove(
		event: Event,
		issue: Known,
		{ from, to, why, final }: { from: string; to: string; why: string; final?: true },
	): void {
		const preset = presets[issue.preset];
		const stage = preset && stageOf(preset, from);
		if (preset === undefined || stage === undefined) {
			no(event.id, `from ${from}, which is not a stage`);
			return;
		}
		if (issue.stage !== from) no(event.id, `#${issue.number} was in ${issue.stage}, not in ${from}`);
		const allowed =
			why === "start"
				? isBeforeStart(preset, from)
				: [stage.next, stage.back ?? from, ...(stage.also ?? [])].includes(to);
		if (!allowed) no(event.id, `#${issue.number} went from ${from} to ${to}`);
		if (final === true && !issue.approved) no(event.id, `#${issue.number} was done without an approval`);
		const leads = to === stage.next && why !== "move";
		if (stage.gate === "human" && leads && !issue.approved)
			no(event.id, `#${issue.number} went through ${from} without a person`);
		const early = issue.dependsOn.find((number) =>
			[...issues.values()].some((other) => other.number === number && !other.done),
		);
		if (why === "start" && early !== undefined) no(event.id, `#${issue.number} began before #${early} was done`);
		Object.assign(issue, { stage: to, approved: false, done: final === true });
	}
}
