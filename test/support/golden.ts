// Everything that a store can tell, as one value.

import type { AgentId } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { everyAgent, everyIssue, everyMail, everyTurn } from "#test/support/every.ts";

export async function contentsOf(engine: Engine) {
	const agents = await everyAgent(engine.reads);
	const each = async <T>(ask: (id: AgentId) => Promise<T>): Promise<Record<string, T>> =>
		Object.fromEntries(await Promise.all(agents.map(async ({ id, handle }) => [handle, await ask(id)])));
	return {
		agents,
		projects: await engine.reads.projects(),
		subscriptions: await engine.reads.subscriptions(),
		persons: await engine.reads.persons(),
		events: await engine.reads.events({ after: 0, limit: 100_000 }),
		contexts: await each((id) => engine.queries.context(id)),
		prompts: await each((id) => engine.reads.prompts(id)),
		turns: await each((id) => everyTurn(engine.reads, id)),
		mails: await each((id) => everyMail(engine.reads, id)),
		waits: await engine.reads.openWaits(),
		issues: await everyIssue(engine.reads),
		entries: await Promise.all((await everyIssue(engine.reads)).map(({ id }) => engine.reads.entries(id))),
		settings: Object.fromEntries(
			await Promise.all(agents.map(async (agent) => [agent.handle, await engine.queries.settings(agent)])),
		),
	};
}
