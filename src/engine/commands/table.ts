// For each command: what to load, and which decider to ask.
import type { Command } from "#contract/command.ts";
import type { Limits } from "#contract/limits.ts";
import { decideFail, decidePause, decideProvisioned, decideReap, decideRecover, decideResume } from "#domain/agent/decide.ts";
import { decideClear, decideMark } from "#domain/history.ts";
import { decideAppend } from "#domain/item.ts";
import { decideAddProject, decideRemoveProject } from "#domain/project.ts";
import { decideTurnAppend } from "#domain/turn.ts";
import type { Decided, Work } from "../work.ts";
import { configureAgent, initAgent, killAgent, onAgent, spawnAgent } from "./agent.ts";
import { deleteMail, readMail, sendMail, wakeForMail } from "./mail.ts";
import { crashTurn, endTurn, handTurn, inThread, interruptAgent, queuePrompt, releaseTurn, rewindContext, startTurn } from "./thread.ts";

export async function loadAndDecide(work: Work, command: Command, limits: Limits): Promise<Decided> {
	switch (command.type) {
		case "agent.init":
			return await initAgent(work, command);
		case "agent.spawn":
			return await spawnAgent(work, command, limits);
		case "agent.kill":
			return await killAgent(work, command);
		case "agent.provisioned":
			return await onAgent(work, command.agent, decideProvisioned);
		case "agent.fail":
			return await onAgent(work, command.agent, (agent) => decideFail(agent, command));
		case "agent.pause":
			return await onAgent(work, command.agent, (agent) => decidePause(agent, command));
		case "agent.resume":
			return await onAgent(work, command.agent, decideResume);
		case "agent.recover":
			return await onAgent(work, command.agent, decideRecover);
		case "agent.reap":
			return await onAgent(work, command.agent, decideReap);
		case "item.append":
			return await inThread(work, command.agent, (agent) => decideAppend(agent, command));
		case "context.clear":
			return await inThread(work, command.agent, decideClear);
		case "context.mark":
			return await inThread(work, command.agent, (agent) => decideMark(agent, command));
		case "context.rewind":
			return await rewindContext(work, command);
		case "prompt.queue":
			return await queuePrompt(work, command, limits);
		case "turn.start":
			return await startTurn(work, command.agent);
		case "turn.hand":
			return await handTurn(work, command);
		case "turn.append":
			return await inThread(work, command.agent, (agent) => decideTurnAppend(agent, command));
		case "turn.end":
			return await endTurn(work, command);
		case "turn.release":
			return await releaseTurn(work, command);
		case "turn.crash":
			return await crashTurn(work, command);
		case "agent.interrupt":
			return await interruptAgent(work, command);
		case "mail.send":
			return await sendMail(work, command, limits);
		case "mail.read":
			return await readMail(work, command);
		case "mail.wake":
			return await wakeForMail(work, command.agent);
		case "mail.delete":
			return await deleteMail(work, command);
		case "agent.configure":
			return await configureAgent(work, command);
		case "project.add":
			return { decision: decideAddProject(await work.project(command.slug), command), subject: { project: command.slug } };
		case "project.remove": {
			const living = await work.tx.agents({ project: command.slug });
			const alive = living.filter((agent) => agent.life !== "ended").length;
			return { decision: decideRemoveProject(await work.project(command.slug), command.slug, alive), subject: { project: command.slug } };
		}
	}
}
