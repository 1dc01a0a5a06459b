// A daemon under load, made to be killed: agents with prompts, forks and mail, and a line for every acknowledgement.
// `node load.ts <home> <round>`. Every prompt leaves a trace outside of the store when it is really started.

import { resolve } from "node:path";
import type { AgentState } from "#contract/agent.ts";
import type { CommandInput } from "#contract/command.ts";
import { human } from "#contract/ids.ts";
import { isRefusal } from "#contract/refusal.ts";
import { startDaemon } from "#src/main.ts";

const [home = "", round = ""] = process.argv.slice(2);
const line = (text: string): void => void process.stdout.write(`${text}\n`);
line("starting");
const { engine } = await startDaemon({ home, limits: { descendantsMax: 1000 } });
line("recovered");
const dispatch = (command: CommandInput) => engine.dispatch({ actor: human, key: null, command });
const agents = await Promise.all(["one", "two", "three"].map(found));
line("ready");
const starts = resolve(home, "starts.log");
for (let at = 0; ; at++) await Promise.all(agents.map((agent, index) => load(agent, `${round}-${index}-${at}`)));

async function found(name: string): Promise<AgentState> {
	const known = await engine.queries.resolve(name);
	if (!isRefusal(known)) await dispatch({ type: "agent.resume", agent: known.id });
	const agent = isRefusal(known) ? undefined : await engine.reads.agent(known.id);
	if (agent !== undefined) return agent;
	const outcome = await dispatch({ type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", name });
	if ("refused" in outcome || outcome.done.agent === undefined) throw new Error(JSON.stringify(outcome));
	return outcome.done.agent;
}

async function load(agent: AgentState, word: string): Promise<void> {
	const prompt = await dispatch({
		type: "prompt.queue",
		agent: agent.id,
		text: `run echo ${word} >> ${starts}\nsay ${word}`,
	});
	if ("done" in prompt) line(`prompt ${prompt.done.event} ${agent.id} ${word}`);
	const to = agents[word.length % agents.length];
	const mail = to && (await dispatch({ type: "mail.send", to: to.id, body: word }));
	if (mail && "done" in mail) line(`mail ${mail.done.event} ${to.id} ${word}`);
	// a queue that is full only slows us down
	await new Promise((next) => setImmediate(next));
}
