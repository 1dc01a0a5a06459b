// The installed program in a real terminal: what only a process shows.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
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

const open = (env: Record<string, string> = {}): Pty =>
	new Pty(repository, { BROOD_HOME: sh.home, BROOD_PORT: "0", HOME: sh.home, ...env });

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

test("it does not offer to add a folder to the daemon of BROOD_URL", async () => {
	const { url } = JSON.parse(readFileSync(path.join(sh.home, "daemon.json"), "utf8"));
	const token = readFileSync(path.join(sh.home, "token"), "utf8").trim();
	const elsewhere = freshRepository({ "b.txt": "b\n" });
	const env = { BROOD_HOME: sh.home, HOME: sh.home };
	await using there = new Pty(elsewhere, { ...env, BROOD_URL: url, BROOD_TOKEN: token });
	await there.drawn.shows("[init");
	expect(there.drawn.written).not.toContain("Add it?");
	// control: the daemon of this machine can have it
	await using here = new Pty(elsewhere, env);
	await here.drawn.shows("is not a project yet. Add it?");
});

test("Ctrl+C at the offer to add a repository leaves; an empty line opens the terminal without the project", async () => {
	const elsewhere = freshRepository({ "c.txt": "c\n" });
	const env = { BROOD_HOME: sh.home, BROOD_PORT: "0", HOME: sh.home };
	await using left = new Pty(elsewhere, env);
	await left.drawn.shows("Add it? [y/N]");
	left.type("\u0003");
	expect(await left.ended).toEqual([130, null]);
	expect(left.drawn.written).not.toContain("\u001B[?1049h");
	await using opened = new Pty(elsewhere, env);
	await opened.drawn.shows("Add it? [y/N]");
	opened.type("\r");
	await opened.drawn.shows("[init");
});

test.each(["SIGTERM", "SIGHUP", "SIGQUIT"] as const)("%s leaves the screen as it was", async (signal) => {
	await using it = open();
	await it.drawn.shows("[one");
	expect(it.isRestored).toBe(false);
	process.kill(it.pid, signal);
	await it.ended;
	expect(it.isRestored).toBe(true);
});

test.each([
	["an exception that nobody catches", "throw Error('provoked')"],
	["a rejection that nobody waits for", "Promise.reject(Error('provoked'))"],
])("%s leaves the screen as it was, with one line and no stack", async (_, fault) => {
	const module = encodeURIComponent(`process.on("SIGUSR2", () => { ${fault} })`);
	await using it = open({ NODE_OPTIONS: `--import=data:text/javascript,${module}` });
	await it.drawn.shows("[one");
	expect(it.isRestored).toBe(false);
	process.kill(it.pid, "SIGUSR2");
	await it.ended;
	expect(it.isRestored).toBe(true);
	const after = it.drawn.written.slice(it.drawn.written.lastIndexOf("\u001B[?1049l"));
	expect(after).toContain("INTERNAL_ERROR: provoked");
	expect(after).not.toMatch(/^\s+at /m);
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
	// the next terminal begins with an empty input
	const saved = (): string => readFileSync(path.join(sh.home, "terminal.json"), "utf8");
	await expect.poll(saved, { timeout: 20_000 }).not.toContain(letters.slice(0, 20));
});

test("a daemon that is killed is said and started again; what was typed stays", async () => {
	await using it = open();
	await it.drawn.shows("[one");
	it.type("half a sen");
	await it.drawn.shows("> half a sen");
	const { data } = await sh.json("status");
	process.kill(data.pid, "SIGKILL");
	await it.drawn.shows("The daemon does not answer.");
	it.type("tence");
	await it.drawn.shows("> half a sentence");
	await expect
		.poll(async () => (await it.drawn.screen()).join("\n"), { timeout: 20_000 })
		.not.toContain("does not answer");
	expect((await sh.json("status")).data.pid).not.toBe(data.pid);
	it.type("\u0003");
});

test("a daemon that was stopped on purpose stays so, until it is started again", async () => {
	await using it = open();
	await it.drawn.shows("[one");
	await sh.brood("down");
	await it.drawn.shows("The daemon was stopped; `brood up` starts it.");
	await sh.brood("up");
	const screen = async (): Promise<string> => (await it.drawn.screen()).join("\n");
	await expect.poll(screen, { timeout: 20_000 }).not.toContain("was stopped");
	it.type("\u0003");
});

test("a stopped daemon keeps nobody in the terminal", async () => {
	await using it = open();
	await it.drawn.shows("[one");
	// whatever the test before had typed
	it.type("!\u0003");
	await it.drawn.shows("Cleared");
	await sh.brood("down");
	await it.drawn.shows("The daemon was stopped; `brood up` starts it.");
	it.type("\u0003");
	expect(await it.drawn.shows("Ctrl+C again leaves")).toContain("The daemon was stopped");
	it.type("\u0003");
	await it.ended;
	expect(it.drawn.written).toContain("The agents go on.");
	await sh.brood("up");
});

test("a reader that stops does not stop the program: it still ends by a signal", async () => {
	await using it = open();
	await it.drawn.shows("[one");
	const { pid } = it;
	it.stall();
	const before = it.drawn.written.length;
	// each draws the whole screen: together more than the pipe and the terminal take
	let redrawn = 0;
	const redraw = (): number => {
		it.type("\u000C");
		return ++redrawn;
	};
	await expect.poll(redraw, { interval: 10, timeout: 20_000 }).toBe(60);
	// `script` waits to be read as well, and takes note of the end later: until then it is a zombie, afterwards it is
	// gone
	const isRunning = (): boolean =>
		existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	expect(isRunning()).toBe(true);
	// control: nothing of it has been read; when `script` itself ends, Node reads the rest
	expect(it.drawn.written).toHaveLength(before);
	process.kill(pid, "SIGTERM");
	await expect.poll(isRunning, { timeout: 10_000 }).toBe(false);
});

const hasTmux = (() => {
	try {
		return execFileSync("tmux", ["-V"], { encoding: "utf8" }).startsWith("tmux");
	} catch {
		return false;
	}
})();

/** A tmux server of its own, with a program in its one pane. */
class Tmux implements Disposable {
	static #count = 0;
	readonly #name = `brood-${path.basename(sh.home)}-${Tmux.#count++}`;

	constructor(program: string) {
		const env = { BROOD_HOME: sh.home, BROOD_PORT: "0", PS1: "$ " };
		const vars = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
		this.do("new-session", "-d", "-x", "100", "-y", "24", ...vars, program);
	}

	do(...args: string[]): string {
		const own = ["-L", this.#name, "-u", "-f", "/dev/null"];
		return execFileSync("tmux", [...own, ...args], { encoding: "utf8", cwd: repository });
	}

	enter(text: string): void {
		this.do("send-keys", "-l", "--", text);
		this.do("send-keys", "Enter");
	}

	async shows(what: string | RegExp): Promise<string> {
		let screen = "";
		const look = (): boolean => {
			screen = this.do("capture-pane", "-p");
			return typeof what === "string" ? screen.includes(what) : what.test(screen);
		};
		await expect.poll(look, { timeout: 20_000, message: `tmux shows ${what}` }).toBe(true);
		return screen;
	}

	/** Whether the alternate screen is shown. */
	get isOpen(): boolean {
		return this.do("display-message", "-p", "#{alternate_on}").trim() === "1";
	}

	[Symbol.dispose](): void {
		this.do("kill-server");
	}
}

test.skipIf(!hasTmux)("in tmux it survives a resize, and leaves the normal screen behind", async () => {
	using tmux = new Tmux(`${launcher}; sleep 60`);
	await tmux.shows("[one ○ idle]");
	tmux.do("resize-window", "-x", "60", "-y", "20");
	expect(await tmux.shows(/^─{60}$/m)).toContain("[one ○ idle]");
	// what the last one had typed is still there
	tmux.do("send-keys", "C-c");
	tmux.enter("/quit");
	await tmux.shows("The agents go on.");
	expect(tmux.isOpen).toBe(false);
});

test.skipIf(!hasTmux)("in tmux Ctrl+Z gives the shell back, and fg the screen with what was typed", async () => {
	using tmux = new Tmux("bash --norc --noprofile");
	tmux.enter(launcher);
	await tmux.shows("[one ○ idle]");
	tmux.do("send-keys", "C-c");
	tmux.do("send-keys", "-l", "not sent yet");
	await tmux.shows("> not sent yet");
	expect(tmux.isOpen).toBe(true);
	tmux.do("send-keys", "C-z");
	await tmux.shows("Stopped");
	expect(tmux.isOpen).toBe(false);
	tmux.enter("echo $((6 * 7)) from the shell");
	await tmux.shows("42 from the shell");
	tmux.enter("fg");
	await tmux.shows("> not sent yet");
	expect(tmux.isOpen).toBe(true);
	tmux.do("send-keys", "-l", ", now");
	await tmux.shows("> not sent yet, now");
	tmux.do("send-keys", "C-c");
});

test.skipIf(!hasTmux)(
	"in tmux Ctrl+Z says why it does nothing where no shell could bring the terminal back",
	async () => {
		using tmux = new Tmux(`exec ${launcher}`);
		await tmux.shows("[one ○ idle]");
		tmux.do("send-keys", "C-c");
		tmux.do("send-keys", "C-z");
		await tmux.shows("Ctrl+Z stops nothing here: no shell waits for this terminal, and nothing could bring it back.");
		expect(tmux.isOpen).toBe(true);
		tmux.do("send-keys", "-l", "typed after it");
		await tmux.shows("> typed after it");
	},
);

test.skipIf(!hasTmux)("in tmux a stop signal from elsewhere does what Ctrl+Z does", async () => {
	using tmux = new Tmux("bash --norc --noprofile");
	tmux.enter(launcher);
	await tmux.shows("[one ○ idle]");
	tmux.do("send-keys", "C-c");
	tmux.do("send-keys", "-l", "typed before");
	await tmux.shows("> typed before");
	const shell = tmux.do("display-message", "-p", "#{pane_pid}").trim();
	const pid = Number(readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ")[0]);
	process.kill(pid, "SIGTSTP");
	await tmux.shows("Stopped");
	expect(tmux.isOpen).toBe(false);
	tmux.enter("fg");
	await tmux.shows("> typed before");
	expect(tmux.isOpen).toBe(true);
	// keys come one by one, as before
	tmux.do("send-keys", "-l", ", and after");
	await tmux.shows("> typed before, and after");
	// a signal that ends it while it is stopped does so with its text
	tmux.do("send-keys", "C-z");
	await tmux.shows("Stopped");
	tmux.enter("kill %1; wait; clear");
	tmux.enter(launcher);
	await tmux.shows("> typed before, and after");
	tmux.do("send-keys", "C-c");
});

test.skipIf(!hasTmux)("in tmux Ctrl+Z gives the shell its screen also if a script started the terminal", async () => {
	using tmux = new Tmux("bash --norc --noprofile");
	tmux.enter(`sh -c '${launcher}; echo the script goes on'`);
	await tmux.shows("[one ○ idle]");
	tmux.do("send-keys", "C-c");
	tmux.do("send-keys", "-l", "from a script");
	await tmux.shows("> from a script");
	tmux.do("send-keys", "C-z");
	await tmux.shows("Stopped");
	expect(tmux.isOpen).toBe(false);
	tmux.enter("fg");
	await tmux.shows("> from a script");
	tmux.do("send-keys", "C-c", "C-c", "C-c");
	await tmux.shows("the script goes on");
});

test.skipIf(!hasTmux)(
	"in tmux a pasted text keeps its lines, and the thread is printed into the normal screen",
	async () => {
		using tmux = new Tmux(`${launcher}; sleep 60`);
		await tmux.shows("[one ○ idle]");
		tmux.do("send-keys", "C-c");
		tmux.do("set-buffer", "say pasted 日本語\nsay in two lines");
		tmux.do("paste-buffer", "-p");
		await tmux.shows(/> say pasted 日本語\n {2}say in two lines/);
		tmux.do("send-keys", "Enter");
		await tmux.shows(/^ {2}in two lines/m);
		tmux.do("send-keys", "C-p");
		expect(await tmux.shows("Enter goes back.")).toMatch(/^pasted 日本語$/m);
		expect(tmux.isOpen).toBe(false);
		// Ctrl+C ends nothing here
		for (const key of ["C-c", "Enter", "Escape"]) {
			tmux.do("send-keys", key);
			await tmux.shows("[one ○ idle]");
			expect(tmux.isOpen).toBe(true);
			tmux.do("send-keys", "C-p");
			await tmux.shows("Enter goes back.");
			expect(tmux.isOpen).toBe(false);
		}
	},
);

test.skipIf(!hasTmux)("in tmux a line of the printed thread is one line, however long it is", async () => {
	using tmux = new Tmux(`${launcher}; sleep 60`);
	await tmux.shows("[one ○ idle]");
	const address = `https://example.org/${"path/".repeat(40)}end`;
	tmux.do("send-keys", "C-c");
	tmux.enter(`say ${address}`);
	await tmux.shows(/end\n(?:.*\n)*? {2}\S*end$/m);
	tmux.do("send-keys", "C-p");
	await tmux.shows("Enter goes back.");
	// what the terminal itself has wrapped is joined
	expect(tmux.do("capture-pane", "-p", "-J")).toContain(`\n${address}\n`);
});
