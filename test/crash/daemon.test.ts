// kill -9 of the whole daemon, with agents at work, also while it recovers from the last time.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startDaemon, startEngine } from "#src/main.ts";
import { everyAgent, everyTurn } from "#test/support/every.ts";
import { runProgram } from "#test/support/process.ts";
import { configure, insiders, processesOf } from "#test/support/processes.ts";
import { done, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const rounds = process.env["BROOD_TORTURE"] ? 1000 : 30;

interface Ack {
	id: number;
	agent: string;
	word: string;
}

test(`${rounds} kills under load lose, double and misdirect nothing`, { timeout: rounds * 20_000 }, async () => {
	const home = freshFolder();
	const prompts: Ack[] = [];
	const mails: Ack[] = [];
	for (let round = 0; round < rounds; round++) {
		// every third kill hits the recovery itself, at its beginning or its end
		const during = round % 3 === 2 ? (round % 2 === 0 ? "starting" : "recovered") : null;
		let left = 3 + ((round * 7919) % 60);
		// and every third comes only after an agent has really begun with something
		const before = round % 3 === 1 ? startsIn(home).length : -1;
		const ran = await runProgram("load", [home, String(round)], {
			watch(line, child) {
				if (line === during || (/^(prompt|mail) /.test(line) && --left <= 0 && startsIn(home).length > before))
					child.kill("SIGKILL");
			},
		});
		expect(ran.signal, ran.errors).toBe("SIGKILL");
		for (const line of ran.lines) {
			const [, kind, id, agent = "", word = ""] = /^(prompt|mail) (\d+) (\S+) (\S+)$/.exec(line) ?? [];
			if (kind !== undefined) (kind === "prompt" ? prompts : mails).push({ id: Number(id), agent, word });
		}
	}
	expect(prompts.length).toBeGreaterThan(rounds);
	expect(mails.length).toBeGreaterThan(rounds);
	await using daemon = await startDaemon({ home });
	await daemon.engine.drain(Promise.resolve());
	expect(insiders(home, daemon.containment).length).toBeLessThanOrEqual(3);
	await checkPrompts(daemon.engine, prompts);
	await checkMail(daemon.engine, mails);
	checkStarts(home, prompts);
});

type Engine = Awaited<ReturnType<typeof startEngine>>;

async function checkPrompts(engine: Engine, prompts: readonly Ack[]): Promise<void> {
	const events = await engine.reads.events({ after: 0, limit: 1_000_000 });
	expect(events.map((event) => event.id)).toEqual([...events.map((event) => event.id)].sort((a, b) => a - b));
	const byId = new Map(events.map((event) => [event.id, event]));
	expect(
		prompts.filter(({ id, agent, word }) => byId.get(id)?.agent !== agent || !byId.get(id)?.text?.includes(word)),
	).toEqual([]);
	const fates = new Map<number, string[]>(prompts.map(({ id }) => [id, []]));
	for (const agent of await everyAgent(engine.reads)) {
		for (const prompt of await engine.reads.prompts(agent.id)) fates.get(prompt.id)?.push("queued");
		const turns = await everyTurn(engine.reads, agent.id);
		for (const turn of turns) if (turn.handedAt !== null) fates.get(turn.prompt)?.push(turn.state);
		for (const turn of turns)
			expect(turn.state === "open" || turn.finalItem !== null, `turn ${turn.id} has a final item`).toBe(true);
	}
	expect([...fates].filter(([, fate]) => fate.length !== 1)).toEqual([]);
	const finals = events.flatMap((event) => (event.kind === "final" ? (event.turn ?? []) : []));
	expect(new Set(finals).size).toBe(finals.length);
}

async function checkMail(engine: Engine, mails: readonly Ack[]): Promise<void> {
	for (const { id, agent, word } of mails)
		expect(await engine.reads.mail(id)).toMatchObject({ id, to: agent, body: word });
	const events = await engine.reads.events({ after: 0, limit: 1_000_000 });
	const delivered = events.flatMap((event) =>
		event.kind === "mail.delivered" ? JSON.stringify(Reflect.get(Object(event.data), "mail")) : [],
	);
	expect(new Set(delivered).size).toBe(delivered.length);
}

function startsIn(home: string): string[] {
	const file = path.join(home, "starts.log");
	return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** What the agents really did, as they wrote it down outside of the store. */
function checkStarts(home: string, prompts: readonly Ack[]): void {
	const starts = startsIn(home);
	expect(starts.length).toBeGreaterThan(3);
	expect(new Set(starts).size).toBe(starts.length);
	const words = new Set(prompts.map(({ word }) => word));
	// a prompt whose acknowledgement was lost with the daemon may have run as well; none ran that was never asked for
	expect(starts.filter((word) => !/^\d+-\d-\d+$/.test(word))).toEqual([]);
	expect(starts.filter((word) => words.has(word)).length).toBeGreaterThan(0);
	rmSync(home, { recursive: true, force: true });
}

test("whatever shape an agent's processes have, none outlives the daemon and the next start", async () => {
	const home = freshFolder();
	// where the kernel ends them there is nothing left to prove: test/turns/containment.test.ts
	configure(home, "groups");
	const ran = await runProgram("shapes", [home, "marked"], {
		watch: (line, child) => void (line === "all are running" && child.kill("SIGKILL")),
	});
	expect(ran.signal, ran.errors).toBe("SIGKILL");
	// the control: without the next start something is left
	expect(processesOf(home).length).toBeGreaterThan(5);
	const stranger = await startEngine({ home: freshFolder() });
	await using daemon = await startDaemon({ home });
	expect(processesOf(home)).toEqual([]);
	const turns = await Promise.all(
		(await everyAgent(daemon.engine.reads)).map((agent) => everyTurn(daemon.engine.reads, agent.id)),
	);
	expect(turns.flat().map((turn) => [turn.state, turn.reason])).toEqual(
		Array.from({ length: 5 }, () => ["interrupted", "crash"]),
	);
	for (const agent of await everyAgent(daemon.engine.reads))
		if (agent.supervisor !== null) expect(agent.holds.map((hold) => hold.kind)).toEqual(["crash"]);
	await stranger[Symbol.asyncDispose]();
});

test("recovery may be repeated and changes nothing the second time", async () => {
	const home = freshFolder();
	const first = await startDaemon({ home });
	const agent = await spawn(first.engine, first.engine.agentZero.id);
	await done(first.engine, { type: "agent.pause", agent: agent.id });
	await first[Symbol.asyncDispose]();
	const before = await eventsIn(home);
	const starts = 3;
	for (let start = 0; start < starts; start++) await (await startDaemon({ home }))[Symbol.asyncDispose]();
	const added = (await eventsIn(home)).slice(before.length);
	// each start is an epoch of its node, and so is each look above
	expect(added).toEqual(Array.from({ length: starts + 1 }, () => "node.joined"));
	expect(before.length).toBeGreaterThan(5);
	rmSync(home, { recursive: true, force: true });
});

/** The kinds of all events, as a daemon of this home reads them. */
async function eventsIn(home: string): Promise<string[]> {
	await using daemon = await startDaemon({ home });
	return (await daemon.engine.reads.events({ after: 0, limit: 1000 })).map(({ kind }) => kind);
}

/** The home of a daemon that was killed once these words of the turn were flushed. */
async function killedAfter(words: string, script: string): Promise<string> {
	const home = freshFolder();
	const running = runProgram("ask", [home, script]);
	const folder = path.join(home, "partials");
	// one that still has its temporary name may be lost with the daemon
	const kept = (): string[] => (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith(".json"));
	const flushed = (): string =>
		kept()
			.map((name) => readFileSync(path.join(folder, name), "utf8"))
			.join();
	await expect.poll(flushed, { timeout: 30_000 }).toContain(words);
	process.kill(JSON.parse(readFileSync(path.join(home, "daemon.json"), "utf8")).pid, "SIGKILL");
	const ran = await running;
	expect(ran.signal, ran.errors).toBe("SIGKILL");
	return home;
}

test("what a command had printed before the daemon was killed is the result of its call", {
	timeout: 60_000,
}, async () => {
	const home = await killedAfter("half of it", "run echo quick\nrun echo half of it; sleep 300; echo the rest");
	await using daemon = await startDaemon({ home });
	const results = await daemon.engine.reads.events({ after: 0, limit: 1000, kinds: ["tool_result"] });
	const note = "The turn was interrupted (crash) before this call ended.";
	expect(results.map((event) => event.text)).toEqual(["quick\n", `half of it\n${note}`]);
	expect(existsSync(path.join(home, "partials"))).toBe(false);
});

test("what had been said of a message before the daemon was killed is an item", { timeout: 60_000 }, async () => {
	const home = await killedAfter("half of it", "run echo quick\nsay half of it\nsleep 300000");
	await using daemon = await startDaemon({ home });
	const items = (await daemon.engine.reads.events({ after: 0, limit: 1000 })).filter(({ kind }) => !kind.includes("."));
	expect(items.map(({ kind, text }) => [kind, text]).slice(-3)).toEqual([
		["tool_result", "quick\n"],
		["assistant", "half of it"],
		["final", "crash"],
	]);
});
