// What agents get of a person's shell: keys after a yes, the documented variables, `env:` lists. And who is called when
// a person is needed. One daemon, started from a shell with secrets in it.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, shell } from "#test/support/cli.ts";
import { hasSandboxes } from "#test/support/processes.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const [key, token, cloud] = ["sk-ant-key-of-a-test-000", "gh-token-of-a-test-000", "cloud-secret-of-a-test-000"];
const repository = freshRepository();
let sh: Shell;
let here: Shell;
let agents: Server;
const called = path.join(freshFolder(), "called.jsonl");
const own = () => path.join(sh.home, "projects", "web", "config.yaml");

beforeAll(async () => {
	const home = freshFolder();
	const teller = path.join(freshFolder(), "tell.mjs");
	writeFileSync(
		teller,
		`#!${process.execPath}\nimport { appendFileSync, readFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(called)}, JSON.stringify({ args: process.argv.slice(2), env: process.env.BROOD_NOTICE_TEXT, title: process.env.BROOD_NOTICE_TITLE, ...JSON.parse(readFileSync(0, "utf8")) }) + "\\n");\n`,
	);
	chmodSync(teller, 0o700);
	mkdirSync(home, { recursive: true });
	writeFileSync(path.join(home, "config.yaml"), `notify:\n  command: [${teller}, "a b", "$(x)"]\n`);
	const socket = path.join(freshFolder(), "agent.sock");
	agents = createServer().listen(socket);
	sh = shell(home, home, {
		...{ ANTHROPIC_API_KEY: key, GH_TOKEN: token, CLOUD_SECRET_KEY: cloud, GOPATH: "/x/go", SSH_AUTH_SOCK: socket },
		...{ ANTHROPIC_BASE_URL: "http://127.0.0.1:9/", LD_LIBRARY_PATH: "/nowhere", CI: "true" },
	});
	await sh.brood("up");
	await sh.brood("project", "add", repository, "--name", "web");
	here = sh.within(repository);
}, 60_000);
afterAll(async () => {
	await sh[Symbol.asyncDispose]();
	agents.close();
});

/** The environment of an agent's process, as the process itself has it. */
async function seen(name: string, ...more: string[]): Promise<Record<string, string>> {
	const { data } = await here.json("agent", "add", name, "--type", "shell", ...more);
	const { out, err } = await here.brood("prompt", name, "env -0 > .env-of-agent", "--wait");
	const file = path.join(data.workspace.path, ".env-of-agent");
	if (!existsSync(file)) throw new Error(out + err);
	const text = readFileSync(file, "utf8");
	rmSync(file);
	return variablesIn(text);
}
const variablesIn = (text: string): Record<string, string> =>
	Object.fromEntries(text.split("\0").map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));

const filesBelow = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.join(entry.parentPath, entry.name));

test("an agent sees the documented variables and no key; --env gives it one, which is in one file and nowhere else", {
	timeout: 60_000,
}, async () => {
	const plain = await seen("plain");
	expect(plain).toMatchObject({ GOPATH: "/x/go", GH_TOKEN: token, HOME: sh.home });
	for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLOUD_SECRET_KEY", "LD_LIBRARY_PATH", "CI"])
		expect([name, plain[name]]).toEqual([name, undefined]);
	const keyed = await seen("keyed", "--env", "ANTHROPIC_API_KEY");
	expect(keyed).toMatchObject({ ANTHROPIC_API_KEY: key });
	expect(keyed["CLOUD_SECRET_KEY"]).toBeUndefined();
	const { data } = await sh.json("subscription", "show", "shell-key");
	const { envFile } = data.credential;
	expect(path.dirname(envFile)).toBe(path.join(sh.home, "credentials"));
	expect([statSync(envFile).mode & 0o777, statSync(path.dirname(envFile)).mode & 0o777]).toEqual([0o600, 0o700]);
	expect((await sh.json("agent", "status", "web/keyed")).data.subscription).toBe("shell-key");
	// the same again replaces the key, and the file of the old one is not used any more
	await sh.json("subscription", "configure", "shell-key", "--env", "CLOUD_SECRET_KEY");
	expect(
		(await here.brood("prompt", "keyed", 'test "$CLOUD_SECRET_KEY" && test -z "$ANTHROPIC_API_KEY"', "--wait")).code,
	).toBe(0);
	const texts = [
		await sh.brood("doctor"),
		await sh.brood("doctor", "--json"),
		await sh.brood("subscription", "list", "--json"),
		await sh.brood("events", "--json"),
		await sh.brood("agent", "status", "web/keyed", "--json"),
		await sh.brood("logs"),
	].map(({ out, err }) => out + err);
	expect(texts[0]).toMatch(/claude .*in this shell: ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL/);
	for (const secret of [key, cloud]) {
		for (const text of texts) expect(text).not.toContain(secret);
		const holding = filesBelow(sh.home).filter((file) => readFileSync(file).includes(secret));
		expect(holding.map((file) => path.relative(sh.home, path.dirname(file)))).toEqual(["credentials"]);
	}
	await sh.json("agent", "delete", "web/keyed", "--force");
	expect((await sh.json("subscription", "remove", "shell-key")).code).toBe(0);
	expect(filesBelow(path.join(sh.home, "credentials")).filter((file) => readFileSync(file).includes(cloud))).toEqual(
		[],
	);
});

test("a name that is not set, a value in place of a name and keys beside a file are refused before anything happens", async () => {
	const add = ["subscription", "add", "wrong", "--type", "claude", "--env"];
	expect((await sh.json(...add, "NOT_SET_HERE")).error.message).toContain("NOT_SET_HERE is not set in this shell");
	expect((await sh.json(...add, "A=b")).error.message).toContain("--env takes names");
	expect((await sh.json(...add, "GOPATH", "--config-dir", "/x")).code).toBe(2);
	expect((await sh.json("subscription", "list")).data).toEqual([]);
	// a subscription that is refused leaves no key behind
	await sh.json("subscription", "add", "there", "--type", "claude");
	const before = filesBelow(path.join(sh.home, "credentials"));
	const again = await sh.json("subscription", "add", "there", "--type", "claude", "--env", "ANTHROPIC_API_KEY");
	expect(again.error.code).toBe("CONFLICT");
	expect(filesBelow(path.join(sh.home, "credentials"))).toEqual(before);
	await sh.json("subscription", "remove", "there");
});

test("env: of the home, of the project and, once approved, of the repository reaches agents and commands", {
	timeout: 60_000,
}, async () => {
	const config = path.join(sh.home, "config.yaml");
	const before = readFileSync(config, "utf8");
	writeFileSync(config, `${before}env: [CLOUD_SECRET_KEY, FROM=home, ONLY=home, NOT_SET_HERE]\n`);
	writeFileSync(own(), "env: [FROM=project]\nsetup: env -0 > .env-of-setup\n");
	const git = (...args: string[]): void =>
		void execFileSync("git", ["-c", "user.name=p", "-c", "user.email=p@localhost", ...args], { cwd: repository });
	writeFileSync(path.join(repository, ".brood.yaml"), "env: [CI, FROM=repository, OF=repository]\n");
	git("add", ".brood.yaml");
	git("commit", "--quiet", "--message=variables");
	const unapproved = await seen("listed");
	expect(unapproved).toMatchObject({ CLOUD_SECRET_KEY: cloud, FROM: "project", ONLY: "home" });
	expect([unapproved["CI"], unapproved["OF"], unapproved["NOT_SET_HERE"]]).toEqual([undefined, undefined, undefined]);
	const { data } = await sh.json("project", "settings", "web");
	expect(data.settings.env).toEqual(["FROM=…"]);
	expect(data.unapprovedConfig.env).toEqual(["CI", "FROM=repository", "OF=repository"]);
	await sh.json("project", "approve-config", "web", data.fingerprint);
	const { data: agent } = await here.json("agent", "add", "approved", "--type", "shell");
	expect(variablesIn(readFileSync(path.join(agent.workspace.path, ".env-of-setup"), "utf8"))).toMatchObject({
		...{ CI: "true", FROM: "project", OF: "repository", ONLY: "home", CLOUD_SECRET_KEY: cloud },
	});
	expect(await seen("approved-2")).toMatchObject({ CI: "true", FROM: "project", OF: "repository", ONLY: "home" });
	// what loads code or names a credential is refused, whatever was approved, and only this project minds
	writeFileSync(path.join(repository, ".brood.yaml"), "env: [CI, LD_PRELOAD=/tmp/evil.so]\n");
	git("commit", "--quiet", "--all", "--message=evil");
	expect((await sh.json("project", "settings", "web")).error).toMatchObject({
		code: "VALIDATION_ERROR",
		message: expect.stringMatching(/\.brood\.yaml:1:\d+: env\.1: a repository may not name this variable/),
	});
	git("rm", "--quiet", ".brood.yaml");
	git("commit", "--quiet", "--message=none");
	rmSync(own());
	writeFileSync(config, before);
});

test.runIf(hasSandboxes)(
	"a sandbox has neither token nor ssh agent, unless a file of the home names them",
	{
		timeout: 60_000,
	},
	async () => {
		writeFileSync(own(), "sandbox: on\n");
		const inside = await seen("inside");
		expect(inside).toMatchObject({ GOPATH: "/x/go" });
		expect([inside["GH_TOKEN"], inside["SSH_AUTH_SOCK"], inside["CLOUD_SECRET_KEY"]]).toEqual([
			undefined,
			undefined,
			undefined,
		]);
		const talk = `${process.execPath} -e 'require("net").connect(process.env.SSH_AUTH_SOCK).on("connect", () => process.exit(0)).on("error", () => process.exit(3))'`;
		const socket = String((await seenSocket()) ?? "");
		expect((await here.brood("prompt", "inside", `SSH_AUTH_SOCK=${socket} ${talk}`, "--wait")).code).toBe(1);
		writeFileSync(own(), "sandbox: on\nenv: [GH_TOKEN, SSH_AUTH_SOCK]\n");
		expect(await seen("inside-2")).toMatchObject({ GH_TOKEN: token, SSH_AUTH_SOCK: socket });
		expect((await here.brood("prompt", "inside-2", talk, "--wait")).code).toBe(0);
		rmSync(own());

		async function seenSocket(): Promise<string | undefined> {
			const address = agents.address();
			return typeof address === "string" ? address : undefined;
		}
	},
);

test("agent add offers the repository, and refuses a type whose adapter or program is missing, each in its own words", async () => {
	const fresh = freshRepository();
	const nobody = await sh.within(fresh).json("agent", "add", "--type", "shell");
	expect(nobody.error).toMatchObject({
		code: "VALIDATION_ERROR",
		message: expect.stringContaining(`${fresh} is not a project yet`),
		suggestions: [`brood project add ${fresh}`, "brood agent add --no-project"],
	});
	expect((await sh.within(fresh).json("agent", "add", "--type", "shell", "--no-project")).data.project).toBeNull();
	expect((await sh.within(fresh).json("agent", "add", "--type", "shell", "--workspace", "none")).code).toBe(0);
	expect((await here.json("agent", "add", "--type", "claude")).error).toMatchObject({
		code: "PROGRAM_MISSING",
		message: "The adapter for Claude Code is not installed. Install it with: brood setup claude",
		suggestions: ["brood setup claude"],
	});
	const acp = (command: string) => here.json("agent", "add", "--type", "acp", "--program", command, "--no-wait");
	expect((await acp("no-such-program acp")).error.message).toContain("no-such-program is not on the daemon's PATH");
	for (const command of ["/no/such/program", "/etc/passwd"])
		expect((await acp(command)).error).toMatchObject({
			code: "PROGRAM_MISSING",
			message: `${command} is not a program: there is no such executable file.`,
		});
	expect((await acp("./in-the-workspace acp")).code).toBe(0);
	expect((await acp(`${process.execPath} acp`)).code).toBe(0);
});

test("the person's program is called with the facts, and no shell sees an agent's words", {
	timeout: 60_000,
}, async () => {
	const calls = (): { kind: string; text: string; agent: string }[] =>
		existsSync(called)
			? readFileSync(called, "utf8")
					.split("\n")
					.flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
			: [];
	const evil = "May I? $(touch /tmp/evil) `id` '; rm -rf ~";
	const about = (agent: string) => calls().filter((call) => call.agent === `web/${agent}`);
	await here.brood("agent", "add", "asker", "--type", "scripted", "--prompt", `ask ${evil}`);
	await expect.poll(() => about("asker").length, { timeout: 20_000 }).toBe(1);
	const { id } = (await sh.json("approval", "list", "--agent", "web/asker")).data[0];
	expect(about("asker")).toEqual([
		{
			...{ kind: "approval", title: "web/asker asks for approval", text: evil, env: evil, args: ["a b", "$(x)"] },
			...{ agent: "web/asker", issue: null, approval: id, project: "web", next: `brood approval show ${id}` },
		},
	]);
	await sh.brood("approval", "allow", String(id));
	await expect.poll(() => about("asker").map(({ kind }) => kind), { timeout: 20_000 }).toEqual(["approval", "done"]);
	await here.brood("agent", "add", "failing", "--type", "scripted", "--prompt", "fail on purpose");
	await expect
		.poll(() => about("failing").map(({ kind, text }) => [kind, text]), { timeout: 20_000 })
		.toEqual([["error", expect.stringContaining("on purpose")]]);
});
