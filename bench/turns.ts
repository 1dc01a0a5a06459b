// What Brood adds to a turn: a prompt to a warm agent until its first item is durable, beside the same program asked
// without Brood; and whether many agents at once slow each other's acknowledgements down over time.

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { launch } from "#adapters/driver/acp/launch.ts";
import type { CommandInput } from "#contract/command.ts";
import { type AgentId, system } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { programPath } from "#local/programs.ts";
import { startDaemon } from "#src/main.ts";
import { everyTurn } from "#test/support/every.ts";
import { median, percentile, type Result } from "./table.ts";

const rounds = 220;
const agents = 100;
const watchers = 50;
const secondsOfLoad = 150;
const minuteMs = 60_000;

export async function turns(): Promise<Result[]> {
	return [await inHome(overhead), await inHome(crowd)];
}

export async function inHome<T>(work: (home: string) => Promise<T>): Promise<T> {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	try {
		return await work(home);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

async function overhead(home: string): Promise<Result> {
	await using daemon = await startDaemon({ home });
	const { engine } = daemon;
	const agent = await spawn(engine);
	const bare = await launch({
		containment: daemon.containment,
		command: process.execPath,
		args: [programPath("agents/scripted")],
		folder: home,
		environment: { PATH: process.env["PATH"] ?? "" },
		session: {
			folder: home,
			toolServers: [],
			resume: null,
			copyOf: null,
			costBefore: 0,
			systemPrompt: null,
			model: null,
			mode: null,
			options: {},
		},
		signal: new AbortController().signal,
	});
	const times = { bare: [] as number[], brood: [] as number[], ended: [] as number[] };
	for (let round = 0; round < rounds; round++) {
		times.bare.push((await bareTurn(bare)).first);
		const { first, ended } = await broodTurn(engine, agent);
		times.brood.push(first);
		times.ended.push(ended);
	}
	process.kill(bare.pid);
	const warm = (all: number[]): number[] => all.slice(20);
	const row = (name: string, all: number[]): [string, number, number] => [
		name,
		median(warm(all)),
		percentile(warm(all), 0.99),
	];
	const value = median(warm(times.brood)) - median(warm(times.bare));
	return {
		title: "A prompt to a warm agent until its first words, ms",
		columns: ["", "median", "p99"],
		rows: [
			row("the bare program, heard", times.bare),
			row("through Brood: accepted, started, handed over, said, durable", times.brood),
			row("through Brood, until the turn has ended", times.ended),
		],
		ratio: { name: "median ms that Brood adds", value, target: "≤ 10", met: value <= 10 },
	};
}

export async function bareTurn(bare: Awaited<ReturnType<typeof launch>>): Promise<{ first: number; ended: number }> {
	const from = performance.now();
	let first = 0;
	const hear = (): void => {
		first ||= performance.now() - from;
	};
	await bare.prompt("say hello", {
		update: hear,
		providerError: () => {},
		drained: async () => {},
		ask: async () => null,
	});
	return { first, ended: performance.now() - from };
}

export async function broodTurn(
	engine: Engine,
	agent: AgentId,
): Promise<{ handed: number; first: number; ended: number }> {
	using events = engine.publisher.follow();
	const from = performance.now();
	await say(engine, { type: "prompt.queue", agent, text: "say hello" });
	let [handed, first] = [0, 0];
	for (;;) {
		const batch = await events.next();
		if (batch === null) throw new Error("the events ended");
		if (batch.some((event) => event.kind === "turn.handed")) handed ||= performance.now() - from;
		if (batch.some((event) => event.kind === "assistant")) first ||= performance.now() - from;
		if (batch.some((event) => event.kind === "turn.ended")) return { handed, first, ended: performance.now() - from };
	}
}

/** Every agent has an open turn and writes an item now and then; fifty readers follow everything. */
async function crowd(home: string): Promise<Result> {
	// as many at once as there are agents, whatever this machine would be given otherwise
	await using daemon = await startDaemon({ home, limits: { turnsMax: agents } });
	const { engine } = daemon;
	const open: { agent: AgentId; turn: number }[] = [];
	for (let at = 0; at < agents; at++) {
		const agent = await spawn(engine);
		await say(engine, { type: "prompt.queue", agent, text: "sleep 100000000" });
		open.push({ agent, turn: 0 });
	}
	for (const each of open) each.turn = await openTurn(engine, each.agent);
	const stop = new AbortController();
	const following = Array.from({ length: watchers }, () => follow(daemon, stop.signal));
	const from = performance.now();
	const times: { at: number; ms: number }[] = [];
	await Promise.all(open.map((each, at) => writing(engine, each, at, from, times)));
	stop.abort();
	await Promise.allSettled(following);
	const during = (start: number): number =>
		percentile(
			times.filter(({ at }) => at >= start && at < start + minuteMs).map(({ ms }) => ms),
			0.99,
		);
	const [first, last] = [during(0), during(secondsOfLoad * 1000 - minuteMs)];
	return {
		title: `${agents} agents with open turns and ${watchers} watchers: acknowledgement of an item, ms`,
		columns: ["", "p99"],
		rows: [
			["in the first minute", first],
			["in the last minute", last],
			["items written", times.length],
		],
		ratio: {
			name: "last minute's p99 by the first minute's",
			value: last / first,
			target: "≤ 1.1",
			met: last / first <= 1.1,
		},
	};
}

async function writing(
	engine: Engine,
	{ agent, turn }: { agent: AgentId; turn: number },
	at: number,
	from: number,
	times: { at: number; ms: number }[],
): Promise<void> {
	while (performance.now() - from < secondsOfLoad * 1000) {
		const start = performance.now();
		await say(engine, { type: "turn.append", agent, turn, items: [{ kind: "assistant", text: `words of ${at}` }] });
		times.push({ at: start - from, ms: performance.now() - start });
		await new Promise((resume) => setTimeout(resume, 500 + (at % 50) * 10));
	}
}

async function follow({ url, token }: { url: string; token: string }, signal: AbortSignal): Promise<void> {
	const response = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` }, signal });
	for await (const _ of response.body ?? []);
}

async function openTurn(engine: Engine, agent: AgentId): Promise<number> {
	for (;;) {
		const [turn] = await everyTurn(engine.reads, agent);
		if (turn !== undefined && turn.handedAt !== null) return turn.id;
		await new Promise((resume) => setTimeout(resume, 20));
	}
}

async function spawn(engine: Engine): Promise<AgentId> {
	const outcome = await engine.dispatch({
		actor: system,
		key: null,
		command: { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh" },
	});
	if ("refused" in outcome || outcome.done.agent === undefined) throw new Error("no agent");
	return outcome.done.agent.id;
}

async function say(engine: Engine, command: CommandInput): Promise<void> {
	const outcome = await engine.dispatch({ actor: system, key: null, command });
	if ("refused" in outcome) throw new Error(outcome.refused.message);
}
