// Stopping the daemon while turns run, and running again what was cut.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { type Shell, shell } from "#test/support/cli.ts";
import { launcher } from "#test/support/programs.ts";

// many commands, each a process of its own
vi.setConfig({ testTimeout: 120_000 });

/** The agents' programs have their prompts. The prompt of a turn that is open before that goes back to the queue. */
const begun = async (sh: Shell, ...names: string[]): Promise<void> => {
	for (const name of names)
		await expect
			.poll(async () => (await sh.json("log", name)).data.map(({ kind }: Reply) => kind), { timeout: 60_000 })
			.toContain("user");
};

test("down --now cuts turns and names them; the next command says so, and one command runs all of them again", async () => {
	await using sh = shell();
	for (const name of ["one", "two"])
		await sh.brood("agent", "add", name, "--no-project", "--type", "scripted", "--prompt", "sleep 60000");
	await begun(sh, "one", "two");
	const { pid } = (await sh.json("status")).data;
	expect(await sh.brood("down", "--now")).toEqual({
		code: 0,
		out: `stopped (pid ${pid})\n`,
		err: "Interrupting the turns of one, two; `brood turn retry --all` runs them again.\n",
	});
	const next = await sh.brood("ps");
	expect(next.err).toBe(
		"The daemon had stopped and interrupted 2 turns of one, two; `brood turn retry --all` runs them again.\n",
	);
	await sh.brood("queue", "add", "one", "say later");
	const { data } = await sh.json("turn", "retry", "--all");
	expect(data.map(({ name, prompt }: Reply) => [name, prompt.text, prompt.position])).toEqual([
		["one", "sleep 60000", expect.any(Number)],
		["two", "sleep 60000", expect.any(Number)],
	]);
	await expect.poll(async () => (await sh.json("status")).data.turns, { timeout: 60_000 }).toBe(2);
	expect((await sh.brood("turn", "retry", "--all")).out).toBe("no turn was interrupted\n");
	// a program that never says it is ready has not received its prompt
	await sh.brood("kill", "two");
	await sh.brood(
		"agent",
		"add",
		"mute",
		"--no-project",
		"--type",
		"acp",
		"--program",
		"sleep 600",
		"--prompt",
		"say x",
	);
	await expect.poll(async () => (await sh.json("agent", "status", "mute")).data.turn).not.toBeNull();
	expect((await sh.brood("down", "--now")).err.split("\n").slice(0, 2)).toEqual([
		"Interrupting the turn of one; `brood turn retry --all` runs it again.",
		"mute has not begun: its prompt goes back to the queue and runs after the next start.",
	]);
	expect((await sh.brood("ps")).err).toMatch(
		/interrupted the turn of one; `brood turn retry --all` runs it again\.\n$/,
	);
	// once, although both requests of ps find that the daemon is gone
	await sh.brood("turn", "retry", "--all");
	const handed = async () => (await sh.json("events", "--agent", "one", "--kind", "turn.handed")).data.length;
	await expect.poll(handed, { timeout: 60_000 }).toBe(4);
	process.kill((await sh.json("status")).data.pid, "SIGKILL");
	expect((await sh.brood("ps")).err.match(/interrupted the turn of one; /g)).toHaveLength(1);
	await sh.brood("down", "--now");
});

test("Ctrl+C in down leaves the daemon stopping and says how to go on; a later --drain lets the turn end", async () => {
	await using sh = shell();
	const gate = path.join(sh.home, "gate");
	const slow = `run until [ -e ${gate} ]; do sleep 0.05; done`;
	await sh.brood("agent", "add", "slow", "--no-project", "--type", "scripted", "--policy", "full", "--prompt", slow);
	await begun(sh, "slow");
	const { pid } = (await sh.json("status")).data;
	const log = (): string => readFileSync(path.join(sh.home, "daemon.log"), "utf8");
	const left = spawn(launcher, ["down"], { env: { ...process.env, HOME: sh.home, BROOD_HOME: sh.home } });
	const said = text(left.stderr);
	const ended = once(left, "exit");
	await expect.poll(log, { timeout: 60_000 }).toContain("SIGTERM: letting the running turns end");
	left.kill("SIGINT");
	expect(await ended).toEqual([130, null]);
	expect(await said).toContain(
		`The daemon (pid ${pid}) goes on stopping; \`brood down --drain\` lets the running turns end, \`brood down --now\` interrupts them.\n`,
	);
	const drained = sh.brood("down", "--drain");
	await expect.poll(log, { timeout: 60_000 }).toContain("SIGUSR2: stopping already");
	writeFileSync(gate, "");
	expect((await drained).code).toBe(0);
	expect((await sh.json("turn", "list", "slow")).data[0].state).toBe("completed");
});

test("down --drain waits for a turn that takes its time, starts no other, and nothing is cut", async () => {
	await using sh = shell();
	const gate = path.join(sh.home, "gate");
	const slow = `run until [ -e ${gate} ]; do sleep 0.05; done`;
	await sh.brood("agent", "add", "slow", "--no-project", "--type", "scripted", "--policy", "full", "--prompt", slow);
	await sh.brood("prompt", "slow", "say afterwards");
	await begun(sh, "slow");
	const ended = sh.brood("down", "--drain");
	const log = (): string => readFileSync(path.join(sh.home, "daemon.log"), "utf8");
	await expect.poll(log, { timeout: 60_000 }).toContain("SIGUSR2: letting the running turns end");
	expect((await sh.json("status")).data.turns).toBe(1);
	writeFileSync(gate, "");
	const { code, err } = await ended;
	expect([code, err]).toEqual([0, "Waiting for the turns of slow to end; `brood down --now` interrupts them.\n"]);
	const { err: next } = await sh.brood("status");
	expect(next).toBe("");
	const { data: turns } = await sh.json("turn", "list", "slow");
	expect(turns[0].state).toBe("completed");
});

type Reply = ReturnType<typeof JSON.parse>;
