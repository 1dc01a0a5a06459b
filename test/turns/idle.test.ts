// Many idle agents keep few processes: counted in /proc, without the daemon's help. Whoever's process was ended goes on
// as if it had not been.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { everyTurn } from "#test/support/every.ts";
import { processesOf } from "#test/support/processes.ts";
import { testProgram } from "#test/support/programs.ts";
import { done, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const idleMax = 5;
const agentsInAll = process.env["BROOD_TORTURE"] === undefined ? 12 : 60;

/** The agents that have processes, as these processes' environment says. */
function agentsWithProcesses(home: string): Set<string> {
	const named = processesOf(home).map((pid) => {
		try {
			return /(?:^|\0)BROOD_AGENT=([^\0]+)/.exec(readFileSync(`/proc/${pid}/environ`, "latin1"))?.[1];
		} catch {
			return undefined;
		}
	});
	return new Set(named.filter((agent) => agent !== undefined));
}

const completed = async ({ engine }: Daemon, { id }: AgentState): Promise<number> =>
	(await everyTurn(engine.reads, id)).filter((turn) => turn.state === "completed").length;

async function prompted(daemon: Daemon, agents: readonly AgentState[], text: string): Promise<void> {
	using events = daemon.engine.publisher.follow();
	for (const { id } of agents) await done(daemon.engine, { type: "prompt.queue", agent: id, text });
	for (let left = agents.length; left > 0; ) {
		const batch = await events.next();
		if (batch === null) throw new Error("cut off from the events");
		left -= batch.filter(({ kind }) => kind === "turn.ended").length;
	}
}

test(`of ${agentsInAll} idle agents five keep processes, the last ones to work; the others go on where they were`, {
	timeout: 120_000,
}, async () => {
	const home = freshFolder();
	writeFileSync(path.join(home, "config.yaml"), `limits: { idleProcessesMax: ${idleMax} }\n`);
	const command = { command: process.execPath, args: [testProgram("remembering")] };
	const remembering = {
		...command,
		leavesNothing: false,
		keepsSession: true,
		environment: { SESSIONS: freshFolder() },
	};
	await using daemon = await startDaemon({ home, programs: { remembering }, limits: { descendantsMax: 100 } });
	const { engine } = daemon;
	const first = await spawn(engine, engine.agentZero.id, { agentType: "remembering" });
	const others: AgentState[] = [];
	for (let at = 0; at < agentsInAll - 1; at++)
		others.push(await spawn(engine, engine.agentZero.id, { agentType: "scripted" }));
	await prompted(daemon, [first], "my name is Ada");
	await prompted(daemon, others, "say hi");
	await expect.poll(() => agentsWithProcesses(home).size, { timeout: 30_000 }).toBe(idleMax);
	expect(agentsWithProcesses(home).has(first.id)).toBe(false);
	await prompted(daemon, [first], "who am I");
	// it goes on with its session, which has all that was said
	const answers = (await engine.reads.events({ after: 0, limit: 1000, agent: first.id })).filter(
		({ kind }) => kind === "assistant",
	);
	expect(answers.at(-1)?.text).toBe("my name is Ada\nwho am I\n");
	await expect.poll(() => agentsWithProcesses(home).size, { timeout: 30_000 }).toBe(idleMax);
	expect(agentsWithProcesses(home).has(first.id)).toBe(true);
	expect(await Promise.all([first, ...others].map((agent) => completed(daemon, agent)))).toEqual([
		2,
		...others.map(() => 1),
	]);
});

test("by memory as well: a process that has more than all may have together is ended at once", {
	timeout: 120_000,
}, async () => {
	const home = freshFolder();
	await using daemon = await startDaemon({ home, limits: { idleProcessesMax: 50, idleBytesMax: 1 } });
	const agents = [
		await spawn(daemon.engine, daemon.engine.agentZero.id),
		await spawn(daemon.engine, daemon.engine.agentZero.id),
	];
	await prompted(daemon, agents, "say hi");
	await expect.poll(() => agentsWithProcesses(home).size, { timeout: 30_000 }).toBe(0);
	// as often as it happens: a process that was ended because it was idle has not failed
	for (let turn = 2; turn <= 6; turn++) {
		await prompted(daemon, agents, "say again");
		expect(await Promise.all(agents.map((agent) => completed(daemon, agent)))).toEqual([turn, turn]);
	}
});
