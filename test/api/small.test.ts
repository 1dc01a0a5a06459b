// Small things that people expect of the command line.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toJSONSchema } from "zod";
import { tools } from "#client/tools.ts";
import { homeIdName } from "#contract/own-variables.ts";
import { type Shell, shell } from "#test/support/cli.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

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

test("an issue of another project is not taken for the same number where only the directory or an option names the project", async () => {
	const { data: projects } = await sh.json("project", "list");
	const here = sh.within(projects.find(({ slug }: { slug: string }) => slug === "web").path);
	const adding = ["issue", "add", "four", "--depends-on"];
	const refused = [
		await here.json("issue", "depend", "2", "api#1"),
		await here.json(...adding, "api#1"),
		await sh.json(...adding, "api#1", "--project", "web"),
	];
	const message = "api#1 is of another project: an issue depends on issues of its own.";
	expect(refused.map(({ error }) => error?.message)).toEqual([message, message, message]);
	// control: one of its own
	expect((await here.json("issue", "depend", "2", "web#1")).data.dependsOn).toEqual([1]);
	expect((await sh.json(...adding, "web#1", "--project", "web")).data.dependsOn).toEqual([1]);
});

test("in a directory that was deleted, a name without a project is refused with that reason", async () => {
	const gone = path.join(freshFolder(), "gone");
	const inside = async (name: string): Promise<unknown> =>
		await run(
			"/bin/sh",
			["-c", `mkdir ${gone} && cd ${gone} && rmdir ${gone} && ${path.resolve("bin/brood")} log ${name}`],
			{
				env: { ...process.env, BROOD_HOME: sh.home },
			},
		);
	await expect(inside("ann")).rejects.toMatchObject({
		code: 1,
		stderr: expect.stringMatching(/^VALIDATION_ERROR: The current directory was deleted; run this in another one\.$/m),
	});
	// control: what is named whole needs no directory
	await expect(inside("init")).resolves.toMatchObject({ stdout: "" });
});

test("a fork of agent 0 goes into the project that is named, and no other fork leaves its own", async () => {
	const { data } = await sh.json("fork", "init", "hello", "--project", "web", "--type", "human", "--name", "kid");
	expect(data).toMatchObject({ project: "web", handle: "kid", workspace: { branch: "brood/kid" } });
	expect((await sh.json("fork", "web/kid", "--project", "api")).error).toMatchObject({ code: "VALIDATION_ERROR" });
});

test("the type of agent 0 can be chosen later, and its children have it; others keep theirs", async () => {
	expect((await sh.json("fork", "init", "--fresh")).error.message).toContain("Name an agent type");
	expect((await sh.json("agent", "configure", "init", "--type", "nonsense")).error.code).toBe("VALIDATION_ERROR");
	expect((await sh.json("agent", "configure", "init", "--type", "human")).data.type).toBe("human");
	expect((await sh.json("fork", "init", "--fresh")).data).toMatchObject({ type: "human", project: null });
	await sh.brood("agent", "configure", "init", "--type", "shell");
	expect((await sh.json("prompt", "init", "echo from a shell", "--wait")).data.state).toBe("completed");
	expect((await sh.brood("log", "init")).out).toContain("from a shell");
	await sh.brood("agent", "configure", "init", "--type", "scripted");
	await sh.brood("prompt", "init", "say from a script", "--wait");
	expect((await sh.brood("log", "init")).out).toMatch(/assistant +from a script/);
	expect((await sh.json("agent", "configure", "ann", "--type", "shell")).error).toMatchObject({
		code: "CONFLICT",
		suggestions: ["brood fork ann --type shell"],
	});
});

test("a subscription is for a type of agent; the name of a model's vendor is refused with the types to use", async () => {
	expect((await sh.json("subscription", "add", "x", "--type", "nonsense")).error.message).toContain("claude");
	expect((await sh.json("subscription", "add", "x", "--type", "openai")).error).toMatchObject({
		code: "VALIDATION_ERROR",
		suggestions: ["brood subscription add x --type codex", "brood subscription add x --type llm"],
	});
	expect((await sh.json("subscription", "list")).data).toEqual([]);
});

test("a fork at a call of a turn that crashed has a result for it", async () => {
	await sh.brood("agent", "add", "crashing", "--no-project", "--type", "scripted");
	expect((await sh.json("prompt", "crashing", "run echo hello\ncrash", "--wait")).data.state).toBe("failed");
	const { data: items } = await sh.json("log", "crashing");
	const call = items.find((item: { kind: string }) => item.kind === "tool_call");
	await sh.brood("fork", "crashing", "--at", String(call.id), "--name", "cut");
	const { data: context } = await sh.json("log", "cut", "--context");
	expect(context.map((item: { kind: string }) => item.kind)).toEqual(["user", "tool_call", "fork", "tool_result"]);
	expect(context.at(-1)).toMatchObject({ data: { call: call.data.call, synthetic: true } });
	expect((await sh.json("prompt", "cut", "say on", "--wait")).data.state).toBe("completed");
});

test("a project that was removed and added again has all names free, whatever its agents left behind", async () => {
	const repository = freshRepository();
	const add = async () => await sh.json("agent", "add", "zed", "--project", "gone", "--type", "shell");
	const branches = ["brood/zed", "brood/zed", "brood/zed", "brood/zed-2"];
	for (const [at, branch] of branches.entries()) {
		await sh.brood("project", "add", repository, "--name", "gone");
		const { data } = await add();
		expect(data).toMatchObject({ handle: "zed", label: "idle", lastError: null, workspace: { branch } });
		const { stdout } = await run("git", ["-C", data.workspace.path, "status", "--porcelain", "--branch"]);
		expect(stdout).toBe(`## ${branch}\n`);
		expect((await add()).error).toMatchObject({ code: "CONFLICT" });
		expect((await sh.json("log", "gone/zed")).data).toHaveLength(branch === "brood/zed" ? 0 : 1);
		// deleted; killed, with its folder left; killed, with a commit and a file that nobody committed left
		const work = "echo one > one && git add one && git commit -qm one && echo two > two";
		if (at === 2) expect((await sh.json("prompt", "gone/zed", work, "--wait")).data.state).toBe("completed");
		await (at === 0 ? sh.brood("agent", "delete", "gone/zed", "--force") : sh.brood("kill", "gone/zed"));
		expect((await sh.brood("project", "remove", "gone")).code).toBe(0);
	}
	const { data: all } = await sh.json("agent", "list", "--project", "gone");
	expect(all.map(({ handle, label }: { handle: string; label: string }) => [handle, label])).toEqual([
		...["zed-was-1", "zed-was-2", "zed-was-3"].map((handle) => [handle, "deleted"]),
		["zed", "dead"],
	]);
	const trash = path.join(sh.home, "trash");
	const kept = readdirSync(trash).filter((name) => existsSync(path.join(trash, name, "files", "two")));
	expect(kept).toEqual([expect.stringMatching(/-gone-zed-was-3$/)]);
	expect((await run("git", ["-C", repository, "log", "-1", "--format=%s", "brood/zed"])).stdout).toBe("one\n");
});

test("an agent forks itself: fresh by default, with the conversation or up to an item on request", async () => {
	await sh.brood("agent", "add", "family", "--no-project", "--type", "shell");
	await sh.brood("prompt", "family", "echo before", "--wait");
	const [first] = (await sh.json("log", "family")).data;
	const forks = ["--name plain", "--inherit --name knowing", `--at ${first.id} --name early`];
	const script = forks.map((how) => `brood fork self ${how} --no-wait`).join(" && ");
	expect((await sh.json("prompt", "family", `${script} && ! brood fork self --at 0`, "--wait")).data.state).toBe(
		"completed",
	);
	const has = async (name: string): Promise<number> =>
		(await sh.json("log", name, "--context")).data.filter(({ text }: { text: string | null }) =>
			text?.includes("before"),
		).length;
	expect(await has("plain")).toBe(0);
	expect(await has("knowing")).toBeGreaterThan(1);
	expect(await has("early")).toBe(1);
});

test("what a fork takes along by default is said in the same words by command line, tools and HTTP", async () => {
	const said = [
		(await sh.brood("fork", "--help")).out,
		JSON.stringify(toJSONSchema(tools.fork.input)),
		readFileSync("openapi.json", "utf8"),
	].map((text) => [
		text.includes("without the conversation (the default for agents)"),
		text.includes("with the conversation (the default for people)"),
	]);
	expect(said).toEqual([
		[true, true],
		[true, true],
		[true, true],
	]);
});

test("one mail is read by its id, and the others stay unread", async () => {
	for (const text of ["first", "second"]) await sh.brood("send", "ann", text);
	const { data: mails } = await sh.json("mail", "check", "ann");
	const { out } = await sh.brood("mail", "read", "ann", String(mails[1].id));
	expect([out.includes("  | second"), out.includes("first")]).toEqual([true, false]);
	expect((await sh.json("mail", "read", "ann")).data.map(({ body }: { body: string }) => body)).toEqual(["first"]);
	expect(await sh.brood("mail", "read", "ann", "soon")).toMatchObject({
		code: 2,
		err: expect.stringContaining("the id of a mail, as `brood mail check` shows it"),
	});
	// by its id a mail is shown again, and one that is not there is not found
	expect((await sh.brood("mail", "read", "ann", String(mails[1].id))).out).toContain("  | second");
	expect((await sh.json("mail", "read", "ann", "999999")).error.code).toBe("NOT_FOUND");
});

test("a prompt keeps the metadata that it was given, which have to be an object", async () => {
	await sh.brood("pause", "ann");
	const { data } = await sh.json("prompt", "ann", "do it", "--metadata", '{"ticket":"A-1"}');
	expect(data.metadata).toEqual({ ticket: "A-1" });
	expect((await sh.brood("prompt", "ann", "do it", "--metadata", "[1]")).code).toBe(2);
	expect((await sh.brood("prompt", "ann", "do it", "--metadata", "{")).err).toContain("takes a JSON object");
});

test("a cascade says how many ended with it, and a plain kill that none did", async () => {
	await sh.brood("agent", "add", "lead", "--no-project", "--type", "human");
	for (const name of ["left", "right", "alone"]) await sh.brood("fork", "lead", "--name", name, "--fresh");
	for (const name of ["below", "besides"]) await sh.brood("fork", "left", "--name", name, "--fresh");
	expect((await sh.json("kill", "alone")).data).toMatchObject({ label: "dead", endedBelow: 0 });
	expect((await sh.json("kill", "left", "--cascade")).data).toMatchObject({ label: "dead", endedBelow: 2 });
	await sh.brood("fork", "right", "--name", "last", "--fresh");
	expect((await sh.brood("kill", "lead", "--cascade")).out).toContain("\nwith 2 below it\n");
});

test("a prompt that is waited for says that its agent is held, also while its last turn still runs", async () => {
	await sh.brood("agent", "add", "slow", "--no-project", "--type", "scripted", "--prompt", "sleep 60000");
	await expect
		.poll(async () => (await sh.json("agent", "status", "slow")).data.label, { timeout: 20_000 })
		.toBe("running");
	await sh.brood("pause", "slow", "--reason", "a look first.");
	expect((await sh.json("agent", "status", "slow")).data.label).toBe("running");
	const { error } = await sh.json("prompt", "slow", "say hello", "--wait");
	expect(error).toMatchObject({
		code: "AGENT_INVALID_STATE",
		message: expect.stringMatching(/^slow is held and does not start prompt \d+: a look first\.$/),
		suggestions: ["brood agent status slow", "brood agent resume slow"],
	});
	expect((await sh.json("kill", "slow")).data.endedBelow).toBe(0);
});

test("an agent that is held for its model is told another one first", async () => {
	await sh.brood("agent", "add", "chosen", "--no-project", "--type", "scripted", "--model", "m-9");
	await sh.brood("pause", "chosen", "--reason", "it has no model m-9");
	expect((await sh.json("prompt", "chosen", "say hello", "--wait")).error.suggestions).toEqual([
		"brood agent status chosen",
		"brood agent configure chosen --model …",
		"brood agent resume chosen",
	]);
});

test("the status of an agent has words and names for people", async () => {
	await sh.brood("agent", "add", "editor", "--no-project", "--type", "scripted");
	await sh.brood("fork", "editor", "--name", "sub-editor");
	const { out } = await sh.brood("agent", "status", "sub-editor");
	expect(out).toMatch(/^supervisor +editor$/m);
	expect(out).toMatch(/^lineage +fork of editor up to item /m);
	expect(out).toMatch(/^tasks completed +0$/m);
	expect(out).not.toMatch(/^\w*[A-Z]/m);
});

test("several agents that are all refused are not followed by an empty list", async () => {
	const { out, err } = await sh.brood("kill", "nobody", "no-one");
	expect([out, err.match(/AGENT_NOT_FOUND/g)?.length]).toEqual(["", 2]);
});

test("a folder of a repository is not a project, and the answer names the repository that could be one", async () => {
	const repository = freshRepository();
	const folder = path.join(repository, "some", "folder");
	mkdirSync(folder, { recursive: true });
	const add = async (place: string) => (await sh.json("project", "add", place, "--name", "whole")).error;
	const refusal = { code: "VALIDATION_ERROR", details: { path: folder, root: repository } };
	const sentence = `${folder} cannot be a project: it is a folder of the repository ${repository}`;
	const suggested = `brood project add ${repository}`;
	expect(await add(folder)).toMatchObject({ ...refusal, message: `${sentence}.`, suggestions: [suggested] });
	expect((await add(path.join(repository, ".git", "objects"))).suggestions).toEqual([suggested]);
	expect((await add(freshFolder())).message).toContain("git init makes one");
	expect((await sh.brood(...suggested.split(" ").slice(1), "--name", "whole")).code).toBe(0);
	expect((await sh.json("project", "add", folder, "--name", "part")).error).toMatchObject({
		...refusal,
		message: `${sentence}, which is the project whole already.`,
		suggestions: ["brood project show whole"],
	});
});

test("agents are listed by type and model, also those that are free", async () => {
	await sh.brood("agent", "add", "coder", "--no-project", "--type", "scripted", "--model", "large");
	const names = async (...args: string[]): Promise<string[]> =>
		(await sh.json("agent", "list", ...args)).data.map(({ handle }: { handle: string }) => handle);
	expect(await names("--type", "scripted", "--model", "large")).toEqual(["coder"]);
	expect(await names("--available", "--model", "large")).toEqual(["coder"]);
	expect(await names("--available", "--type", "llm")).toEqual([]);
	await sh.brood("pause", "coder", "--reason", "a look first");
	const { out } = await sh.brood("agent", "list", "--available", "--model", "large");
	expect(out).toMatch(/^no agent is free\n.*\ncoder +- +paused +held \(user: a look first\) +-/);
	expect((await sh.brood("agent", "list", "--available", "--type", "llm")).out).toBe("no agents\n");
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
	// as from an agent of another home, whose processes are found by this variable
	await using other = shell(freshFolder(), freshFolder(), { [homeIdName]: "another" });
	await other.brood("agent", "add", "busy", "--no-project", "--type", "scripted", "--prompt", "sleep 60000");
	await expect.poll(async () => (await other.json("status")).data.turns, { timeout: 20_000 }).toBe(1);
	const { data: before } = await other.json("status");
	expect(readFileSync(`/proc/${before.pid}/environ`, "utf8")).not.toContain(homeIdName);
	const { code, err, out } = await other.brood("restart");
	expect([code, err]).toEqual([0, expect.stringMatching(/^Waiting up to 10 s for the turn of busy; /)]);
	expect(out).toMatch(/2 agents alive, 0 turns running/);
	const { data: after } = await other.json("status");
	expect(after.pid).not.toBe(before.pid);
	writeFileSync(path.join(other.home, "config.yaml"), "prot: 1\n");
	const broken = await other.json("restart");
	expect([broken.code, broken.error]).toEqual([
		1,
		expect.objectContaining({
			code: "VALIDATION_ERROR",
			message: expect.stringMatching(/config\.yaml:1:1: .*prot.*\nThe daemon was not stopped\.$/),
		}),
	]);
	expect((await other.json("status")).data.pid).toBe(after.pid);
	// the same file does not keep it from stopping
	expect((await other.brood("down", "--now")).code).toBe(0);
});

test("a wait says at once which approval blocks it", async () => {
	await sh.brood("agent", "add", "asker", "--no-project", "--type", "scripted", "--prompt", "ask May I?");
	await expect.poll(async () => (await sh.json("approval", "list")).data.length, { timeout: 20_000 }).toBe(1);
	const [{ id }] = (await sh.json("approval", "list")).data;
	const late = await sh.brood("wait", "asker", "--timeout", "1");
	expect([late.code, late.err]).toEqual([
		124,
		expect.stringMatching(
			new RegExp(`^asker asks for approval: .*May I.*\n  try: brood approval show ${id}\nTIMEOUT: `),
		),
	]);
	expect((await sh.brood("wait", "ann", "--timeout", "0.01")).err).not.toContain("asks for approval");
	await sh.brood("approval", "allow", String(id));
	expect((await sh.brood("wait", "asker")).out).toContain("idle");
});
