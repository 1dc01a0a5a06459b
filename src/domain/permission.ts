// Who may say what. Agents reach the daemon with a token of their own and get exactly the verbs listed
// here; each decider still checks whom they are said to. What only the daemon says to itself is `system`.
import type { AgentState } from "#contract/agent.ts";
import type { Command } from "#contract/command.ts";
import { type Actor, type AgentId, agentOf, system } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";

type Speaker = "human" | "system" | "agent";

const everyone: readonly Speaker[] = ["human", "system", "agent"];
const people: readonly Speaker[] = ["human", "system"];
const daemon: readonly Speaker[] = ["system"];

export const speakers: Record<Command["type"], readonly Speaker[]> = {
	"agent.init": daemon,
	"agent.spawn": everyone,
	"agent.provisioned": daemon,
	"agent.fail": daemon,
	"agent.pause": people,
	"agent.resume": people,
	"agent.recover": people,
	"agent.limit": daemon,
	"agent.configure": people,
	"agent.interrupt": everyone,
	"agent.kill": everyone,
	"agent.delete": people,
	"agent.reap": people,
	"item.append": people,
	"context.clear": people,
	"context.mark": people,
	"context.rewind": people,
	"prompt.queue": everyone,
	"prompt.edit": people,
	"prompt.move": people,
	"prompt.cancel": people,
	"turn.retry": people,
	"turn.finish": people,
	"turn.start": daemon,
	"turn.hand": daemon,
	"turn.append": daemon,
	"turn.end": daemon,
	"turn.release": daemon,
	"turn.crash": daemon,
	"turn.yield": daemon,
	"turn.silent": daemon,
	"turn.heard": daemon,
	"approval.ask": daemon,
	"approval.answer": people,
	"approval.withdraw": daemon,
	"turn.settle": daemon,
	"session.open": daemon,
	"workspace.lease": everyone,
	"workspace.free": everyone,
	"workspace.record": everyone,
	"workspace.drift": daemon,
	"workspace.found": people,
	"workspace.crash": daemon,
	"project.approve": people,
	"git.record": daemon,
	"wait.open": everyone,
	"wait.look": daemon,
	"wait.cancel": everyone,
	"mail.send": everyone,
	"mail.read": everyone,
	"mail.wake": daemon,
	"mail.delete": everyone,
	"project.add": people,
	"project.remove": people,
	"project.tune": people,
	"issue.add": people,
	"issue.edit": people,
	"issue.start": people,
	"issue.assign": people,
	"issue.unassign": people,
	"issue.move": people,
	"issue.depend": people,
	"issue.undepend": people,
	"issue.comment": everyone,
	"issue.document": everyone,
	"issue.message": everyone,
	"issue.approve": people,
	"issue.reject": people,
	"issue.attend": everyone,
	"issue.retry": people,
	"issue.delete": people,
	"issue.complete": everyone,
	"issue.ready": daemon,
	"issue.left": daemon,
	"issue.lose": daemon,
	"run.finish": daemon,
	"issue.gate": daemon,
	"issue.merge": daemon,
	"subscription.add": people,
	"subscription.configure": people,
	"subscription.cool": people,
	"subscription.remove": people,
};

export function forbiddenFor(actor: Actor, type: Command["type"]): Refusal | null {
	const speaker: Speaker = agentOf(actor) !== null ? "agent" : actor === system ? "system" : "human";
	if (speakers[type].includes(speaker)) return null;
	return refuse("FORBIDDEN", `${type} is not for ${speaker === "agent" ? "agents" : "people"}.`, { details: { command: type } });
}

/** An agent's token acts for the turn that is open on it; with none open it acts for nobody. */
export function outsideTurn(caller: AgentId, agent: AgentState | undefined): Refusal | null {
	if (agent?.turn !== null && agent !== undefined) return null;
	return refuse("TURN_NOT_OPEN", "This agent has no open turn, so its process has no say.", { details: { agent: caller } });
}
