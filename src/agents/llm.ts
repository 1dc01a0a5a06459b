// The agent type `llm`: our own agent on any provider's model. Its context is exactly Brood's.
import { AgentId } from "#contract/ids.ts";
import { serveAgent, TurnFailed } from "./acp-agent.ts";
import { daemonClient } from "./daemon-client.ts";
import { pinnedText } from "./llm/files.ts";
import { runTurn } from "./llm/loop.ts";
import { modelOf } from "./llm/model.ts";

// the library's warnings would go to standard output, which is the protocol's
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

serveAgent("llm", async (_, reporter) => {
	const daemon = daemonClient(process.env);
	if (daemon === null) throw new TurnFailed("This agent was not started by a daemon.");
	const { client, self } = daemon;
	const me = (await client.call("agents")).find((agent) => agent.id === AgentId.parse(self));
	const { systemPrompt, pinned } = await client.call("settings", { params: { agent: self } });
	await runTurn({
		systemPrompt,
		pinned: pinnedText(pinned),
		model: modelOf(me?.model ?? null, process.env),
		reporter,
		toolContext: { self, call: client.callOrRefusal, stopped: reporter.signal },
		context: () => client.call("context", { params: { agent: self } }),
	});
});
