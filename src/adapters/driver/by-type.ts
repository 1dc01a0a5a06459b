// Which driver executes an agent's turns: a human agent's wait for its person, every other has a process.
import type { AgentState } from "#contract/agent.ts";
import type { Driver } from "#engine/ports/driver.ts";
import { humanDriver } from "./human.ts";

export function driverByType(processes: Driver): Driver {
	const of = ({ type }: AgentState): Driver => (type === "human" ? humanDriver : processes);
	return {
		startProcess: (agent, ...asked) => of(agent).startProcess(agent, ...asked),
		dismiss: (agent, turn) => processes.dismiss(agent, turn),
		autorunFiles: (agent) => of(agent).autorunFiles(agent),
		keepsSession: (agent) => of(agent).keepsSession(agent),
		run: (turn, watch, signal) => of(turn.agent).run(turn, watch, signal),
		frozen: (agent, work) => processes.frozen(agent, work),
		freezeAll: () => processes.freezeAll(),
		thawAll: () => processes.thawAll(),
		killAll: () => processes.killAll(),
		processesLeft: (agent) => processes.processesLeft(agent),
		end: (agent) => processes.end(agent),
		sweep: () => processes.sweep(),
		[Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
	};
}
