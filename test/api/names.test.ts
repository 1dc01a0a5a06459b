// Names of agents and issues mean those of the directory's project first, and completion offers them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, shell } from "#test/support/cli.ts";
import { freshRepository } from "#test/support/repository.ts";

type Reply = Awaited<ReturnType<Shell["json"]>>["data"];

let sh: Shell;
let inWeb: Shell;
let inApi: Shell;
beforeAll(async () => {
	sh = shell();
	const [web, api] = [freshRepository(), freshRepository()];
	[inWeb, inApi] = [sh.within(web), sh.within(api)];
	await sh.brood("project", "add", web, "--name", "web");
	await sh.brood("project", "add", api, "--name", "api");
	for (const project of ["web", "api"]) {
		await sh.brood("agent", "add", "opus", "--project", project, "--type", "scripted", "--workspace", "none");
		await sh.brood("prompt", `${project}/opus`, `say from ${project}`, "--wait");
	}
	await sh.brood("agent", "add", "only", "--project", "api", "--type", "human", "--workspace", "none");
});
afterAll(async () => await sh[Symbol.asyncDispose]());

test("every command looks for an agent's name in the project of the directory", async () => {
	for (const [from, project] of [
		[inWeb, "web"],
		[inApi, "api"],
	] as const) {
		const { id } = (await sh.json("agent", "status", `${project}/opus`)).data;
		const commands: [words: string, agent: (data: Reply) => unknown][] = [
			["agent status opus", (data) => data.id],
			["pause opus", (data) => data.id],
			["resume opus", (data) => data.id],
			["prompt opus later --not-before 1h", (data) => data.agent],
			["queue list opus", ([prompt]) => prompt.agent],
			["queue clear opus", ([prompt]) => prompt.agent],
			["send opus hello", (data) => data.to],
			["mail check opus", ([mail]) => mail.to],
			["events --agent opus", ([event]) => event.agent],
			["turn show opus", (data) => data.turn.agent],
			["usage opus", (data) => data.agent],
		];
		const found = [];
		for (const [words, agent] of commands) found.push([words, agent((await from.json(...words.split(" "))).data)]);
		expect(found).toEqual(commands.map(([words]) => [words, id]));
		for (const words of ["log opus", "log opus --context"])
			expect((await from.json(...words.split(" "))).data[0].text).toBe(`say from ${project}`);
		const wait = await from.json("wait", "opus", "--for", "ended", "--timeout", "0.01");
		expect(wait.error.code).toBe("TIMEOUT");
	}
});

test("a name of another project is found from any directory, if there is only one", async () => {
	expect((await inWeb.json("agent", "status", "only")).data.project).toBe("api");
	expect((await inWeb.json("events", "--agent", "only", "--kind", "agent.spawned")).data).toHaveLength(1);
	const { code, err } = await sh.brood("agent", "status", "opus");
	expect([code, err]).toEqual([
		1,
		'AMBIGUOUS_REF: "opus" names 2 agents: web/opus, api/opus.\n  try: brood agent status web/opus\n  try: brood agent status api/opus\n',
	]);
});

test("a mistyped project is refused, also where its name is found in another one", async () => {
	const verbs = ["kill only", "pause only", "prompt only hello", "send only hello", "wait only", "log only"];
	const codes = [];
	for (const verb of verbs) codes.push((await sh.json(...verb.split(" "), "--project", "nope")).error?.code);
	expect(codes).toEqual(verbs.map(() => "NOT_FOUND"));
	expect((await sh.json("agent", "status", "only")).data).toMatchObject({ life: "live", holds: [], queueLength: 0 });
	// control: a project that is there only says where the name is looked for first
	expect((await sh.json("agent", "status", "only", "--project", "web")).data.project).toBe("api");
});

test("a fork of agent 0 goes into the project of the directory", async () => {
	const { data } = await inWeb.json("fork", "init", "--fresh", "--type", "human", "--name", "kid");
	expect(data).toMatchObject({ project: "web", handle: "kid" });
	expect((await sh.json("fork", "init", "--fresh", "--type", "human")).data.project).toBeNull();
});

test("completion offers the short names here first, whole names elsewhere, and the values of options", async () => {
	for (const title of ["one", "two"]) await sh.brood("issue", "add", title, "--project", "web");
	const offered = async (from: Shell, ...words: string[]): Promise<string[]> =>
		(await from.brood("complete", "--", ...words)).out.split("\n").filter(Boolean);
	expect((await offered(inWeb, "prompt", "")).slice(0, 2).sort()).toEqual(["kid", "opus"]);
	expect(await offered(inWeb, "log", "api/")).toEqual(["api/opus", "api/only"]);
	expect(await offered(inApi, "kill", "opus", "o")).toEqual(["only"]);
	expect(await offered(sh, "agent", "status", "web/o")).toEqual(["web/opus"]);
	expect(await offered(inWeb, "issue", "show", "")).toEqual(["1", "2"]);
	expect(await offered(sh, "task", "show", "web#")).toEqual(["web#1", "web#2"]);
	expect(await offered(inWeb, "issue", "move", "1", "")).toEqual(["IN_PROGRESS"]);
	expect(await offered(inWeb, "issue", "message", "1", "")).toEqual(["TODO", "IN_PROGRESS", "IN_REVIEW", "DONE"]);
	expect(await offered(inWeb, "issue", "list", "--stage", "SPEC")).toEqual(["SPEC", "SPEC_REVIEW"]);
	expect(await offered(inWeb, "diff", "")).toEqual(expect.arrayContaining(["opus", "1", "2"]));
	expect(await offered(sh, "diff", "web#")).toEqual(["web#1", "web#2"]);
	expect(await offered(sh, "agent", "status", "in")).toEqual(["init"]);
	expect(await offered(sh, "kill", "in")).toEqual([]);
	// where we know which names there may be and there is none, the shell offers no files
	const code = async (...words: string[]): Promise<number> => (await sh.brood("complete", "--", ...words)).code;
	expect([await code("approval", "allow", ""), await code("prompt", "opus", "--file", "")]).toEqual([0, 1]);
	expect(await offered(sh, "issue", "list", "--project", "")).toEqual(["api", "web"]);
	expect(await offered(sh, "wait", "--for", "i")).toEqual(["idle"]);
	expect(await offered(sh, "agent", "add", "--type", "cl")).toEqual(["claude"]);
	expect(await offered(sh, "completion", "")).toEqual(["bash", "zsh", "fish"]);
	expect(await offered(sh, "project", "show", "w")).toEqual(["web"]);
});
