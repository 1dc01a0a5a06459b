// Many turns of many agents at the same time: what the processes wrote down themselves is what the journal says, prompt
// by prompt and answer by answer.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Client } from "#client/client.ts";
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { programPath } from "#local/programs.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { testProgram } from "#test/support/programs.ts";
import { freshRepository } from "#test/support/repository.ts";
import { done, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const long = process.env["BROOD_TORTURE"] !== undefined;
const turnsOf = ({ tree = false }: { tree?: boolean }): number => (long ? (tree ? 15 : 96) : tree ? 12 : 36);
const kinds = [
	...[{ type: "scripted" }, { type: "shell" }, { type: "remembering" }, { type: "scripted", tree: true }],
	...[{ type: "shell", tree: true }, { type: "scripted" }, { type: "shell" }, { type: "remembering", tree: true }],
];

/** each with a daemon of its own */
const rounds = Array.from({ length: long ? 10 : 1 }, (_, at) => at + 1);
const turnsInAll = kinds.reduce((sum, kind) => sum + turnsOf(kind), 0);

/** One prompt as it was seen, and what was said in return. */
interface Exchange {
	prompt: string;
	said: string[];
	tools: string[];
	ended: string;
}

test.each(rounds)(
	`round %i: ${turnsInAll} turns of ${kinds.length} agents are each handed over once, and answered as the journal says`,
	{
		timeout: 3_600_000,
	},
	async () => {
		const home = freshFolder();
		const logs = freshFolder();
		await using daemon = await startDaemon({ home, programs: logged(logs), limits: { turnsMax: kinds.length } });
		const { engine } = daemon;
		await new Client(daemon).call("projectAdd", { body: { slug: "p", path: freshRepository() } });
		const add = ({ type, tree = false }: { type: string; tree?: boolean }): Promise<AgentState> =>
			spawn(engine, engine.agentZero.id, {
				agentType: `logged-${type}`,
				project: "p",
				workspace: tree ? "new" : "none",
			});
		const agents = await Promise.all(kinds.map(add));
		const given = agents.map(() => [] as string[]);
		await Promise.all(agents.map((agent, at) => keepBusy(daemon, agent, kinds[at] ?? { type: "" }, given[at] ?? [])));
		let turns = 0;
		for (const [at, agent] of agents.entries()) {
			const [log, journal] = [exchangesOf(read(logs, agent)), await journalOf(daemon, agent)];
			expect(journal.map(({ prompt }) => prompt)).toEqual(given[at]);
			expect(log).toEqual(journal);
			expect(journal.every(({ ended }) => ended === "completed")).toBe(true);
			turns += log.length;
		}
		expect(turns).toBe(turnsInAll);
		const journal = await Promise.all(agents.map((agent) => journalOf(daemon, agent)));
		// the control: a prompt too many, or a word too few, is seen
		const [first = []] = journal;
		expect([...first, { prompt: "", said: [], tools: [], ended: "completed" }]).not.toEqual(journal[0]);
	},
);

function logged(logs: string) {
	const under = (file: string, leavesNothing: boolean) => ({
		command: process.execPath,
		args: ["--import", testProgram("log-lines"), file],
		leavesNothing,
		...(!leavesNothing && { keepsSession: true }),
		environment: { LOGS: logs, SESSIONS: logs },
	});
	return {
		"logged-scripted": under(programPath("agents/scripted"), true),
		"logged-shell": under(programPath("agents/shell"), true),
		"logged-remembering": under(testProgram("remembering"), false),
	};
}

/** Some prompts wait behind others, and some come when the agent has just become idle. */
async function keepBusy(
	{ engine }: Daemon,
	agent: AgentState,
	kind: { type: string; tree?: boolean },
	given: string[],
): Promise<void> {
	const wantedInAll = turnsOf(kind);
	using events = engine.publisher.follow();
	let ended = 0;
	while (given.length < wantedInAll || ended < wantedInAll) {
		const wanted = Math.min(wantedInAll, ended + 1 + (ended % 3));
		while (given.length < wanted) {
			const text = promptFor(kind.type, agent, given.length);
			given.push(text);
			await done(engine, { type: "prompt.queue", agent: agent.id, text });
		}
		const batch = await events.next();
		if (batch === null) throw new Error("cut off from the events");
		ended += batch.filter((event) => event.kind === "turn.ended" && event.agent === agent.id).length;
	}
}

function promptFor(type: string, { handle }: AgentState, at: number): string {
	const words = `${handle} ${at}`;
	if (type === "shell") return at % 2 === 0 ? `echo ${words}` : `echo ${words} > file; sleep 0.0${at % 5}; cat file`;
	if (type === "scripted")
		return at % 4 === 0 ? `say ${words}\nrun echo ${words}; sleep 0.01; echo over` : `say ${words}\nsay again`;
	return words;
}

const read = (logs: string, { id }: AgentState): string[] => {
	const file = path.join(logs, `${id}.jsonl`);
	return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
};

/** What the agent's processes saw and said. */
function exchangesOf(lines: readonly string[]): Exchange[] {
	const exchanges: Exchange[] = [];
	let current: Exchange | undefined;
	for (const { got, update, answered } of lines.map((line) => JSON.parse(line))) {
		if (got !== undefined) {
			current = { prompt: got, said: [], tools: [], ended: "open" };
			exchanges.push(current);
		} else if (update?.sessionUpdate === "agent_message_chunk") current?.said.push(update.content.text);
		else if (update?.status === "completed" || update?.status === "failed")
			current?.tools.push(update.content[0].content.text);
		else if (answered !== undefined && current !== undefined)
			current.ended = answered.stopReason === "end_turn" ? "completed" : JSON.stringify(answered);
	}
	return exchanges;
}

/** What the journal says of the agent's turns. */
async function journalOf({ engine }: Daemon, { id }: AgentState): Promise<Exchange[]> {
	const events = await engine.reads.events({ after: 0, limit: Number.MAX_SAFE_INTEGER, agent: id });
	const texts = (turn: number, kind: string): string[] =>
		events.filter((event) => event.turn === turn && event.kind === kind).map(({ text }) => text ?? "");
	const one = ({ id: turn }: Event): Exchange => ({
		prompt: texts(turn, "user").join("|"),
		said: texts(turn, "assistant"),
		tools: texts(turn, "tool_result"),
		ended: events
			.flatMap(({ kind, data }) =>
				kind === "turn.ended" && Object(data).turn === turn ? [String(Object(data).state)] : [],
			)
			.join("|"),
	});
	return events.filter(({ kind }) => kind === "turn.started").map(one);
}
