// The daemon that `terminal.ts` measures the terminal against: makes agents and items on command, and lets agents
// stream.
import { createInterface } from "node:readline";
import { AgentId, human, system } from "#contract/ids.ts";
import { startDaemon } from "#src/main.ts";

await using daemon = await startDaemon({ home: process.argv[2] ?? "" });
const { engine } = daemon;
const text = "A line of what an agent says while it works on the files of a project, with `code` and **weight**.";
let streaming: NodeJS.Timeout | null = null;

const commands: Record<string, (count: number, agent: string) => Promise<unknown>> = {
	/** agents that nobody runs */
	agents: async (count) => {
		const made: string[] = [];
		while (made.length < count)
			made.push(...(await Promise.all(Array.from({ length: Math.min(50, count - made.length) }, spawned))));
		return made;
	},
	/** items in the thread of an agent */
	items: async (count, agent) => {
		for (let done = 0; done < count; done += 500)
			await Promise.all(Array.from({ length: Math.min(500, count - done) }, () => said(agent)));
		return count;
	},
	/** items a second, of each of the agents behind the comma */
	stream: async (perSecond, agents) => {
		const all = agents.split(",");
		streaming = setInterval(() => {
			for (const agent of all) for (let item = 0; item < perSecond / 20; item++) void said(agent);
		}, 50);
		return all.length;
	},
	quiet: async () => {
		if (streaming !== null) clearInterval(streaming);
	},
};

async function spawned(): Promise<string> {
	const command = { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", workspace: "none" } as const;
	const outcome = await engine.dispatch({ actor: human, key: null, command: { ...command, agentType: "human" } });
	if ("refused" in outcome) throw new Error(outcome.refused.message);
	return outcome.done.agent?.id ?? "";
}

async function said(agent: string): Promise<void> {
	const command = { type: "item.append", agent: AgentId.parse(agent), kind: "assistant", text } as const;
	const outcome = await engine.dispatch({ actor: system, key: null, command });
	if ("refused" in outcome) throw new Error(outcome.refused.message);
}

console.log(JSON.stringify({ url: daemon.url, token: daemon.token }));
for await (const line of createInterface(process.stdin)) {
	const [name = "", count = "0", agent = ""] = line.split(" ");
	console.log(JSON.stringify({ done: await commands[name]?.(Number(count), agent) }));
}
