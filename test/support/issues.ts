// An engine with a project, agents without processes, and short sentences about issues.
import { openMemory } from "#adapters/store/memory/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, actingAgent } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import { limits } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { type IssueWork, noIssueWork } from "#engine/ports/issue-work.ts";
import { FakeDriver } from "./fake-driver.ts";
import { done, spawn } from "./say.ts";
import { settled } from "./settled.ts";

export interface IssueWorld extends AsyncDisposable {
	engine: Engine;
	driver: FakeDriver;
	/** says a command as a person and waits until nothing more follows from it */
	tell(command: object): Promise<void>;
	add(title: string, more?: object): Promise<IssueState>;
	agent(name: string, more?: object): Promise<AgentState>;
	issue(of: { id: number }): Promise<IssueState>;
	/** ends the agent's open turn; `complete` says work_complete first */
	end(
		agent: { id: AgentId },
		how?: { complete?: string; back?: boolean; failed?: string; text?: string },
	): Promise<void>;
}

export async function issueWorld(work: Partial<IssueWork> = {}): Promise<IssueWorld> {
	const driver = new FakeDriver();
	const issueWork = { ...noIssueWork, ...work };
	const engine = await Engine.start({
		store: openMemory(batchRunner(limits)),
		driver,
		limits,
		clock: systemClock,
		ids: randomIds,
		issueWork,
	});
	await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
	const issue = async ({ id }: { id: number }): Promise<IssueState> => {
		const found = await engine.reads.issue(id);
		if (found === undefined) throw new Error(`no issue ${id}`);
		return found;
	};
	return {
		engine,
		driver,
		issue,
		async tell(command) {
			await done(engine, command);
			await settled(engine);
		},
		async add(title, more = {}) {
			const { event = 0 } = await done(engine, { type: "issue.add", project: "web", title, ...more });
			await settled(engine);
			return await issue({ id: event });
		},
		async agent(name, more = {}) {
			const made = await spawn(engine, engine.agentZero.id, { name, project: "web", agentType: "scripted", ...more });
			await settled(engine);
			return made;
		},
		async end({ id }, { complete, back = false, failed, text } = {}) {
			const of = (await engine.reads.agent(id))?.issue?.id;
			if (complete !== undefined)
				await done(engine, { type: "issue.report", issueId: of, summary: complete, back }, { as: actingAgent(id) });
			driver
				.open(id)
				?.end({ state: failed === undefined ? "completed" : "failed", reason: failed ?? null, text: text ?? null });
			await settled(engine);
		},
		[Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
	};
}
