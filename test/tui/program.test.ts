// The installed program in a real terminal: what only a process shows.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, shell } from "#test/support/cli.ts";
import { launcher } from "#test/support/programs.ts";
import { Pty } from "#test/support/pty.ts";
import { freshRepository } from "#test/support/repository.ts";

let [sh, repository]: [Shell, string] = [shell(), ""];
beforeAll(async () => {
	repository = freshRepository({ "a.txt": "a\n" });
	sh = sh.within(repository);
	await sh.brood("project", "add", repository, "--name", "app");
	await sh.brood("agent", "add", "one", "--type", "scripted");
});
afterAll(async () => await sh[Symbol.asyncDispose]());

const open = (): Pty => new Pty(repository, { BROOD_HOME: sh.home, BROOD_PORT: "0", HOME: sh.home });

test("off a terminal it prints help, on one it opens in the project of the directory", async () => {
	expect((await sh.brood()).out).toContain("Usage: brood");
	await using it = open();
	await it.drawn.shows("[one ○ idle]");
	it.type("say from a real terminal\r");
	await it.drawn.shows(/^ {2}from a real terminal/m);
	it.type("\u0003");
	await it.drawn.shows("Ctrl+C again leaves");
	it.type("\u0003");
	await it.ended;
	expect(it.isRestored).toBe(true);
	expect(it.drawn.written).toContain("The agents go on.");
});

test.each(["SIGTERM", "SIGHUP"] as const)("%s leaves the screen as it was", async (signal) => {
	await using it = open();
	await it.drawn.shows("[one");
	expect(it.isRestored).toBe(false);
	process.kill(it.pid, signal);
	await it.ended;
	expect(it.isRestored).toBe(true);
});

test("500 fast keys and a paste of 1 MB arrive whole, in their order", async () => {
	await sh.brood("pause", "one");
	await using it = open();
	await it.drawn.shows("[one ‖ paused");
	const letters = Array.from({ length: 500 }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");
	for (const letter of letters) it.type(letter);
	await it.drawn.shows(letters.slice(-20));
	const pasted = `${"x".repeat(99)}\n`.repeat(10_000);
	it.type(`\u001B[200~${pasted}\u001B[201~`);
	await it.drawn.shows(/\[paste #1/);
	it.type("!\r");
	const queued = async () => (await sh.json("queue", "list", "one")).data;
	await expect.poll(async () => (await queued()).length, { timeout: 20_000 }).toBe(1);
	const [item] = await queued();
	expect(item.text.slice(0, 500)).toBe(letters);
	expect(item.text).toHaveLength(500 + pasted.length + 1);
	await sh.brood("queue", "clear", "one");
	await sh.brood("resume", "one");
});

test("a daemon that is killed is said and started again; what was typed stays", async () => {
	await using it = open();
	await it.drawn.shows("[one");
	it.type("half a sen");
	await it.drawn.shows("> half a sen");
	const { data } = await sh.json("status");
	process.kill(data.pid, "SIGKILL");
	await it.drawn.shows("The daemon is gone.");
	it.type("tence");
	await it.drawn.shows("> half a sentence");
	await expect.poll(async () => (await it.drawn.screen()).join("\n"), { timeout: 20_000 }).not.toContain("is gone");
	expect((await sh.json("status")).data.pid).not.toBe(data.pid);
	it.type("\u0003");
});

const hasTmux = (() => {
	try {
		return execFileSync("tmux", ["-V"], { encoding: "utf8" }).startsWith("tmux");
	} catch {
		return false;
	}
})();

test.skipIf(!hasTmux)("in tmux it survives a resize, and leaves the normal screen behind", async () => {
	const name = `brood-${path.basename(sh.home)}`;
	const tmux = (...args: string[]): string =>
		execFileSync("tmux", ["-L", name, "-u", "-f", "/dev/null", ...args], { encoding: "utf8", cwd: repository });
	const env = { BROOD_HOME: sh.home, BROOD_PORT: "0" };
	const vars = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
	tmux("new-session", "-d", "-x", "100", "-y", "24", ...vars, `${launcher}; sleep 60`);
	try {
		const screen = (): string => tmux("capture-pane", "-p");
		await expect.poll(screen, { timeout: 20_000 }).toContain("[one ○ idle]");
		tmux("resize-window", "-x", "60", "-y", "20");
		await expect.poll(screen).toMatch(/^─{60}$/m);
		expect(screen()).toContain("[one ○ idle]");
		// what the last one had typed is still there
		tmux("send-keys", "C-c");
		tmux("send-keys", "-l", "/quit");
		tmux("send-keys", "Enter");
		await expect.poll(() => tmux("display-message", "-p", "#{alternate_on}").trim(), { timeout: 10_000 }).toBe("0");
		await expect.poll(screen).toContain("The agents go on.");
	} finally {
		tmux("kill-server");
	}
});
