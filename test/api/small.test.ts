// Small things that people expect of the command line.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, shell } from "#test/support/cli.ts";
import { freshRepository } from "#test/support/repository.ts";

const run = promisify(execFile);
let sh: Shell;
beforeAll(async () => {
	sh = shell();
	for (const slug of ["web", "api"]) await sh.brood("project", "add", freshRepository(), "--name", slug);
	await sh.brood("agent", "add", "ann", "--no-project", "--type", "human");
});
afterAll(async () => await sh[Symbol.asyncDispose]());

test("an issue depends on another one by its number or by its whole name, in one project", async () => {
	for (const title of ["one", "two", "three"]) await sh.brood("issue", "add", title, "--project", "web");
	await sh.brood("issue", "add", "elsewhere", "--project", "api");
	expect((await sh.json("issue", "depend", "web#3", "web#2")).data.dependsOn).toEqual([2]);
	expect((await sh.json("issue", "depend", "web#3", "1")).data.dependsOn).toEqual([2, 1]);
	expect((await sh.json("issue", "depend", "web#3", "#2", "--remove")).data.dependsOn).toEqual([1]);
	expect((await sh.json("issue", "depend", "web#3", "api#1")).error.message).toContain("of another project");
	expect((await sh.brood("issue", "depend", "web#3", "soon")).code).toBe(2);
});

test("one mail is read by its id, and the others stay unread", async () => {
	for (const text of ["first", "second"]) await sh.brood("send", "ann", text);
	const { data: mails } = await sh.json("mail", "check", "ann");
	const { out } = await sh.brood("mail", "read", "ann", String(mails[1].id));
	expect([out.includes("  | second"), out.includes("first")]).toEqual([true, false]);
	expect((await sh.json("mail", "read", "ann")).data.map(({ body }: { body: string }) => body)).toEqual(["first"]);
	expect((await sh.brood("mail", "read", "ann", "soon")).code).toBe(2);
});

test("a prompt keeps the metadata that it was given, which have to be an object", async () => {
	await sh.brood("pause", "ann");
	const { data } = await sh.json("prompt", "ann", "do it", "--metadata", '{"ticket":"A-1"}');
	expect(data.metadata).toEqual({ ticket: "A-1" });
	expect((await sh.brood("prompt", "ann", "do it", "--metadata", "[1]")).code).toBe(2);
	expect((await sh.brood("prompt", "ann", "do it", "--metadata", "{")).err).toContain("takes a JSON object");
});

test("a cascade says how many ended with it", async () => {
	await sh.brood("agent", "add", "lead", "--no-project", "--type", "human");
	for (const name of ["left", "right"]) await sh.brood("fork", "lead", "--name", name, "--fresh");
	await sh.brood("fork", "left", "--name", "below", "--fresh");
	expect((await sh.brood("kill", "lead", "--cascade")).out).toContain("\nwith 3 below it\n");
});

test("agents are listed by type and model, also those that are free", async () => {
	await sh.brood("agent", "add", "coder", "--no-project", "--type", "scripted", "--model", "large");
	const names = async (...args: string[]): Promise<string[]> =>
		(await sh.json("agent", "list", ...args)).data.map(({ handle }: { handle: string }) => handle);
	expect(await names("--type", "scripted", "--model", "large")).toEqual(["coder"]);
	expect(await names("--available", "--model", "large")).toEqual(["coder"]);
	expect(await names("--available", "--type", "llm")).toEqual([]);
});

test("a prompt is read from a pipe that takes its time", async () => {
	const slow = `sleep 1; printf 'from the '; sleep 1; printf pipe`;
	const launcher = path.resolve("bin/brood");
	const { stdout } = await run("/bin/sh", ["-c", `(${slow}) | ${launcher} prompt ann --file - --json`], {
		env: { ...process.env, BROOD_HOME: sh.home },
	});
	expect(JSON.parse(stdout).data.text).toBe("from the pipe");
});

test("down names the turns that it waits for, and restart brings another daemon with the same agents", async () => {
	await using other = shell();
	await other.brood("agent", "add", "busy", "--no-project", "--type", "scripted", "--prompt", "sleep 60000");
	await expect.poll(async () => (await other.json("status")).data.turns, { timeout: 20_000 }).toBe(1);
	const { data: before } = await other.json("status");
	const { code, err, out } = await other.brood("restart");
	expect([code, err]).toEqual([0, expect.stringMatching(/^Waiting up to 10 s for the turns of busy; /)]);
	expect(out).toMatch(/2 agents alive, 0 turns running/);
	expect((await other.json("status")).data.pid).not.toBe(before.pid);
});
