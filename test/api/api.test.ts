// The HTTP API as a script would use it.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { human } from "#contract/ids.ts";
import { Agent, Found, Item, Mail, Prompt, Turn } from "#contract/wire.ts";
import { openApi } from "#server/openapi/document.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { version } from "#src/version.ts";
import { runProgram } from "#test/support/process.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

let home: string;
let daemon: Daemon;
beforeEach(async () => {
	home = freshFolder();
	daemon = await startDaemon({ home });
});
afterEach(async () => await daemon[Symbol.asyncDispose]());

async function api(method: string, where: string, body?: object, headers: Record<string, string> = {}) {
	const response = await fetch(`${daemon.url}/api/${where}`, {
		method,
		headers: { authorization: `Bearer ${daemon.token}`, ...headers },
		...(body && { body: JSON.stringify(body) }),
	});
	const { data, error } = JSON.parse(await response.text());
	return { status: response.status, data, error };
}

test("an agent's life over HTTP has the shapes that scripts rely on", async () => {
	await api("POST", "projects", { slug: "web", path: freshRepository() });
	const { data: made } = await api("POST", "projects/web/agents", { name: "opus-1", type: "scripted" });
	expect(Agent.parse(made)).toMatchObject({
		handle: "opus-1",
		project: "web",
		label: "idle",
		life: "live",
		queueLength: 0,
		createdBy: "human",
	});
	const { data: prompt } = await api("POST", "agents/opus-1/queue?project=web", { text: "say hello\nrun echo hi" });
	expect(Prompt.parse(prompt)).toMatchObject({ agent: made.id, text: "say hello\nrun echo hi" });
	await expect
		.poll(async () => (await api("GET", "agents/web%2Fopus-1/turns")).data[0]?.state, { timeout: 20_000 })
		.toBe("completed");
	const [turn] = (await api("GET", "agents/web%2Fopus-1/turns")).data.map((each: unknown) => Turn.parse(each));
	const items = (await api("GET", "agents/web%2Fopus-1/items")).data.map((each: unknown) => Item.parse(each));
	expect(items.at(-1)).toMatchObject({ id: turn.finalItem, kind: "final", turn: turn.id });
	const { data: child } = await api("POST", "agents/web%2Fopus-1/fork", { prompt: "say I am the child" });
	expect(Agent.parse(child)).toMatchObject({
		project: "web",
		lineage: { agent: made.id, forkPoint: turn.finalItem },
		supervisor: made.id,
	});
	expect(
		(await api("GET", `agents/${child.id}/context`)).data.slice(0, items.length).map((item: { id: number }) => item.id),
	).toEqual(items.map((item: { id: number }) => item.id));
	const { data: mail } = await api("POST", `agents/${child.id}/mail`, { body: "hello" });
	expect(Mail.parse(mail)).toMatchObject({ from: "human", to: child.id, body: "hello" });
	const { data: killed } = await api("POST", "agents/web%2Fopus-1/kill", { cascade: true });
	expect(killed).toMatchObject({ label: "dead", endReason: "killed", endedBy: "human" });
	expect((await api("GET", "agents")).data.map((agent: { label: string }) => agent.label)).toEqual([
		"idle",
		"dead",
		"dead",
	]);
	expect((await api("POST", `agents/${made.id}/kill`, {})).error).toMatchObject({
		code: "ALREADY_DEAD",
		suggestions: ["brood agent status web/opus-1"],
	});
});

test("what was said is found, everywhere or in one place", async () => {
	for (const name of ["one", "two"])
		await api("POST", "agents", { name, type: "scripted", prompt: `say the needle of ${name}` });
	await expect
		.poll(async () => (await api("GET", "search?text=needle")).data.found.length, { timeout: 20_000 })
		.toBe(6);
	const { data } = await api("GET", "search?text=Needle&agent=two&limit=2");
	expect(data.complete).toBe(true);
	expect(data.found.map((each: unknown) => Found.parse(each))).toMatchObject([
		{ handle: "two", project: null, kind: "final", snippet: "the needle of two" },
		{ handle: "two", project: null, kind: "assistant", snippet: "the needle of two" },
	]);
	expect((await api("GET", "search?text=needle&project=web")).error.code).toBe("NOT_FOUND");
	await api("POST", "projects", { slug: "web", path: freshRepository() });
	expect((await api("GET", "search?text=needle&project=web")).data.found).toEqual([]);
	expect((await api("GET", "search?text=%3F")).error.code).toBe("VALIDATION_ERROR");
});

test("a retry under the same key does nothing again; another request under it is a conflict", async () => {
	const headers = { "idempotency-key": randomUUID() };
	const first = await api("POST", "agents", { name: "once", type: "scripted" }, headers);
	expect((await api("POST", "agents", { name: "once", type: "scripted" }, headers)).data.id).toBe(first.data.id);
	expect(await api("POST", "agents", { name: "twice", type: "scripted" }, headers)).toMatchObject({
		status: 409,
		error: { code: "CONFLICT" },
	});
});

test("the document lists whole paths and says what each takes and gives", async () => {
	const response = await fetch(`${daemon.url}/api/openapi.json`, {
		headers: { authorization: `Bearer ${daemon.token}` },
	});
	const document = JSON.parse(await response.text());
	expect(document).toEqual(JSON.parse(JSON.stringify(openApi(version))));
	expect(document.openapi).toBe("3.1.0");
	expect(Object.keys(document.paths)).toContain("/api/projects/{project}/agents");
	expect(
		document.paths["/api/agents/{agent}/fork"].post.requestBody.content["application/json"].schema.properties,
	).toHaveProperty("at");
	expect(JSON.parse(readFileSync("package.json", "utf8")).version).toBe(version);
});

test("lists are whole unless a limit is given, and then say where the next page begins", async () => {
	for (let at = 0; at < 4; at++) await api("POST", "agents", { name: `p-${at}`, type: "scripted" });
	const page = async (query: string) =>
		JSON.parse(
			await (
				await fetch(`${daemon.url}/api/agents${query}`, { headers: { authorization: `Bearer ${daemon.token}` } })
			).text(),
		);
	expect((await page("")).data).toHaveLength(5);
	const first = await page("?limit=2");
	const second = await page(`?limit=2&after=${first.next}`);
	const third = await page(`?limit=2&after=${second.next}`);
	expect([...first.data, ...second.data, ...third.data]).toEqual((await page("")).data);
	expect([first.next, third.next]).toEqual([2, null]);
	expect((await page("?limit=0")).error.code).toBe("VALIDATION_ERROR");
});

describe("the event stream", () => {
	/** Reads events until it has `count`; answers with their ids. */
	async function events(after: number, count: number): Promise<number[]> {
		const stop = new AbortController();
		const response = await fetch(`${daemon.url}/api/events?after=${after}`, {
			headers: { authorization: `Bearer ${daemon.token}` },
			signal: stop.signal,
		});
		const ids: number[] = [];
		let text = "";
		const decoder = new TextDecoder();
		for await (const chunk of response.body ?? []) {
			text += decoder.decode(chunk, { stream: true });
			const parts = text.split("\n\n");
			text = parts.pop() ?? "";
			for (const part of parts) ids.push(...[...part.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)));
			if (ids.length >= count) break;
		}
		stop.abort();
		return ids;
	}

	test("gives the journal from where one left off, and what follows, across a restart, without a gap or a double", async () => {
		for (let at = 0; at < 5; at++) await api("POST", "agents", { name: `a-${at}`, type: "scripted" });
		const first = await events(0, 6);
		expect(first[0]).toBe(1);
		await daemon[Symbol.asyncDispose]();
		daemon = await startDaemon({ home });
		const following = events(first.at(-1) ?? 0, 8);
		for (let at = 5; at < 10; at++) await api("POST", "agents", { name: `a-${at}`, type: "scripted" });
		const second = await following;
		const all = (await daemon.engine.reads.events({ after: 0, limit: 1000 })).map((event) => event.id);
		expect([...first, ...second]).toEqual(all.slice(0, first.length + second.length));
		expect(second.length).toBeGreaterThanOrEqual(8);
	});

	test("cuts a reader that does not read, tells it where to resume, and nobody else notices", {
		timeout: 60_000,
	}, async () => {
		const url = new URL(daemon.url);
		const socket = connect(Number(url.port), url.hostname);
		socket.write(
			`GET /api/events?after=0 HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${daemon.token}\r\n\r\n`,
		);
		await once(socket, "readable");
		const agent = daemon.engine.agentZero.id;
		const text = "x".repeat(500_000);
		for (let at = 0; at < 60; at++)
			await daemon.engine.dispatch({
				actor: human,
				key: null,
				command: { type: "item.append", agent, kind: "user", text },
			});
		let tail = "";
		for await (const chunk of socket.setEncoding("utf8")) {
			tail = (tail + chunk).slice(-2000);
			if (/event: cut\ndata: .*\n\n/.test(tail)) break;
		}
		const [, after] = /event: cut\ndata: \{"after":(\d+)\}/.exec(tail) ?? [];
		const all = (await daemon.engine.reads.events({ after: 0, limit: 1000 })).map((event) => event.id);
		expect(all).toContain(Number(after));
		expect(await events(Number(after), 3)).toEqual(all.filter((id) => id > Number(after)).slice(0, 3));
	});

	test("takes the first of two equal parameters, as every other route", async () => {
		const [headers, last] = [{ authorization: `Bearer ${daemon.token}` }, await daemon.engine.reads.lastEvent()];
		const ask = (query: string) => fetch(`${daemon.url}/api/events?${query}`, { headers });
		const [first, second] = [await ask(`after=${last}&after=x`), await ask(`after=x&after=${last}`)];
		expect([first.status, second.status]).toEqual([200, 400]);
		await first.body?.cancel();
	});

	test("has a limit of readers, which the configuration may set, and one that leaves makes room", async () => {
		await daemon[Symbol.asyncDispose]();
		writeFileSync(path.join(home, "config.yaml"), "limits:\n  readersMax: 1\n");
		daemon = await startDaemon({ home });
		const open = () => fetch(`${daemon.url}/api/events`, { headers: { authorization: `Bearer ${daemon.token}` } });
		const first = await open();
		const second = await open();
		expect([second.status, JSON.parse(await second.text()).error.code]).toEqual([429, "READER_LIMIT"]);
		await first.body?.cancel();
		await expect
			.poll(async () => {
				const next = await open();
				await next.body?.cancel();
				return next.status;
			})
			.toBe(200);
	});

	test("goes to many readers at once, and all of them get everything", async () => {
		const last = await daemon.engine.reads.lastEvent();
		const readers = Array.from({ length: 20 }, () => events(last, 20));
		for (let at = 0; at < 10; at++) await api("POST", "agents", { name: `b-${at}`, type: "scripted" });
		const seen = await Promise.all(readers);
		for (const ids of seen) expect(ids.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, at) => last + 1 + at));
	});
});

describe("one home", () => {
	test("has one daemon: of eight that start at once one wins, and the others say who has it", async () => {
		const shared = freshFolder();
		for (let round = 0; round < 2; round++) {
			const go = Promise.withResolvers<string>();
			const up = Promise.withResolvers<void>();
			let [waiting, winners] = [8, 0];
			const starts = Array.from({ length: 8 }, () =>
				runProgram("daemon", [shared], {
					input: go.promise,
					watch(line) {
						if (line === "ready" && --waiting === 0) go.resolve("go\n");
						if (line.startsWith("up")) winners++;
						if (line.startsWith("held") && --losersLeft === 0) up.resolve();
					},
				}),
			);
			let losersLeft = 7;
			await up.promise;
			await expect.poll(() => winners, { timeout: 20_000 }).toBe(1);
			const { pid } = JSON.parse(readFileSync(path.join(shared, "daemon.json"), "utf8"));
			process.kill(pid, "SIGKILL");
			const ran = await Promise.all(starts);
			expect(ran.filter(({ signal }) => signal === "SIGKILL")).toHaveLength(1);
			expect(ran.flatMap(({ lines }) => lines.filter((line) => line.startsWith("held")))).toHaveLength(7);
		}
	}, 60_000);

	test("has a token that only its owner may read, also if somebody opened it up", async () => {
		const file = path.join(home, "token");
		expect(readFileSync(file, "utf8")).toBe(daemon.token);
		expect(statSync(file).mode & 0o777).toBe(0o600);
		await daemon[Symbol.asyncDispose]();
		expect(existsSync(path.join(home, "daemon.json"))).toBe(false);
		writeFileSync(file, daemon.token, { mode: 0o644 });
		daemon = await startDaemon({ home });
		expect(statSync(file).mode & 0o777).toBe(0o600);
	});
});
