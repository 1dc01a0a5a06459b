// Every documented setting, in every place where it is documented to work: it is in force there, and as usual again
// when it is taken out.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { Client } from "#client/client.ts";
import { HomeConfig, TlsConfig } from "#contract/config.ts";
import { limits } from "#contract/limits.ts";
import { NotifyConfig } from "#contract/notice.ts";
import { RepositoryConfig } from "#contract/project-config.ts";
import { RetentionConfig } from "#contract/retention.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshDatabase, freshFolder } from "#test/support/stores.ts";
import { tlsFile } from "#test/support/tls.ts";

interface Documented {
	key: string;
	home: boolean;
	project: boolean;
	repository: boolean;
	example: unknown;
}

const documented: Documented[] = readFileSync("docs/user/settings.md", "utf8")
	.split("\n")
	.flatMap((line) => {
		const [, key, home, project, repository, example] =
			/^\| `([\w.]+)` \| (yes|) ?\| (yes|) ?\| (yes|) ?\| `(.*?)` \|/.exec(line) ?? [];
		return key === undefined
			? []
			: [
					{
						key,
						home: home === "yes",
						project: project === "yes",
						repository: repository === "yes",
						example: parse(example ?? ""),
					},
				];
	});

/** The examples of all of these keys in one document. */
function fileWith(keys: readonly Documented[]): string {
	const all: Record<string, unknown> = {};
	for (const { key, example } of keys) {
		const [outer = "", inner] = key.split(".");
		all[outer] = inner === undefined ? example : { ...Object(all[outer]), [inner]: example };
	}
	return stringify(all);
}

test("the page has every key of every schema, and no other", () => {
	const schema: { properties: Record<string, { properties?: Record<string, unknown> }> } = JSON.parse(
		readFileSync("docs/project-config.schema.json", "utf8"),
	);
	const keysOf = (properties: Record<string, { properties?: Record<string, unknown> }>): string[] =>
		Object.entries(properties).flatMap(([name, { properties: inner }]) =>
			inner === undefined ? [name] : Object.keys(inner).map((each) => `${name}.${each}`),
		);
	const inHome = Object.keys(HomeConfig.shape).flatMap((name) => {
		if (name === "limits") return Object.keys(limits).map((each) => `limits.${each}`);
		if (name === "retention") return Object.keys(RetentionConfig.shape).map((each) => `retention.${each}`);
		if (name === "log") return ["log.level"];
		if (name === "notify") return Object.keys(NotifyConfig.shape).map((each) => `notify.${each}`);
		if (name === "agentZero") return ["agentZero.type"];
		if (name === "node") return ["node.name"];
		if (name === "tls") return Object.keys(TlsConfig.shape).map((each) => `tls.${each}`);
		return name === "issues" ? keysOf({ issues: schema.properties["issues"] ?? {} }) : [name];
	});
	const at = (place: "home" | "project" | "repository"): string[] =>
		documented
			.filter((each) => each[place])
			.map(({ key }) => key)
			.sort();
	expect(at("home")).toEqual(inHome.sort());
	expect(at("project")).toEqual(keysOf(schema.properties).sort());
	expect(at("repository")).toEqual(Object.keys(RepositoryConfig.shape).sort());
	expect(documented.length).toBeGreaterThan(35);
});

describe("in a project", () => {
	const home = freshFolder();
	const repository = freshRepository();
	const own = path.join(home, "projects", "web", "config.yaml");
	let daemon: Daemon;
	beforeAll(async () => {
		daemon = await startDaemon({ home });
		await api("POST", "projects", { slug: "web", path: repository });
	}, 30_000);
	afterAll(async () => await daemon[Symbol.asyncDispose]());

	/** whatever JSON.parse gives */
	type Parsed = ReturnType<typeof JSON.parse>;
	async function api(method: string, place: string, body?: object): Promise<Parsed> {
		const headers = { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" };
		return await (
			await fetch(`${daemon.url}/api/${place}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
		).json();
	}
	/** what is in force of each key, or the refusal */
	async function inForce(keys: readonly Documented[]): Promise<Parsed> {
		const [{ data, error }, presets] = [
			await api("GET", "projects/web/settings"),
			await api("GET", "projects/web/presets"),
		];
		if (error !== undefined) return error;
		const values = keys.map(({ key }) => {
			const [outer = "", inner] = key.split(".");
			if (outer === "presets") return [key, presets.data.some(({ name }: Parsed) => name === "quick")];
			return [key, inner === undefined ? data.settings[outer] : data[outer][inner]];
		});
		return Object.fromEntries(values);
	}
	const examples = (keys: readonly Documented[]): object =>
		Object.fromEntries(keys.map(({ key, example }) => [key, key === "presets" ? true : example]));
	const worksNow = async (): Promise<void> =>
		expect(await api("POST", "projects/web/issues", { title: "Words" })).toMatchObject({ data: { title: "Words" } });

	test("every key works in the project's config.yaml, and is as usual without it", async () => {
		const keys = documented.filter(({ project }) => project);
		const before = await inForce(keys);
		writeFileSync(own, fileWith(keys));
		expect(await inForce(keys)).toEqual(examples(keys));
		await worksNow();
		rmSync(own);
		expect(await inForce(keys)).toEqual(before);
		// each example differs from what is usual, but for the branch that there is
		expect(
			Object.keys(before).filter(
				(key) => JSON.stringify(before[key]) === JSON.stringify(Reflect.get(examples(keys), key)),
			),
		).toEqual(["base"]);
		// the control: what is not known is refused with its place
		writeFileSync(own, "bass: main\n");
		expect(await inForce(keys)).toMatchObject({
			code: "VALIDATION_ERROR",
			message: expect.stringMatching(/config\.yaml:1:\d+: .*bass/),
		});
		rmSync(own);
	});

	test("every key of issues works in the home's config.yaml, below the project's, and is as usual without it", async () => {
		const shared = path.join(home, "config.yaml");
		const keys = documented.filter(({ home: inHome, key }) => inHome && /^(issues|presets)/.test(key));
		const before = await inForce(keys);
		writeFileSync(shared, fileWith(keys));
		expect(await inForce(keys)).toEqual(examples(keys));
		await worksNow();
		writeFileSync(own, "issues: { agentsMax: 9 }\n");
		expect(await inForce(keys)).toEqual({ ...examples(keys), "issues.agentsMax": 9 });
		rmSync(shared);
		rmSync(own);
		expect(await inForce(keys)).toEqual(before);
		expect(keys.length).toBeGreaterThan(4);
	});

	test("every key works in .brood.yaml, what would run once it is approved, and is as usual without it", async () => {
		const git = (...args: string[]): void =>
			void execFileSync("git", ["-c", "user.name=p", "-c", "user.email=p@localhost", ...args], {
				cwd: repository,
				stdio: "ignore",
			});
		const keys = documented.filter((each) => each.repository);
		const runs = keys.filter(({ key }) => ["setup", "check", "teardown", "env", "presets"].includes(key));
		const before = await inForce(keys);
		writeFileSync(path.join(repository, ".brood.yaml"), fileWith(keys));
		git("add", ".brood.yaml");
		git("commit", "--quiet", "--message=say it");
		const notYet = Object.fromEntries(runs.map(({ key }) => [key, before[key]]));
		// a preset that nobody approved is there, as one that is broken
		expect(await inForce(keys)).toEqual({ ...examples(keys), ...notYet, presets: true });
		const { data } = await api("GET", "projects/web/settings");
		expect(data.unapprovedConfig).toMatchObject({ presets: ["quick"] });
		await api("POST", "projects/web/approve-config", { fingerprint: data.fingerprint });
		expect(await inForce(keys)).toEqual(examples(keys));
		await worksNow();
		git("rm", "--quiet", ".brood.yaml");
		git("commit", "--quiet", "--message=take it back");
		expect(await inForce(keys)).toEqual(before);
		expect(keys.length).toBeGreaterThan(8);
	});

	test("what a command set stays until it is set to default; a file ranks above it, also after a restart", async () => {
		const now = async (): Promise<unknown> => {
			const { agentsMax, context, onLimit } = (await api("GET", "projects?check=true")).data[0];
			return { agentsMax, context, onLimit };
		};
		const usual = { agentsMax: 3, context: "clear", onLimit: "fallback" };
		expect(await now()).toEqual(usual);
		await api("POST", "projects/web/configure", { agentsMax: 5, onLimit: "stop" });
		writeFileSync(own, "issues:\n  agentsMax: 7\n  context: keep\n");
		expect(await now()).toEqual({ agentsMax: 7, context: "keep", onLimit: "stop" });
		expect((await api("POST", "projects/web/configure", { agentsMax: 2 })).error).toMatchObject({
			code: "CONFLICT",
			message: expect.stringContaining("issues.agentsMax to 7"),
		});
		await daemon[Symbol.asyncDispose]();
		rmSync(own);
		daemon = await startDaemon({ home });
		expect(await now()).toEqual({ agentsMax: 5, context: "clear", onLimit: "stop" });
		await api("POST", "projects/web/configure", { agentsMax: null, onLimit: null });
		expect(await now()).toEqual(usual);
	});
});

test("every key works in the home's config.yaml: the daemon starts with each of them and does what it says", {
	timeout: 60_000,
}, async () => {
	const keys = documented.filter((each) => each.home && !/^(issues|presets)/.test(each.key));
	const home = freshFolder();
	const database = await freshDatabase();
	const here: Record<string, unknown> = {
		port: 0,
		database,
		"tls.cert": tlsFile("cert"),
		"tls.key": tlsFile("key"),
	};
	writeFileSync(
		path.join(home, "config.yaml"),
		fileWith(keys.map((each) => ({ ...each, example: Object.hasOwn(here, each.key) ? here[each.key] : each.example }))),
	);
	await using daemon = await startDaemon({ home });
	const status = await new Client(daemon).call("status");
	expect(status.store).toBe("postgres");
	expect(status.remoteUrl).toMatch(/^https:\/\/localhost:\d+$/);
	expect((await daemon.engine.reads.agent(daemon.engine.agentZero.id))?.type).toBe("human");
	expect(daemon.containment).toBe("groups");
	daemon.engine.log.debug("test", "written because the level is debug");
	expect(readFileSync(path.join(home, "daemon.log"), "utf8")).toContain("written because the level is debug");
	expect(keys.length).toBeGreaterThan(20);
});

test.each([
	[
		"an unknown key",
		"limits:\n  queueLenghtMax: 5\n",
		/config\.yaml:2:\d+: limits: Unrecognized key: "queueLenghtMax"/,
	],
	["a value that is none", "port: many\n", /config\.yaml:1:7: port: /],
	["a document that is none", "a: [1\nb: }\n", /config\.yaml:\d+:\d+: /],
	[
		"references without end",
		`a: &a [x]\nb: &b [${"*a,".repeat(200)}*a]\nc: [${"*b,".repeat(200)}*b]\n`,
		/config\.yaml: Excessive alias count/,
	],
	["a listener without TLS", "port: 0\nlisten: 127.0.0.1:0\n", /config\.yaml:2:9: listen: needs `tls`/],
	["a database that is none", "database: mysql://localhost/brood\n", /it has to be a URL that begins with postgres/],
])("the home's config.yaml with %s is told in one sentence", async (_, text, words) => {
	const home = freshFolder();
	writeFileSync(path.join(home, "config.yaml"), text);
	await expect(startDaemon({ home })).rejects.toThrow(words);
});
