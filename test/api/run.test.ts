// `brood run`: one command from a task to an agent at work on it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, shell } from "#test/support/cli.ts";
import { Pty } from "#test/support/pty.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

let sh: Shell;
beforeAll(async () => {
	sh = shell();
	await sh.brood("up");
});
afterAll(async () => await sh[Symbol.asyncDispose]());

test("adds the repository, shows what the agent does and what it changed, and says what to type next", async () => {
	const repository = freshRepository({ "a.txt": "a\n" });
	mkdirSync(path.join(repository, "deep"));
	const task = "say hello\nwrite b.txt made it\nsay done";
	const { code, out, err } = await sh.within(path.join(repository, "deep")).brood("run", "scripted", task);
	const [, name = ""] = /brood diff (\S+)/.exec(out) ?? [];
	expect(code).toBe(0);
	expect(err).toContain(`(${repository}).\n`);
	expect(err).toContain(`${name} (scripted) works in `);
	// printed once, although it is streamed, recorded and repeated at the end
	expect(out.match(/^ {2}hello$/gm)).toHaveLength(1);
	expect(out.match(/^ {2}done$/gm)).toHaveLength(1);
	expect(out).toContain("⏵ edit write b.txt\n");
	expect(out).toMatch(/\+1 +-0 +b\.txt/);
	expect(out).not.toContain("\u001B");
	const { data: agent } = await sh.json("agent", "status", name);
	expect(readFileSync(path.join(agent.workspace.path, "b.txt"), "utf8")).toContain("made it");
	// the second one finds the project, and a name of its own
	const again = await sh.within(repository).brood("run", "scripted", task);
	expect([name, again.code, again.err.split(" ", 1)]).toEqual(["say-hello-write-b-txt", 0, [`${name}-2`]]);
});

test("the folder of another machine is not added to the daemon of BROOD_URL", async () => {
	const { url } = JSON.parse(readFileSync(path.join(sh.home, "daemon.json"), "utf8"));
	const token = readFileSync(path.join(sh.home, "token"), "utf8").trim();
	const there = shell(freshFolder(), freshRepository({ "a.txt": "a\n" }), { BROOD_URL: url, BROOD_TOKEN: token });
	const { data: before } = await sh.json("project", "list");
	const { error } = await there.json("run", "scripted", "say hello");
	expect(error).toMatchObject({ code: "VALIDATION_ERROR", suggestions: ["brood project list"] });
	expect(error.message).toBe("The daemon of BROOD_URL does not know this folder: name a project with --project.");
	expect((await sh.json("project", "list")).data).toEqual(before);
	// control: a project that the daemon has
	await sh.brood("project", "add", freshRepository({ "a.txt": "a\n" }), "--name", "remote");
	expect((await there.brood("run", "scripted", "say hello", "--project", "remote")).code).toBe(0);
});

test("what it suggests is true: no commit if the agent has committed, and the whole name from another directory", async () => {
	const repository = freshRepository({ "a.txt": "a\n" });
	await sh.brood("project", "add", repository, "--name", "hints");
	const here = await sh.within(repository).brood("run", "scripted", "write c.txt c\ncommit Add c", "--name", "tidy");
	expect(here.out).toContain("keep it:     brood approve tidy\n");
	const { error } = await sh.json("project", "auto", "on", "hints", "--type", "nosuch");
	expect(error.message).toMatch(/^There is no agent type nosuch; there are .*claude/);
	const auto = await sh.brood("project", "auto", "on", "hints", "--type", "scripted", "--agents-max", "1");
	expect(auto.out).toContain("it adds agents of type scripted until the project has 1\n");
	const task = ["run", "scripted", "write d.txt d", "--name", "untidy", "--project", "hints"];
	const there = await sh.within(freshFolder()).brood(...task);
	expect(there.out).toContain("keep it:     brood commit hints/untidy -m '…' && brood approve hints/untidy\n");
	expect(there.out).toContain("look at it:  brood diff hints/untidy\n");
});

test("a turn that fails is exit 1, --no-follow answers at once, and --json has the agent and the turn", async () => {
	const here = sh.within(freshRepository({ "a.txt": "a\n" }));
	expect((await here.brood("run", "scripted", "fail on purpose")).code).toBe(1);
	const { data } = await here.json("run", "scripted", "sleep 60000", "--no-follow");
	expect(data).toMatchObject({ agent: { type: "scripted" }, turn: null });
	const { data: ran } = await here.json("run", "scripted", "say x", "--name", "told");
	expect(ran).toMatchObject({ agent: { handle: "told" }, turn: { state: "completed" } });
});

test("what it asks is told whole to somebody who is not at a terminal", async () => {
	const here = sh.within(freshRepository({ "a.txt": "a\n" }));
	const running = here.brood("run", "scripted", "ask May I?\nsay done", "--name", "asker");
	await expect.poll(async () => (await sh.json("approval", "list")).data.length, { timeout: 20_000 }).toBe(1);
	const { id } = (await sh.json("approval", "list")).data[0];
	await sh.brood("approval", "allow", String(id));
	const { code, err } = await running;
	expect([code, err.includes(`try: brood approval allow ${id}`), err.includes("  | May I?")]).toEqual([0, true, true]);
});

test("a prompt behind a turn that asks names the question, and Ctrl+C leaves the agent at work", async () => {
	const repository = freshRepository({ "a.txt": "a\n" });
	await sh.within(repository).brood("run", "scripted", "ask May I go on?", "--name", "gate", "--no-follow");
	await expect.poll(async () => (await sh.json("approval", "list")).data.length, { timeout: 20_000 }).toBe(1);
	const env = { BROOD_HOME: sh.home, HOME: sh.home, BROOD_PORT: "0" };
	await using it = new Pty(repository, env, { args: "prompt gate 'say later' --wait" });
	await it.drawn.shows(/waits: the turn before it needs an answer\.\n.*\n {2}\| May I go on\?/);
	it.type("\u0003");
	await it.drawn.shows(/gate goes on\.\n {2}follow it: {2}brood log gate --follow/);
	await it.ended;
});

test("a crash keeps the text on the screen, and what is suggested after it works", async () => {
	const repository = freshRepository({ "a.txt": "a\n" });
	const env = { BROOD_HOME: sh.home, HOME: sh.home, BROOD_PORT: "0" };
	writeFileSync(path.join(repository, "task"), "say before the crash\nsleep 60000");
	await using it = new Pty(repository, env, { args: "run scripted --file task --name long-job" });
	// the last word is printed once it is complete
	await it.drawn.shows(/^ {2}before the/m);
	process.kill((await sh.json("status")).data.pid, "SIGKILL");
	const screen = await it.drawn.shows("go on:       brood agent resume long-job --retry");
	expect(screen).toMatch(/^ {2}before the crash$/m);
	expect(screen).toContain("\nThe turn was interrupted by a crash.\n");
	expect(screen).not.toMatch(/^ {2}crash$/m);
	const { code } = await sh.within(repository).brood("agent", "resume", "long-job", "--retry");
	expect(code).toBe(0);
});

test("without a vendor it says what to install, and outside of a repository what to do", async () => {
	const nobody = await sh.within(freshRepository({ "a.txt": "a\n" })).json("run", "fix it");
	expect(nobody.error).toMatchObject({ code: "NOT_LOGGED_IN" });
	for (const word of ["claude", "codex login", "gemini", "opencode auth login"])
		expect(nobody.error.message).toContain(word);
	const outside = await sh.within(freshFolder()).json("run", "fix it");
	expect(outside.error).toMatchObject({ code: "VALIDATION_ERROR", suggestions: expect.arrayContaining(["git init"]) });
	expect((await sh.brood("run")).code).toBe(2);
	const bare = freshFolder();
	for (const name of ["HEAD", "objects", "refs"]) mkdirSync(path.join(bare, name));
	const { error } = await sh.within(bare).json("run", "fix it");
	expect(error.message).toContain("is a bare repository");
	expect(error.suggestions[0]).toBe(`git clone ${bare}`);
});

test("--color puts colours into a pipe, and NO_COLOR and --no-color take them away", async () => {
	const here = sh.within(freshRepository({ "a.txt": "a\n" }));
	const coloured = await here.brood("run", "scripted", "run true", "--color=always");
	expect(coloured.out).toContain("\u001B[36m⏵\u001B[0m");
	expect((await here.brood("run", "scripted", "run true", "--no-color")).out).not.toContain("\u001B");
});
