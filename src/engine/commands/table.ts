// For each command: what to load, and which decider to ask.
import type { Command } from "#contract/command.ts";
import type { Limits } from "#contract/limits.ts";
import { decideFail, decidePause, decideProvisioned, decideReap, decideRecover, decideResume } from "#domain/agent/decide.ts";
import { decideClear, decideMark } from "#domain/history.ts";
import { decideAttend, decideComment, decideDeleteIssue, decideDepend, decideUndepend } from "#domain/issue/decide.ts";
import { decideMoveIssue, decideStartIssue } from "#domain/issue/flow.ts";
import { decideAppend } from "#domain/item.ts";
import { decideAddProject, decideApproveConfig, decideRemoveProject, decideTune } from "#domain/project.ts";
import { decideCancel, decideEdit, decideMove } from "#domain/prompt.ts";
import { decideOpenSession } from "#domain/session.ts";
import { decideAddSubscription, decideConfigureSubscription, decideCool } from "#domain/subscription.ts";
import { decideHeard, decideSettle, decideSilent, decideTurnAppend } from "#domain/turn.ts";
import { decideDrift, decideFound, decideFree, decideLease, decideLeaseCrash, decideRecord } from "#domain/workspace.ts";
import type { Decided, Work } from "../work.ts";
import { configureAgent, deleteAgent, initAgent, inSharedTree, killAgent, onAgent, spawnAgent } from "./agent.ts";
import {
	addIssue,
	approveIssue,
	assignIssue,
	completeIssue,
	documentIssue,
	editIssue,
	finishRun,
	gateIssue,
	leftIssue,
	loseIssue,
	mergeIssue,
	messageIssue,
	onIssue,
	readyIssue,
	rejectIssue,
	retryIssue,
	unassignIssue,
	withSight,
} from "./issue.ts";
import { deleteMail, readMail, sendMail, wakeForMail } from "./mail.ts";
import { answerApproval, askApproval, cancelWait, lookAtWait, openWait, withdrawApproval } from "./open.ts";
import { limitAgent, onSubscription, removeSubscription, steadyOf } from "./slots.ts";
import {
	beforeTurn,
	crashTurn,
	endTurn,
	finishTurn,
	handTurn,
	inThread,
	interruptAgent,
	onQueue,
	queuePrompt,
	releaseTurn,
	retryTurn,
	rewindContext,
	startTurn,
	yieldTurn,
} from "./thread.ts";

type Handlers = { [T in Command["type"]]: (work: Work, command: Extract<Command, { type: T }>, limits: Limits) => Promise<Decided> };

const handlers: Handlers = {
	"agent.init": initAgent,
	"agent.spawn": spawnAgent,
	"agent.kill": killAgent,
	"agent.delete": deleteAgent,
	"agent.provisioned": (work, command) => onAgent(work, command.agent, (agent) => decideProvisioned(agent, command)),
	"agent.fail": (work, command) => onAgent(work, command.agent, (agent) => decideFail(agent, command)),
	"agent.pause": (work, command) => onAgent(work, command.agent, (agent) => decidePause(agent, command)),
	"agent.resume": (work, command) => onAgent(work, command.agent, (agent) => decideResume(agent, command)),
	"agent.recover": (work, { agent }) => onAgent(work, agent, decideRecover),
	"agent.reap": (work, { agent }) => onAgent(work, agent, decideReap),
	"agent.limit": (work, { agent }) => limitAgent(work, agent),
	"agent.configure": configureAgent,
	"agent.interrupt": interruptAgent,

	"item.append": (work, command) => inThread(work, command.agent, (agent) => decideAppend(agent, command)),
	"context.clear": (work, { agent }) => inThread(work, agent, decideClear),
	"context.mark": (work, command) => inThread(work, command.agent, (agent) => decideMark(agent, command)),
	"context.rewind": rewindContext,

	"prompt.queue": queuePrompt,
	"prompt.edit": (work, command) => onQueue(work, command.agent, (agent, queue) => decideEdit(agent, command, queue)),
	"prompt.move": (work, command) => onQueue(work, command.agent, (agent, queue) => decideMove(agent, command, queue)),
	"prompt.cancel": (work, command) => onQueue(work, command.agent, (agent, queue) => decideCancel(agent, command, queue)),

	"turn.start": (work, { agent }, limits) => startTurn(work, agent, limits),
	"turn.hand": handTurn,
	"turn.append": (work, command) => inThread(work, command.agent, (agent) => decideTurnAppend(agent, command)),
	"turn.end": endTurn,
	"turn.release": releaseTurn,
	"turn.crash": crashTurn,
	"turn.yield": yieldTurn,
	"turn.silent": (work, command) => onAgent(work, command.agent, (agent) => decideSilent(agent, command)),
	"turn.heard": (work, command) => onAgent(work, command.agent, (agent) => decideHeard(agent, command.turn)),
	"turn.settle": (work, { agent: id, turn }) => onAgent(work, id, (agent) => decideSettle(agent, turn)),
	"turn.retry": retryTurn,
	"turn.finish": finishTurn,

	"session.open": (work, command) =>
		beforeTurn(work, command.turn, (refused) => onAgent(work, command.agent, (agent) => refused(agent) ?? decideOpenSession(agent, command))),

	"approval.ask": askApproval,
	"approval.answer": answerApproval,
	"approval.withdraw": withdrawApproval,
	"wait.open": openWait,
	"wait.look": (work, { wait }, limits) => lookAtWait(work, wait, limits),
	"wait.cancel": (work, { wait }, limits) => cancelWait(work, wait, limits),

	"workspace.lease": (work, command) => inSharedTree(work, command.agent, (agent, others) => decideLease(agent, command, others, work.envelope)),
	"workspace.free": (work, { agent }) => inSharedTree(work, agent, decideFree),
	"workspace.record": (work, command) =>
		beforeTurn(work, command.turn, (refused) =>
			inSharedTree(work, command.agent, (agent, others) => refused(agent) ?? decideRecord(agent, command, others, work.envelope)),
		),
	"workspace.drift": (work, command) =>
		beforeTurn(work, command.turn, (refused) => onAgent(work, command.agent, (agent) => refused(agent) ?? decideDrift(agent, command))),
	"workspace.found": (work, command) => onAgent(work, command.agent, (agent) => decideFound(agent, command)),
	"workspace.crash": (work, { agent }) => onAgent(work, agent, decideLeaseCrash),

	"mail.send": sendMail,
	"mail.read": readMail,
	"mail.wake": (work, { agent }) => wakeForMail(work, agent),
	"mail.delete": deleteMail,

	"project.add": async (work, command) => ({ decision: decideAddProject(await work.project(command.slug), command), subject: { project: command.slug } }),
	"project.tune": async (work, command) => ({ decision: decideTune(await work.project(command.slug), command), subject: { project: command.slug } }),
	"git.record": async (_, { runs }) => ({ decision: runs.map((data) => ({ kind: "git.ran", agent: null, data })), subject: {} }),
	"project.approve": async (work, command) => ({
		decision: decideApproveConfig(await work.project(command.slug), command),
		subject: { project: command.slug },
	}),
	"project.remove": async (work, { slug }) => {
		const living = await work.tx.agents({ project: slug });
		const alive = living.filter((agent) => agent.life !== "ended").length;
		return { decision: decideRemoveProject(await work.project(slug), slug, alive), subject: { project: slug } };
	},

	"issue.add": addIssue,
	"issue.edit": editIssue,
	"issue.start": (work, { issue }) => withSight(work, issue, decideStartIssue),
	"issue.assign": assignIssue,
	"issue.unassign": (work, { issue }) => unassignIssue(work, issue),
	"issue.move": (work, command) => withSight(work, command.issue, (seen) => decideMoveIssue(seen, command)),
	"issue.depend": (work, command) => withSight(work, command.issue, ({ issue, all }) => decideDepend(issue, command, all)),
	"issue.undepend": (work, command) => onIssue(work, command.issue, (issue) => decideUndepend(issue, command)),
	"issue.comment": (work, command) => onIssue(work, command.issue, (issue) => decideComment(issue, command, work.envelope)),
	"issue.document": documentIssue,
	"issue.message": messageIssue,
	"issue.approve": approveIssue,
	"issue.reject": rejectIssue,
	"issue.attend": (work, command) => onIssue(work, command.issue, (issue) => decideAttend(issue, command, work.envelope)),
	"issue.retry": retryIssue,
	"issue.delete": (work, { issue }) => onIssue(work, issue, decideDeleteIssue),
	"issue.complete": completeIssue,
	"issue.ready": readyIssue,
	"issue.left": leftIssue,
	"issue.lose": loseIssue,
	"issue.gate": gateIssue,
	"issue.merge": mergeIssue,
	"run.finish": finishRun,
	"subscription.add": (work, command) => onSubscription(work, command.name, (all) => decideAddSubscription(all, command)),
	"subscription.configure": (work, command) => onSubscription(work, command.name, (all) => decideConfigureSubscription(all, command)),
	"subscription.cool": (work, command) =>
		onSubscription(work, command.name, (all) => decideCool(all, { ...command, until: command.until === null ? null : steadyOf(command.until, work.envelope) })),
	"subscription.remove": (work, { name }) => removeSubscription(work, name),
};

export async function loadAndDecide(work: Work, command: Command, limits: Limits): Promise<Decided> {
	// the table has one handler for each type, which takes exactly the commands of that type
	const handler: (work: Work, command: never, limits: Limits) => Promise<Decided> = handlers[command.type];
	return await Reflect.apply(handler, undefined, [work, command, limits]);
}
