// `brood ps` and the verbs that take many agents.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, shell } from "#test/support/cli.ts";
import { launcher } from "#test/support/programs.ts";
import { freshRepository } from "#test/support/repository.ts";

let sh: Shell;
const repository = freshRepository({ "a.txt": "a\n" });
beforeAll(async () => {
	sh = shell();
	await sh.brood("project", "add", repository, "--name", "web");
	for (const name of ["ann", "bob"]) await sh.brood("agent", "add", name, "--project", "web", "--type", "scripted");
	await sh.brood("agent", "add", "carl", "--no-project", "--type", "scripted");
});
afterAll(async () => await sh[Symbol.asyncDispose]());

test("a line says what an agent does, what it said last, and how its branch stands", async () => {
	const { data: ann } = await sh.json("agent", "status", "ann");
	await sh.brood("prompt", "ann", "say the last words", "--wait");
	writeFileSync(path.join(ann.workspace.path, "b.txt"), "one\ntwo\n");
	const { out } = await sh.brood("ps", "--project", "web");
	expect(out).toMatch(/^ann +○ idle +web +brood\/ann \+2 −0 +\d+s +\d+s +the last words$/m);
	expect(out).not.toContain("init");
	await sh.brood("commit", "ann", "-m", "Add b");
	const { data } = await sh.json("ps");
	expect(data.map(({ handle }: { handle: string }) => handle)).toEqual(["ann", "bob", "carl"]);
	expect(data[0].progress).toMatchObject({
		lastText: "the last words",
		branchStatus: { ahead: 1, behind: 0, uncommitted: false, added: 2, deleted: 0 },
	});
	expect(data[2].progress.branchStatus).toBeNull();
	expect((await sh.brood("diff", "ann")).out).toContain("\n+two\n");
	expect((await sh.brood("diff", "ann", "--stat")).out).toMatch(/\+2 +-0 +b\.txt/);
	expect((await sh.brood("approve", "ann")).out).toContain(" is in ");
	expect((await sh.json("ps", "--all", "--type", "shell")).data).toEqual([]);
});

test("only the state has a colour, and an agent's words cannot bring their own", async () => {
	await sh.brood("prompt", "bob", "say \u001B[31mred", "--wait");
	await sh.brood("pause", "bob");
	const { out } = await sh.brood("ps", "--color=always");
	const line = out.split("\n").find((each) => each.startsWith("bob"));
	expect(line).toContain("\u001B[1;33m‖ paused\u001B[0m");
	expect(line).toMatch(/␛\[31mred$/);
	expect(line?.split("\u001B")).toHaveLength(3);
	await sh.brood("resume", "bob");
});

test("a line says in local time until when a prompt waits", async () => {
	await sh.brood("prompt", "carl", "say later", "--not-before", "2100-06-15T12:00:00Z");
	expect((await sh.brood("ps")).out).toMatch(/^carl .* not before 1[456] June? 2100, \d\d:\d\d$/m);
	await sh.brood("queue", "clear", "carl");
});

test("a held agent's line says why", async () => {
	await sh.brood("pause", "bob", "--reason", "waits for the review");
	expect((await sh.brood("ps")).out).toMatch(/^bob +‖ paused .* waits for the review$/m);
	await sh.brood("resume", "bob");
	expect((await sh.brood("ps")).out).not.toContain("waits for the review");
});

test("a verb takes several agents or all of them; one that is refused does not keep the others", async () => {
	const labels = async (): Promise<string[]> => (await sh.json("ps")).data.map(({ label }: { label: string }) => label);
	expect((await sh.json("pause", "ann", "carl")).data).toHaveLength(2);
	expect(await labels()).toEqual(["paused", "idle", "paused"]);
	const some = await sh.brood("resume", "nobody", "carl");
	expect([some.code, some.err.includes("AGENT_NOT_FOUND")]).toEqual([1, true]);
	expect(await labels()).toEqual(["paused", "idle", "idle"]);
	await sh.brood("resume", "--all");
	await sh.brood("pause", "--all", "--project", "web");
	expect(await labels()).toEqual(["paused", "paused", "idle"]);
	// inside a project's directory, --all means its agents
	const inside = sh.within(repository);
	await inside.brood("resume", "--all");
	await inside.brood("pause", "--all-projects");
	expect(await labels()).toEqual(["paused", "paused", "paused"]);
	await inside.brood("resume", "--all");
	expect(await labels()).toEqual(["idle", "idle", "paused"]);
	const both = await inside.brood("kill", "--all-projects", "--project", "web");
	expect(both).toEqual({ code: 2, out: "", err: "VALIDATION_ERROR: Use --project or --all-projects, not both.\n" });
	// on a terminal it asks first
	const asked = spawnSync("script", ["-qfec", `${launcher} kill --all`, "/dev/null"], {
		cwd: repository,
		env: { PATH: process.env["PATH"], SHELL: "/bin/sh", HOME: sh.home, BROOD_HOME: sh.home },
		input: "n\n",
		encoding: "utf8",
	});
	expect(asked.stdout).toContain("Kill 2 agents: web/ann, web/bob? [y/N]");
	expect(asked.stdout).toContain("No agent was changed.");
	expect(await labels()).toHaveLength(3);
	expect((await sh.brood("kill")).code).toBe(2);
	expect((await sh.brood("kill", "ann", "--all")).code).toBe(2);
	expect((await sh.json("kill", "carl")).data).toMatchObject({ handle: "carl", label: "dead" });
	expect(await labels()).toHaveLength(2);
});

test("usage has a total, counts a period, and names agents as commands take them", async () => {
	await sh.brood("resume", "--all");
	await sh.brood("agent", "add", "dora", "--no-project", "--type", "scripted");
	await sh.brood("prompt", "ann", "spend 1000 0.5", "--wait");
	await sh.brood("prompt", "dora", "spend 200 0.25", "--wait");
	const { out } = await sh.brood("usage");
	expect(out).toMatch(/^web\/ann +1,000 .*0\.5000 USD/m);
	expect(out).toMatch(/^total +1,200 +0 +0 +0 +0\.7500 USD$/m);
	const today = await sh.brood("usage", "--since", "today");
	expect(today.out.split("\n").map((line) => line.split(/ {2,}/)[0])).toEqual(["NAME", "web/ann", "dora", "total", ""]);
	expect((await sh.json("usage", "--since", "7d", "--by", "project")).data).toMatchObject([
		{ name: "web", tokens: 1000 },
		{ name: "-", tokens: 200 },
	]);
	const { data: later } = await sh.json("usage", "--since", "2999-01-01");
	expect([later, (await sh.brood("usage", "--since", "2999-01-01")).out]).toEqual([
		[],
		"no usage reported in this time\n",
	]);
	expect((await sh.brood("usage", "ann", "--since", "month", "--project", "web")).out).toMatch(/^ann +1,000/m);
	expect((await sh.brood("usage", "--since", "yesterday")).out).toMatch(/^total +1,200 /m);
	expect((await sh.brood("usage", "--since", "someday")).code).toBe(2);
});

test("mail, queues and events name agents; JSON has their ids", async () => {
	await sh.brood("prompt", "ann", "send bob look at this", "--wait");
	const { data } = await sh.json("mail", "check", "bob");
	expect(data.at(-1).from).toMatch(/^agent:[\w-]{22}$/);
	expect((await sh.brood("mail", "check", "bob")).out).toMatch(/^\d+ +ann +\w+ +look at this$/m);
	expect((await sh.brood("events", "--agent", "bob", "--kind", "mail")).out).toContain("  by ann, ");
	expect((await sh.brood("events", "--agent", "bob", "--kind", "mail", "--json")).out).not.toContain('"actor":"ann"');
});

test("a prompt that another agent wrote is named after it", async () => {
	await sh.brood("prompt", "ann", "fork sleep 1", "--wait");
	const { data } = await sh.json("ps", "--project", "web");
	const child = data.find(({ supervisor }: { supervisor: string }) => supervisor === data[0].id);
	await sh.brood("wait", child.id);
	expect((await sh.brood("ps")).out).toMatch(/\(from ann\) sleep 1$/m);
});
