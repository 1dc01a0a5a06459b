// What the kernel ends when nobody else can, under every level that this machine offers.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { detectContainment } from "#adapters/driver/detect-containment.ts";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { programPath } from "#local/programs.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { everyTurn } from "#test/support/every.ts";
import { runProgram } from "#test/support/process.ts";
import { available, configure, insiders, processesOf } from "#test/support/processes.ts";
import { testProgram } from "#test/support/programs.ts";
import { done, spawn } from "#test/support/say.ts";
import { marked, shapes } from "#test/support/shapes.ts";
import { freshFolder } from "#test/support/stores.ts";

const torture = Boolean(process.env["BROOD_TORTURE"]);
const trials = torture ? 500 : 30;
// the promise is a second; a machine that runs other tests as well gets more
const goneMs = torture ? 1000 : 5000;
const shapeCount = Object.keys(shapes).length;
const byKernel = available.filter((level) => level !== "groups");

/** An agent whose leftovers stay after a turn. */
const vendor = { command: process.execPath, args: [programPath("agents/scripted")], leavesNothing: false };

function homeWith(containment: ContainmentLevel): string {
	const home = freshFolder();
	configure(home, containment);
	return home;
}

test("the strongest level that this machine offers is in force", async () => {
	await using daemon = await startDaemon({ home: freshFolder() });
	expect(daemon.containment).toBe(available[0]);
	for (const level of available) expect(await detectContainment(level, process.env)).toEqual({ level });
});

test("a level that is asked for and not there is refused, never replaced by a weaker one", async () => {
	const home = homeWith("namespace");
	const { PATH } = process.env;
	process.env["PATH"] = home;
	try {
		await expect(startDaemon({ home })).rejects.toThrow(
			/config\.yaml: the containment that it asks for does not work here: .*setpriv/,
		);
	} finally {
		process.env["PATH"] = PATH;
	}
	writeFileSync(path.join(home, "config.yaml"), "containment: strong\n");
	await expect(startDaemon({ home })).rejects.toThrow(/config\.yaml:1:14: containment/);
});

describe.each(byKernel)("with %s", (level) => {
	/** One agent for every shape, each with its processes up. */
	async function busy(daemon: Daemon, home: string): Promise<AgentState[]> {
		const agents = [];
		for (const prompt of Object.values(shapes))
			agents.push(await spawn(daemon.engine, daemon.engine.agentZero.id, { prompt }));
		const called = async (): Promise<number> =>
			(await daemon.engine.reads.events({ after: 0, limit: 10_000 })).filter((event) => event.kind === "tool_call")
				.length;
		await expect.poll(called, { timeout: 20_000 }).toBe(shapeCount);
		// the program, its shell and what that started
		await expect.poll(() => insiders(home, level).length, { timeout: 20_000 }).toBeGreaterThan(3 * shapeCount);
		return agents;
	}

	test("a kill leaves nothing of any shape when it answers", { timeout: 60_000 }, async () => {
		const home = homeWith(level);
		await using daemon = await startDaemon({ home });
		for (const agent of await busy(daemon, home)) await done(daemon.engine, { type: "agent.kill", agent: agent.id });
		expect(processesOf(home)).toEqual([]);
	});

	test("an interrupt leaves nothing of any shape but the agents' own processes", { timeout: 60_000 }, async () => {
		const home = homeWith(level);
		await using daemon = await startDaemon({ home });
		const agents = await busy(daemon, home);
		for (const agent of agents) await done(daemon.engine, { type: "agent.interrupt", agent: agent.id });
		expect(insiders(home, level)).toHaveLength(shapeCount);
		expect(processesOf(home)).toHaveLength(3 * shapeCount);
		await done(daemon.engine, { type: "agent.resume", agent: agents[0]?.id });
		await done(daemon.engine, { type: "prompt.queue", agent: agents[0]?.id, text: "say still here" });
		await expect
			.poll(async () =>
				(await everyTurn(daemon.engine.reads, agents[0]?.id ?? daemon.engine.agentZero.id)).map((turn) => turn.state),
			)
			.toEqual(["interrupted", "completed"]);
	});

	test("the end of an idle process leaves nothing of any shape", { timeout: 60_000 }, async () => {
		const home = homeWith(level);
		await using daemon = await startDaemon({ home, idleProcessMs: 1, programs: { vendor } });
		const prompt = Object.values(shapes)
			.map((shape) => shape.replace(/^run (.*)$/, "run ($1) >/dev/null 2>&1 & sleep 0.2"))
			.join("\n");
		const agent = await spawn(daemon.engine, daemon.engine.agentZero.id, { agentType: "vendor", prompt });
		await expect
			.poll(async () => (await everyTurn(daemon.engine.reads, agent.id)).map((turn) => turn.state), { timeout: 20_000 })
			.toEqual(["completed"]);
		await expect.poll(() => processesOf(home), { timeout: 20_000 }).toEqual([]);
	});

	test("an agent that closes its output is of no use any more, and its turn has failed", {
		timeout: 60_000,
	}, async () => {
		const home = homeWith(level);
		const closes = {
			command: process.execPath,
			args: [testProgram("bad-agent"), "closes"],
			leavesNothing: false,
		};
		await using daemon = await startDaemon({ home, programs: { closes } });
		const agent = await spawn(daemon.engine, daemon.engine.agentZero.id, { agentType: "closes", prompt: "hello" });
		const turns = async () =>
			(await everyTurn(daemon.engine.reads, agent.id)).map(({ state, reason }) => ({ state, reason }));
		await expect
			.poll(turns, { timeout: 20_000 })
			.toEqual([{ state: "failed", reason: expect.stringMatching(/closed|ended/) }]);
		await expect.poll(() => processesOf(home)).toEqual([]);
	});

	const rounds = torture || level === available[0] ? Math.ceil(trials / shapeCount) : 1;
	test(`${rounds * shapeCount} process trees end with a daemon that is killed`, { timeout: rounds * 30_000 }, async ({
		annotate,
	}) => {
		const tookMs: number[] = [];
		for (let round = 0; round < rounds; round++) {
			const home = homeWith(level);
			let seen = 0;
			const ran = await runProgram("shapes", [home], {
				watch(line, child) {
					if (line !== "all are running") return;
					seen = processesOf(home).length;
					child.kill("SIGKILL");
				},
			});
			expect(ran.signal, ran.errors).toBe("SIGKILL");
			expect(seen).toBeGreaterThan(5 * shapeCount);
			tookMs.push(await untilGone(home));
		}
		await annotate(`${rounds * shapeCount} trees gone after ${Math.max(...tookMs).toFixed(0)} ms at most`);
	});

	const early = torture ? 200 : level === available[0] ? 6 : 2;
	test("also when it is killed while its agents are starting", { timeout: early * 20_000 }, async () => {
		for (let round = 0; round < early; round++) {
			const home = homeWith(level);
			const ran = await runProgram("shapes", [home], {
				// a different moment of the start in each round
				watch: (line, child) =>
					void (line === "all are asked" && pause((round * 13) % 130).then(() => child.kill("SIGKILL"))),
			});
			expect(ran.signal, ran.errors).toBe("SIGKILL");
			await untilGone(home);
		}
	});

	test("the agent lives as before: same user, folder, files, tools and network, but without the daemon's secrets", async () => {
		const home = homeWith(level);
		const knock = "fetch(process.env.BROOD_URL + '/api/status').then(({ status }) => console.log(status))";
		const commands = [
			"id -u",
			"pwd",
			"git init -q . && git status --short --branch",
			`${process.execPath} -e "${knock}"`,
			"ps -e -o comm= | head -2 | wc -l",
		];
		const ran = await runProgram("ask", [home, commands.map((command) => `run ${command}`).join("\n")]);
		const said = ran.lines.filter((line) => line !== "");
		expect(said, ran.errors).toEqual([
			String(process.getuid?.()),
			expect.stringContaining(`${home}/agent-folders/_/`),
			expect.stringContaining("No commits yet on"),
			"401",
			"2",
		]);
		const environments = await withCanary(homeWith(level));
		expect(environments.some((line) => line.startsWith("BROOD_TOKEN="))).toBe(true);
		expect(environments.filter((line) => line.includes("tweet"))).toEqual([]);
	});
});

async function untilGone(home: string): Promise<number> {
	const from = performance.now();
	await expect.poll(() => processesOf(home), { timeout: goneMs, interval: 5 }).toEqual([]);
	return performance.now() - from;
}

describe("the controls: with groups", () => {
	test("all that is marked survives the daemon until the next start, and what has no trace survives that as well", {
		timeout: 60_000,
	}, async () => {
		const home = homeWith("groups");
		const ran = await runProgram("shapes", [home], {
			watch: (line, child) => void (line === "all are running" && child.kill("SIGKILL")),
		});
		expect(ran.signal, ran.errors).toBe("SIGKILL");
		expect(processesOf(home).length).toBeGreaterThan(Object.keys(marked).length);
		await using daemon = await startDaemon({ home });
		expect(daemon.containment).toBe("groups");
		const [survivor, ...others] = processesOf(home);
		expect(others).toEqual([]);
		expect(survivor).toBeDefined();
		if (survivor !== undefined) process.kill(survivor, "SIGKILL");
	});

	test("an agent reads the daemon's secrets", async () => {
		expect(await withCanary(homeWith("groups"))).toContain("CANARY=tweet");
	});
});

/** Every environment that an agent can read, of a daemon with a secret in its own. */
async function withCanary(home: string): Promise<string[]> {
	process.env["CANARY"] = "tweet";
	// the parent of the agent's program, or whatever has its number inside
	const command =
		"cat /proc/$(cut -d' ' -f4 /proc/$PPID/stat)/environ /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -E '^(CANARY|BROOD_TOKEN)='";
	try {
		return (await runProgram("ask", [home, `run ${command}`])).lines;
	} finally {
		delete process.env["CANARY"];
	}
}
