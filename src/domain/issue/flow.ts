// How an issue goes from stage to stage: runs that end, gates, approvals, rejections, moves by hand.
import type { Fact } from "#contract/event.ts";
import { type Actor, actingAgent } from "#contract/ids.ts";
import type { IssueState, NoteState, RunState } from "#contract/issue.ts";
import type { IssueApprove, IssueComplete, IssueGate, IssueLose, IssueMerge, IssueMove, IssueReject, RunFinish } from "#contract/issue-commands.ts";
import type { Preset, Stage } from "#contract/preset.ts";
import type { ProjectState } from "#contract/project.ts";
import { type Refusal, type RefusalCode, refuse } from "#contract/refusal.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Decision } from "../decision.ts";
import { firstWork, gateOf, isBeforeStart, movesFrom, presetNamed, stageOf, waitingIn } from "../preset.ts";
import { type AgentSight, blocked, busy, claimed, type IssueSight, inWork, released, started } from "./assign.ts";
import { about, brokenPreset, type IssueFacts, nameOf, notTheirs } from "./decide.ts";
import { branchOf } from "./prompt.ts";

export const retriesMax = 3;
/** so often agents and commands may send an issue back before a person has to look */
export const bouncesMax = 3;
const backoffMs = 5000;
const laterMs = 60_000;

/** Before the first agent has it. */
export function decideStartIssue({ issue, project, all }: IssueSight): Decision {
	const loaded = presetNamed(project, issue.preset);
	if ("broken" in loaded) return brokenPreset(issue, loaded);
	if (!isBeforeStart(loaded.preset, issue.stage))
		return refuse("INVALID_TRANSITION", `${nameOf(issue)} is in ${issue.stage}: it has been started.`, about(issue));
	const first = firstWork(loaded.preset);
	return blocked(issue, all) ?? (first === undefined ? [] : [started(issue, first)]);
}

export function decideMoveIssue({ issue, project, all }: IssueSight, { stage: to }: IssueMove): Decision {
	const loaded = presetNamed(project, issue.preset);
	if ("broken" in loaded) return brokenPreset(issue, loaded);
	const { preset } = loaded;
	const allowed = movesFrom(preset, issue.stage);
	const target = stageOf(preset, to);
	if (target === undefined || !allowed.includes(to)) return noWay(issue, to, allowed, target);
	const owned = inHand(issue);
	if (owned) return owned;
	const begins = isBeforeStart(preset, issue.stage) && !isBeforeStart(preset, to);
	const refusal = begins ? blocked(issue, all) : null;
	if (refusal) return refusal;
	return [moved(issue, target, "move", isBeforeStart(preset, to) || issue.branch !== null ? {} : { branch: branchOf(issue) })];
}

function noWay(issue: IssueState, to: string, allowed: readonly string[], target: Stage | undefined): Refusal {
	const words =
		target === undefined
			? `There is no stage ${to} in the preset ${issue.preset}.`
			: target.final === true
				? `${nameOf(issue)} is ${to} only once it has been approved.`
				: `${nameOf(issue)} cannot go from ${issue.stage} to ${to}.`;
	return refuse("INVALID_TRANSITION", words, about(issue, { from: issue.stage, to, allowed: [...allowed] }));
}

function inHand(issue: IssueState): Refusal | null {
	if (issue.waiting === "merge") return refuse("CONFLICT", `${nameOf(issue)} is being merged.`, about(issue));
	if (issue.assignee === null) return null;
	return refuse("CONFLICT", `An agent works on ${nameOf(issue)}: unassign it first.`, {
		...about(issue),
		suggestions: [`brood issue unassign ${nameOf(issue)}`],
	});
}

type Why = Extract<Fact, { kind: "issue.moved" }>["data"]["why"];

function moved(issue: IssueState, to: Stage, why: Why, more: { branch?: string } = {}): Fact {
	const final = to.final === true ? { final: true as const } : {};
	return { kind: "issue.moved", agent: null, data: { issue: issue.id, from: issue.stage, to: to.name, why, waiting: waitingIn(to), ...final, ...more } };
}

const attended = (issue: IssueState, reason: string, code?: RefusalCode): Fact => ({
	kind: "issue.attended",
	agent: null,
	text: reason,
	data: { issue: issue.id, ...(code !== undefined && { code }) },
});

export interface FinishSight {
	run: RunState;
	issue: IssueState;
	project: ProjectState;
	on: AgentSight;
	turn: TurnState;
	/** the text of the turn's final item */
	final: string | null;
	tokens: RunState["tokens"];
	cost: number | null;
	at: number;
}

/** A run is over once; what comes of it depends on what it left behind. */
export function decideFinish(seen: FinishSight, command: RunFinish): Decision {
	const { run, issue, on, turn } = seen;
	if (run.state !== "open" || turn.state === "open") return [];
	const untouched = turn.handedAt === null;
	const state = untouched ? "cancelled" : turn.state;
	const said = issue.said !== null || command.ahead > 0 || on.agent.type === "human";
	const work = turn.state === "completed" && command.trouble === undefined && said;
	const session = on.agent.session?.session ?? null;
	const finished: Fact = {
		kind: "run.finished",
		agent: run.agent,
		text: issue.said?.summary ?? seen.final,
		data: { issue: issue.id, run: run.id, state, work, tokens: seen.tokens, cost: seen.cost, session, commit: command.commit },
	};
	// what goes on, or is no longer this agent's, is not judged
	const goesOn = untouched || on.issuePrompts.length > 0 || on.waits || turn.stoppingFor === "urgent mail";
	if (issue.assignee !== run.agent || (goesOn && on.agent.life !== "ended")) return [finished];
	return [finished, ...judged(seen, command, work)];
}

function judged(seen: FinishSight, { trouble }: RunFinish, work: boolean): Fact[] {
	const { issue, project, on, turn, at } = seen;
	const loaded = presetNamed(project, issue.preset);
	const stage = "preset" in loaded ? stageOf(loaded.preset, issue.stage) : undefined;
	// a person takes over from here with the agent at hand; by itself nothing would free it
	const letGo = project.auto || on.agent.life === "ended" ? released(issue, on, false) : [];
	if ("broken" in loaded || stage === undefined)
		return [...letGo, attended(issue, `Its preset ${issue.preset} is broken: ${"broken" in loaded ? loaded.broken : "its stage is gone"}.`)];
	if (issue.attention !== null) return letGo;
	if (work)
		return [
			...released(issue, on, true),
			...(issue.said?.back === true
				? sentBack(issue, loaded.preset, stage, issue.said.summary, "back", actingAgent(seen.run.agent))
				: passed(issue, loaded.preset, stage)),
		];
	if (trouble !== undefined) return [...letGo, ...failed(issue, project, `Its work could not be settled: ${trouble}`, at)];
	if (turn.state === "completed") return [...letGo, attended(issue, withoutWork(seen.final))];
	const reason = `Its turn ${turn.state === "failed" ? "failed" : `was ${turn.state}`}${turn.reason === null ? "" : `: ${turn.reason}`}.`;
	return [...letGo, ...(turn.stoppingFor === "interrupt" ? [attended(issue, reason)] : failed(issue, project, reason, at))];
}

const withoutWork = (final: string | null): string =>
	`The run left no work behind: no commit, no work_complete.${final === null || final.trim() === "" ? "" : ` It ended with: ${final.trim().slice(0, 500).toWellFormed()}`}`;

/** By itself it is tried again, more and more slowly; then, and where a person assigned it, a person has to look. */
export function failed(issue: IssueState, { auto }: Pick<ProjectState, "auto">, reason: string, at: number): Fact[] {
	if (!auto || issue.attempts >= retriesMax) return [attended(issue, auto ? `${reason} It was tried ${issue.attempts + 1} times.` : reason)];
	return [{ kind: "issue.failed", agent: null, text: reason, data: { issue: issue.id, notBefore: at + backoffMs * 2 ** issue.attempts } }];
}

/** The stage's work is done: through its gate, if it has one. */
function passed(issue: IssueState, preset: Preset, stage: Stage): Fact[] {
	const waiting = gateOf(stage);
	return waiting === null ? ledOn(issue, preset, stage, "work") : [{ kind: "issue.waited", agent: null, data: { issue: issue.id, waiting } }];
}

/** To the next stage; into a final one through the merge. */
function ledOn(issue: IssueState, preset: Preset, stage: Stage, why: "work" | "approve", commit: string | null = issue.commit): Fact[] {
	const next = stage.next === undefined ? undefined : stageOf(preset, stage.next);
	if (next === undefined) return [];
	const approved: Fact = { kind: "issue.approved", agent: null, data: { issue: issue.id, commit } };
	if (next.final === true) return [approved, { kind: "issue.waited", agent: null, data: { issue: issue.id, waiting: "merge" } }];
	return [...(why === "approve" ? [approved] : []), moved(issue, next, why)];
}

/** The reasons become a message to the stage that it goes back to. */
function sentBack(issue: IssueState, preset: Preset, stage: Stage, reason: string, why: "back" | "gate" | "reject", from?: Actor): Fact[] {
	const target = stageOf(preset, stage.back ?? stage.name);
	if (target === undefined) return [];
	const told: Fact[] =
		target.prompt === undefined || reason.trim() === ""
			? []
			: [{ kind: "issue.messaged", agent: null, text: reason, data: { issue: issue.id, stage: target.name, ...(from !== undefined && { from }) } }];
	const often = why !== "reject" && issue.bounces >= bouncesMax;
	return [
		moved(issue, target, why),
		...told,
		...(often ? [attended(issue, `It was sent back ${issue.bounces + 1} times: ${reason.slice(0, 500).toWellFormed()}`)] : []),
	];
}

/** What a gate's command said. */
export function decideGate({ issue, project }: IssueFacts, { exit, stderr }: IssueGate, { steady: at }: { steady: number }): Decision {
	const loaded = presetNamed(project, issue.preset);
	const stage = "preset" in loaded ? stageOf(loaded.preset, issue.stage) : undefined;
	if (issue.waiting !== "gate" || "broken" in loaded || stage === undefined) return [];
	if (exit === 0) return ledOn(issue, loaded.preset, stage, "work");
	if (exit === 75) return [{ kind: "issue.waited", agent: null, data: { issue: issue.id, waiting: "gate", notBefore: at + laterMs } }];
	const reason = stderr.trim() === "" ? `The command of the gate ended with ${exit} and said nothing.` : stderr;
	const target = stageOf(loaded.preset, stage.back ?? stage.name);
	// with nobody to tell, going back would only run the same command again
	if (target?.prompt === undefined && target?.gate === stage.gate)
		return [{ kind: "issue.waited", agent: null, data: { issue: issue.id, waiting: "approval" } }, attended(issue, reason.slice(0, 2000).toWellFormed())];
	return sentBack(issue, loaded.preset, stage, reason, "gate");
}

/** Pinned to a commit: what has come since is not approved with it. */
export function decideApprove({ issue, project }: IssueFacts, { commit }: IssueApprove): Decision {
	const loaded = presetNamed(project, issue.preset);
	if ("broken" in loaded) return brokenPreset(issue, loaded);
	const stage = stageOf(loaded.preset, issue.stage);
	if (issue.waiting !== "approval" || stage === undefined) return notWaiting(issue, "approve");
	if (commit !== undefined && issue.commit?.startsWith(commit) !== true) {
		return refuse("CONFLICT", `The branch of ${nameOf(issue)} is at ${issue.commit ?? "no commit"}, not at ${commit}.`, about(issue, { commit: issue.commit }));
	}
	const clear: Fact[] = issue.attention === null ? [] : [{ kind: "issue.unattended", agent: null, data: { issue: issue.id } }];
	return [...clear, ...ledOn(issue, loaded.preset, stage, "approve")];
}

function notWaiting(issue: IssueState, verb: string): Refusal {
	const words = `${nameOf(issue)} is in ${issue.stage}${issue.waiting === "merge" ? " and is being merged" : " and waits for nobody's approval"}.`;
	return refuse("INVALID_TRANSITION", words, about(issue, { from: issue.stage, operation: verb, waiting: issue.waiting }));
}

/** What came of the merge: done, or back to the person who approved it. */
export function decideMerged({ issue, project }: IssueFacts, { commit, trouble }: IssueMerge): Decision {
	const loaded = presetNamed(project, issue.preset);
	const stage = "preset" in loaded ? stageOf(loaded.preset, issue.stage) : undefined;
	const next = "preset" in loaded && stage?.next !== undefined ? stageOf(loaded.preset, stage.next) : undefined;
	if (issue.waiting !== "merge") return [];
	if (trouble !== undefined || next === undefined) {
		const reason = trouble === undefined ? "Its preset has no stage behind this one any more." : `It could not be merged: ${trouble.message}`;
		return [{ kind: "issue.waited", agent: null, data: { issue: issue.id, waiting: "approval" } }, attended(issue, reason, trouble?.code)];
	}
	return [{ kind: "issue.merged", agent: null, data: { issue: issue.id, commit } }, moved(issue, next, "approve")];
}

/** Back with the reason as the prompt; the agent that did it goes on with it at once, if it is there. */
export function decideReject(
	{ last, ...seen }: IssueSight & { last: AgentSight | null },
	{ reason, folder }: IssueReject,
	{ at, actor: by }: { at: number; actor: Actor },
): Decision {
	const { issue, project, all } = seen;
	const loaded = presetNamed(project, issue.preset);
	if ("broken" in loaded) return brokenPreset(issue, loaded);
	const stage = stageOf(loaded.preset, issue.stage);
	const target = stage?.back === undefined ? undefined : stageOf(loaded.preset, stage.back);
	if (issue.waiting !== "approval" || stage === undefined || target === undefined) return notWaiting(issue, "reject");
	const free =
		last !== null &&
		!project.auto &&
		issue.leaving === null &&
		busy(last) === null &&
		(target.wipMax === undefined || inWork(target.name, all) < target.wipMax);
	if (!free || target.prompt === undefined) return sentBack(issue, loaded.preset, stage, reason, "reject");
	// told in the prompt that is queued with it, and so never again
	const message: NoteState = {
		id: 0,
		issue: issue.id,
		kind: "message",
		...{ at, by },
		text: reason,
		name: null,
		type: null,
		version: null,
		stage: target.name,
		delivered: false,
	};
	return [
		moved(issue, target, "reject"),
		{ kind: "issue.messaged", agent: null, text: reason, data: { issue: issue.id, stage: target.name, delivered: true } },
		...claimed({ ...seen, issue: { ...issue, stage: target.name, attempts: 0 }, notes: [...seen.notes, message] }, last, target, folder ?? issue.folder),
	];
}

/** Said by its agent: this stage's work is complete, or has to go back. It counts when the turn ends. */
export function decideComplete({ issue, project }: IssueFacts, { summary, back }: IssueComplete, by: { actor: Actor }): Decision {
	const refusal = notTheirs(issue, by.actor);
	if (refusal) return refusal;
	if (issue.run === null) return refuse("CONFLICT", `No run of ${nameOf(issue)} is open.`, about(issue));
	const loaded = presetNamed(project, issue.preset);
	const stage = "preset" in loaded ? stageOf(loaded.preset, issue.stage) : undefined;
	if (back && stage?.back === undefined) return refuse("INVALID_TRANSITION", `From ${issue.stage} there is no way back.`, about(issue));
	return [{ kind: "issue.said", agent: null, text: summary, data: { issue: issue.id, back } }];
}

/** Its agent is gone, or never got to it. Without a reason this is only a look. */
export function decideLose(
	{ issue, project, on }: IssueFacts & { on: AgentSight | null },
	{ reason }: IssueLose,
	{ steady: at }: { steady: number },
): Decision {
	if (on === null || issue.run !== null) return [];
	const { agent } = on;
	if (agent.life === "ended") return [...released(issue, on, false), ...failed(issue, project, `${agent.handle} was ${agent.endReason ?? "ended"}.`, at)];
	if (agent.issue?.id !== issue.id) return [];
	if (reason !== undefined) return agent.activity === "preparing" ? [...released(issue, on, false), ...failed(issue, project, reason, at)] : [];
	if (agent.activity !== "idle" || agent.turn !== null || on.waits || issue.attention !== null) return [];
	// what passes, or a person meant, is waited for; a person who assigned it looks after the rest, and by itself nobody would
	const passes: readonly string[] = ["limit", "user", "interrupt"];
	const held = agent.holds.flatMap(({ kind }) => (passes.includes(kind) ? [] : kind)).join(", ");
	if (project.auto && held !== "") return [...released(issue, on, false), ...failed(issue, project, `${agent.handle} is held (${held}).`, at)];
	if (on.issuePrompts.length > 0) return [];
	return [...released(issue, on, false), attended(issue, `Its prompt was taken out of the queue of ${agent.handle}.`)];
}
