// The command line: shapes, exit codes, what it says when something is wrong.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alive } from "#adapters/system/processes.ts";
import { startEngine } from "#src/main.ts";
import { type Shell, shell } from "#test/support/cli.ts";
import { available } from "#test/support/processes.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

let sh: Shell;
beforeAll(async () => {
	sh = shell();
	await sh.brood("up");
});
afterAll(async () => await sh[Symbol.asyncDispose]());

test("the daemon starts by itself on first use, and down is answered when it has gone", async () => {
	const other = shell();
	const { data } = await other.json("status");
	expect(data).toMatchObject({ home: other.home, store: "sqlite", agents: 1, turns: 0, version: "0.1.0", contract: 1 });
	expect(statSync(path.join(other.home, "brood.db")).mode & 0o777).toBe(0o600);
	expect((await other.json("down")).data).toMatchObject({ pid: data.pid });
	// what is left of it is at most a number that its parent has not asked for yet
	await expect.poll(() => alive().some(({ pid }) => pid === data.pid)).toBe(false);
	expect(existsSync(path.join(other.home, "daemon.json"))).toBe(false);
	expect((await other.brood("down")).out).toBe("no daemon was running\n");
});

test("only the home's owner can read it, and what agents and git write in a workspace is as the person's own files are", async () => {
	const other = shell();
	const project = freshRepository({ "file.txt": "one\n" });
	const slug = (await other.json("project", "add", project)).data.slug;
	const { data: agent } = await other.json("agent", "add", "modes", "--project", slug, "--type", "shell");
	expect(await other.brood("prompt", "modes", "echo two > made.txt; echo said", "--wait")).toMatchObject({
		out: "said\n",
	});
	const modeOf = (...parts: string[]): number => statSync(path.join(...parts)).mode & 0o777;
	const usual = 0o666 & ~process.umask();
	expect([modeOf(agent.workspace.path, "file.txt"), modeOf(agent.workspace.path, "made.txt")]).toEqual([usual, usual]);
	const own = ["brood.db", "brood.db-wal", "token", "id", "daemon.json", "daemon.log"].map((name) =>
		modeOf(other.home, name),
	);
	expect(own).toEqual(own.map(() => 0o600));
	expect(modeOf(other.home)).toBe(0o700);
	await other[Symbol.asyncDispose]();
});

test("a second daemon says who holds the home, and exits 1", async () => {
	const { data } = await sh.json("status");
	const second = await new Promise<{ code: unknown; err: string }>((resolve) =>
		execFile(process.execPath, ["src/programs/daemon.ts", "--home", sh.home], (error, _, err) =>
			resolve({ code: error?.code, err }),
		),
	);
	expect(second).toEqual({ code: 1, err: `brood: A daemon (pid ${data.pid}, ${data.url}) holds ${sh.home}.\n` });
});

test("an agent is added, prompted, forked, looked at and killed", async () => {
	expect((await sh.json("agent", "add", "alice", "--type", "scripted")).data).toMatchObject({
		handle: "alice",
		label: "idle",
		life: "live",
	});
	const turn = await sh.json("prompt", "alice", "say hello\nrun echo hi", "--wait");
	expect([turn.code, turn.data]).toMatchObject([0, { state: "completed", source: "queue" }]);
	expect((await sh.json("log", "alice")).data.map((item: { kind: string }) => item.kind)).toEqual([
		"user",
		"assistant",
		"tool_call",
		"tool_result",
		"final",
	]);
	const { data: child } = await sh.json("fork", "alice", "--name", "bob");
	expect(child).toMatchObject({ handle: "bob", lineage: { forkPoint: turn.data.finalItem } });
	expect((await sh.json("log", "bob", "--context")).data.map((item: { kind: string }) => item.kind)).toEqual([
		"user",
		"assistant",
		"tool_call",
		"tool_result",
		"final",
		"fork",
	]);
	expect((await sh.json("log", "bob")).data.map((item: { kind: string }) => item.kind)).toEqual(["fork"]);
	expect((await sh.brood("tree")).out).toBe(
		"└─ init  idle  scripted\n   └─ alice  idle  scripted\n      └─ bob  idle  scripted\n",
	);
	expect((await sh.json("mark", "bob", "here")).data).toMatchObject({ kind: "mark", text: "here" });
	expect((await sh.json("clear", "bob")).data).toMatchObject({ kind: "clear" });
	expect((await sh.json("send", "bob", "hello")).data).toMatchObject({ from: "human", state: "accepted" });
	expect((await sh.json("agent", "pause", "alice", "--reason", "lunch")).data).toMatchObject({
		label: "paused",
		holds: [{ kind: "user", reason: "lunch" }],
	});
	expect((await sh.json("queue", "add", "alice", "say later")).data).toMatchObject({ text: "say later", position: 1 });
	expect((await sh.json("queue", "list", "alice")).data).toHaveLength(1);
	expect((await sh.json("kill", "alice", "--cascade")).data).toMatchObject({ label: "dead" });
	expect((await sh.json("agent", "reap", "alice")).data).toMatchObject({ reapedAt: expect.any(String) });
	expect((await sh.json("agent", "list")).data.map((agent: { handle: string }) => agent.handle)).toEqual([
		"init",
		"bob",
	]);
	expect((await sh.json("events", "--after", "3")).data[0]).toMatchObject({ id: 4 });
});

test("a prompt whose turn failed is exit 1, with the turn still on standard output", async () => {
	await sh.json("agent", "add", "failing", "--type", "scripted");
	expect(await sh.json("prompt", "failing", "fail on purpose", "--wait")).toMatchObject({
		code: 1,
		data: { state: "failed", reason: "on purpose" },
	});
});

test("whoever waits for a turn is told what it asks, once, and not what the policy answers", async () => {
	await using other = shell();
	await other.brood("agent", "add", "asking", "--type", "scripted");
	const waiting = other.brood("prompt", "asking", "ask May I?", "--wait");
	await expect.poll(async () => (await other.json("approval", "list")).data.length, { timeout: 20_000 }).toBe(1);
	const [{ id }] = (await other.json("approval", "list")).data;
	await other.brood("approval", "allow", String(id));
	const { code, err } = await waiting;
	expect([code, err.split("\n").filter((line) => /May I|try:/.test(line))]).toEqual([
		0,
		["  | May I?", `  try: brood approval allow ${id}`, `  try: brood approval deny ${id} --reason '…'`],
	]);
	await other.brood("agent", "configure", "asking", "--policy", "full");
	expect(await other.brood("prompt", "asking", "ask And now?", "--wait")).toMatchObject({ code: 0, err: "" });
});

describe("what is wrong is said in a sentence, with a code, the right exit code and a safe suggestion", () => {
	test.each([
		[["bogus"], 2, /unknown command 'bogus'/],
		[["recover", "opus"], 2, /unknown command 'recover'\n {2}\(It is brood agent recover\.\)/],
		[["project", "gc"], 1, /VALIDATION_ERROR: This directory is in no project: name one\./],
		[["assign"], 2, /\(It is brood issue assign\.\)/],
		[["promt", "a", "b"], 2, /Did you mean prompt/],
		[["agent", "add", "typeless", "--no-project"], 1, /No coding agent is logged in on this machine/],
		[["agent", "add", "x", "--typ", "shell"], 2, /unknown option '--typ'/],
		[["prompt", "only-one"], 2, /either the prompt or --file/],
		[["queue", "move", "x"], 2, /missing required argument/],
		[["prompt", "init", "x", "--not-before", "soon"], 2, /is not a time/],
		[["usage", "--since", "someday"], 2, /7d, or today, yesterday, week, month\./],
		[["log", "init", "-n", "-3"], 2, /a whole number, 0 or more/],
		[["log", "init", "--context", "-n", "3"], 2, /'--context' cannot be used with option '-n, --limit <count>'/],
		[["logs", "-n", "abc"], 2, /a whole number, 0 or more/],
		[["project", "auto", "on", "web", "--agents-max", "three"], 2, /a whole number, 0 or more/],
		[["ps", "--color", "sometimes"], 2, /--color takes always, never or auto, not "sometimes"/],
		[["wait", "init", "--for", "luck"], 2, /Allowed choices are/],
		[["approval", "allow", "999"], 1, /NOT_FOUND/],
		[["turn", "retry", "init"], 1, /NOT_FOUND/],
		[["turn", "finish", "init", "--message", "x"], 1, /FORBIDDEN/],
		[["prompt", "", "x"], 1, /VALIDATION_ERROR: The name of the agent is empty\./],
		[["prompt", "init", ""], 2, /VALIDATION_ERROR: The prompt is empty/],
		[["prompt", "init", "x", "--not-before", "10"], 2, /"10" is not a time/],
		[["send", "init", ""], 1, /VALIDATION_ERROR: body: must not be empty/],
		[["agent", "list", "--project", "nope"], 1, /NOT_FOUND: There is no project "nope"\.\n {2}try: brood project list/],
		[["approval", "list", "--project", "nope"], 1, /NOT_FOUND: There is no project "nope"/],
		[["issue", "list", "--project", "nope"], 1, /NOT_FOUND: There is no project "nope"/],
		[["events", "--project", "nope", "--follow"], 1, /NOT_FOUND: There is no project "nope"/],
		[["turn", "show", "init"], 1, /NOT_FOUND: init has had no turn yet/],
		[["queue", "edit", "init", "abc", "x"], 1, /NOT_FOUND: "abc" is not a prompt's id/],
		[["wait", "init", "--timeout", ""], 2, /number of seconds/],
		[["queue", "edit", "init", "7", "words"], 1, /NOT_FOUND: init has no queued prompt 7/],
		[["agent", "delete", "init"], 1, /CANNOT_KILL_ROOT/],
		[["agent", "status", "nobody"], 1, /AGENT_NOT_FOUND.*\n {2}try: brood agent list/],
		[["agent", "status", "../x"], 1, /AGENT_NOT_FOUND/],
		[["agent", "add", "--type", "scripted", "--", "-x"], 1, /VALIDATION_ERROR/],
		[["agent", "add", "--type", "scripted", "a/b"], 1, /VALIDATION_ERROR/],
		[["agent", "add", "--type", "scripted", "🎉"], 1, /VALIDATION_ERROR/],
		[["agent", "add", "--type", "scripted", "a".repeat(500)], 1, /VALIDATION_ERROR/],
		[
			["agent", "add", "x", "--type", "scripted", "--project", "nowhere"],
			1,
			/NOT_FOUND: There is no project "nowhere"/,
		],
		[["agent", "list", "--project", "../x"], 1, /VALIDATION_ERROR/],
		[["fork", "init", "--type", "scripted", "--at", "999999"], 1, /ITEM_NOT_IN_CONTEXT/],
		[["fork", "alice", "--at=0"], 2, /It has to be an item's number/],
		[["fork", "alice", "--at=abc"], 2, /It has to be an item's number/],
		[["fork", "alice", "--at="], 2, /It has to be an item's number/],
		[["fork", "alice", "--at=-1"], 2, /It has to be an item's number/],
		[["fork", "alice", "--at=1.5"], 2, /It has to be an item's number/],
		[["fork", "alice", "--fresh", "--at", "1"], 1, /A fresh fork inherits nothing/],
		[["fork", "alice", "--fresh", "--inherit"], 2, /exclude each other/],
		[["kill", "init"], 1, /CANNOT_KILL_ROOT/],
		[["rewind", "init", "nothing"], 1, /MARK_NOT_FOUND/],
		[["agent", "interrupt", "init"], 1, /NOT_RUNNING/],
		[["project", "show", "nowhere"], 1, /NOT_FOUND/],
	])("brood %j", async (args, code, says) => {
		const { code: got, out, err } = await sh.brood(...args);
		expect([got, out]).toEqual([code, ""]);
		expect(err).toMatch(says);
	});

	test("and with --json as one document on standard error, for the parser's refusals too", async () => {
		expect(await sh.json("agent", "status", "nobody")).toMatchObject({
			code: 1,
			error: { code: "AGENT_NOT_FOUND", suggestions: ["brood agent list"] },
		});
		expect(await sh.json("agent", "add", "x", "--typ", "shell")).toMatchObject({
			code: 2,
			error: { code: "VALIDATION_ERROR" },
		});
	});
});

test("a beginning that fits two agents is ambiguous and lists them", async () => {
	await sh.json("project", "add", freshRepository(), "--name", "one");
	await sh.json("project", "add", freshRepository(), "--name", "two");
	for (const project of ["one", "two"])
		await sh.json("agent", "add", "same", "--type", "scripted", "--project", project);
	expect(await sh.json("agent", "status", "same")).toMatchObject({
		code: 1,
		error: { code: "AMBIGUOUS_REF", details: { candidates: [{ project: "one" }, { project: "two" }] } },
	});
	expect((await sh.json("agent", "status", "same", "--project", "two")).data).toMatchObject({ project: "two" });
	expect((await sh.json("agent", "status", "one/same")).data).toMatchObject({ project: "one" });
});

test("an agent that is added in a project's directory is the project's, unless it is to have none", async () => {
	const repository = freshRepository();
	mkdirSync(path.join(repository, "deep"));
	await sh.json("project", "add", repository, "--name", "here");
	const inside = sh.within(path.join(repository, "deep"));
	const projectOf = async (...args: string[]): Promise<unknown> =>
		(await inside.json("agent", "add", "--type", "scripted", ...args)).data.project;
	expect([await projectOf(), await projectOf("--no-project"), await projectOf("--project", "one")]).toEqual([
		"here",
		null,
		"one",
	]);
});

test("what a turn used is told in words, and why an agent is held beside its label", async () => {
	await sh.json("agent", "add", "spender", "--type", "scripted", "--budget-tokens", "100");
	const { data } = await sh.json("prompt", "spender", "spend 120 0.01", "--wait");
	// not the newest: one more follows, in which it sums up
	expect((await sh.brood("turn", "show", "spender", String(Reflect.get(Object(data), "id")))).out).toMatch(
		/\nused: 120 tokens in, 0 out, 0\.0100 USD\n/,
	);
	expect((await sh.brood("log", "spender")).out).toMatch(/usage +120 tokens in, 0 out, 0\.0100 USD/);
	expect((await sh.brood("agent", "list")).out).toMatch(/spender .* paused \(budget\) /);
});

test("completion knows the commands and the agents that live now", async () => {
	await sh.json("agent", "add", "complete-me", "--type", "scripted");
	expect((await sh.brood("complete", "--", "agent", "st")).out).toBe("status\n");
	expect((await sh.brood("complete", "--", "log", "complete")).out).toBe("complete-me\n");
	expect((await sh.brood("complete", "--", "fork", "complete-me", "--f")).out).toBe("--fresh\n");
	for (const name of ["bash", "zsh", "fish"])
		expect((await sh.brood("completion", name)).out).toMatch(
			/brood complete --[\s\S]*(-o default|else _files|or __fish_complete_path)/,
		);
	// not even an empty line, and a code after which the shell completes files
	const file = await sh.brood("complete", "--", "prompt", "complete-me", "--file", "");
	expect(file).toEqual({ code: 1, out: "", err: "" });
});

test("a backup under load opens as a store and has everything up to a moment", async () => {
	const file = path.join(freshFolder(), "copy.db");
	const load = Array.from({ length: 6 }, (_, at) => sh.json("agent", "add", `load-${at}`, "--type", "scripted"));
	expect((await sh.json("backup", file)).data).toMatchObject({ file, bytes: expect.any(Number) });
	await Promise.all(load);
	expect(await sh.json("backup", file)).toMatchObject({ code: 1, error: { code: "PATH_EXISTS" } });
	expect(await sh.json("backup", path.join(file, "nowhere/backup.db"))).toMatchObject({
		code: 1,
		error: { code: "VALIDATION_ERROR" },
	});
	const home = path.join(freshFolder(), "restored");
	mkdirSync(home);
	writeFileSync(path.join(home, "brood.db"), readFileSync(file));
	await using engine = await startEngine({ home });
	expect((await engine.reads.events({ after: 0, limit: 100_000 })).length).toBeGreaterThan(10);
	expect(engine.agentZero.handle).toBe("init");
});

test("a broken configuration is reported with its line and column, and changes nothing", async () => {
	const cases: [text: string, says: RegExp][] = [
		["limits:\n  queueLengthMax: many\n", /config\.yaml:2:19: limits\.queueLengthMax/],
		["limits:\n  sudo: 1\n", /config\.yaml:\d+:\d+: .*sudo/],
		["port: [1,\n", /config\.yaml:2:1/],
		["colour: red\n", /config\.yaml:1:1: .*colour/],
	];
	for (const [text, says] of cases) {
		const other = shell();
		writeFileSync(path.join(other.home, "config.yaml"), text);
		const { code, err } = await other.brood("status");
		expect(code).toBe(1);
		expect(err).toMatch(says);
		expect(existsSync(path.join(other.home, "brood.db"))).toBe(false);
	}
	const other = shell();
	writeFileSync(path.join(other.home, "config.yaml"), "agentZero:\n  type: shell\nlimits:\n  queueLengthMax: 1\n");
	expect((await other.json("agent", "status", "init")).data).toMatchObject({ type: "shell" });
	await other.json("agent", "pause", "init");
	await other.json("queue", "add", "init", "one");
	expect((await other.json("queue", "add", "init", "two")).error).toMatchObject({
		code: "QUEUE_FULL",
		details: { limit: 1 },
	});
	await other[Symbol.asyncDispose]();
});

test("doctor finds a home that is open to others and says what to do", async () => {
	const other = shell();
	mkdirSync(path.join(other.home, "x"));
	const { data } = await other.json("doctor");
	expect(data.findings.map(({ name }: { name: string }) => name)).toEqual([
		"Node.js",
		"sqlite",
		"git",
		"home",
		"space",
		"token",
		"containment",
		"daemon",
	]);
	const config = path.join(other.home, "config.yaml");
	writeFileSync(config, "database: postgres://me:secret@127.0.0.1:1/x\n", { mode: 0o644 });
	const findings = async (): Promise<unknown[]> => (await other.json("doctor")).data.findings;
	const open = expect.objectContaining({ name: "config.yaml", ok: false, fix: `chmod 600 ${config}` });
	expect(await findings()).toContainEqual(open);
	chmodSync(config, 0o600);
	expect(await findings()).not.toContainEqual(open);
	expect((await sh.brood("doctor")).out).toContain(`containment  ${available[0]}: `);
	// the daemon that runs has read the file as it was
	const own = path.join(sh.home, "config.yaml");
	const before = existsSync(own) ? readFileSync(own, "utf8") : null;
	writeFileSync(own, "limits: {turnsMax: many}\n", { mode: 0o600 });
	const wrong = (await sh.json("doctor")).data.findings.filter(({ name }: { name: string }) => name === "config.yaml");
	if (before === null) rmSync(own);
	else writeFileSync(own, before);
	const text = expect.stringContaining(`${own}:1:20: limits.turnsMax: `);
	expect(wrong).toEqual([{ name: "config.yaml", ok: false, text, fix: expect.stringContaining("would not start") }]);
	expect((await sh.brood("status")).out).toContain(`containment ${available[0]}\n`);
	expect((await other.brood("logs")).out).toBe("nothing in the log at level info or above\n");
	expect((await sh.brood("logs")).out).toMatch(/brood 0\.1\.0 is up/);
});

test("whoever waits for a turn learns of it from the next daemon, if the first one is killed", {
	timeout: 60_000,
}, async () => {
	await using other = shell();
	await other.brood("agent", "add", "worker", "--type", "scripted");
	const { data } = await other.json("status");
	const waiting = other.json("prompt", "worker", "sleep 60000", "--wait");
	await expect.poll(async () => (await other.json("log", "worker")).data.length, { timeout: 20_000 }).toBe(1);
	process.kill(data.pid, "SIGKILL");
	expect(await waiting).toMatchObject({ code: 1, data: { state: "interrupted", reason: "crash" } });
	expect((await other.json("status")).data.pid).not.toBe(data.pid);
});

test("whoever waits starts no daemon that somebody stopped, and goes on with the next one", {
	timeout: 60_000,
}, async () => {
	await using other = shell();
	await other.brood("agent", "add", "worker", "--type", "human", "--prompt", "please look");
	const waiting = other.json("wait", "worker", "--for", "mail");
	await expect
		.poll(async () => (await other.json("events", "--kind", "wait")).data.length, { timeout: 20_000 })
		.toBe(1);
	await other.brood("down");
	// asking takes longer than calling again would
	for (let asked = 0; asked < 5; asked++) expect((await other.brood("down")).out).toBe("no daemon was running\n");
	await other.brood("up");
	await other.brood("send", "worker", "hello");
	expect(await waiting).toMatchObject({ code: 0, data: { state: "met" } });
});

test("a home that is reached by a link is the same home", { timeout: 60_000 }, async () => {
	await using sh = shell();
	const { data: up } = await sh.json("status");
	const link = path.join(freshFolder(), "link");
	symlinkSync(sh.home, link);
	const { data: linked } = await shell(link).json("status");
	expect([linked.pid, linked.home]).toEqual([up.pid, sh.home]);
	// the other way round: a daemon that was started by the link
	await sh.brood("down");
	const { data: again } = await shell(link).json("status");
	expect((await sh.json("status")).data.pid).toBe(again.pid);
	expect(again.pid).not.toBe(up.pid);
});

test("inside an agent down stops no daemon, its own or any other", async () => {
	await sh.brood("agent", "add", "inmate", "--type", "shell");
	const before = (await sh.json("status")).data.pid;
	const down = `BROOD_HOME=${sh.home} ${path.resolve("bin/brood")} down`;
	expect(await sh.json("prompt", "inmate", down, "--wait")).toMatchObject({ code: 1, data: { state: "failed" } });
	expect((await sh.brood("log", "inmate")).out).toContain(
		"FORBIDDEN: BROOD_URL names a daemon: only its own machine stops it.",
	);
	expect((await sh.json("status")).data.pid).toBe(before);
});
