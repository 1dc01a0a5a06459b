// The event stream: what is asked for comes, from the journal and live, and nothing else; and the command line on top
// of it.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { Mirror } from "#client/mirror.ts";
import type { StreamMessage } from "#contract/stream.ts";
import type { Agent } from "#contract/wire.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { shell } from "#test/support/cli.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

let daemon: Daemon;
let client: Client;
const home = freshFolder();
const agents: Agent[] = [];

beforeAll(async () => {
	daemon = await startDaemon({ home });
	client = new Client({ url: daemon.url, token: daemon.token });
	for (const slug of ["web", "api"]) {
		await client.call("projectAdd", { body: { slug, path: freshRepository() } });
		agents.push(
			await client.call("agentAddTo", {
				params: { project: slug },
				body: { name: `${slug}-1`, type: "scripted", workspace: "none" },
			}),
		);
	}
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const told = async ({ id }: Agent, text: string) =>
	await client.call("prompt", { params: { agent: id }, body: { text } });

/** Everything of a stream up to the message with which it says that it has the event. */
async function read(query: Parameters<Client["stream"]>[0], enough: () => Promise<number>): Promise<StreamMessage[]> {
	const stop = new AbortController();
	const seen: StreamMessage[] = [];
	const last = await enough();
	for await (const message of client.stream(query, stop.signal)) {
		seen.push(message);
		if (("upTo" in message && message.upTo >= last) || ("event" in message && message.event.id >= last)) break;
	}
	stop.abort();
	return seen;
}

const ended = async (agent: Agent, text: string): Promise<void> => {
	await told(agent, text);
	await expect
		.poll(async () => (await client.call("turns", { params: { agent: agent.id } })).at(-1)?.state, { timeout: 20_000 })
		.toBe("completed");
};

test("a reader gets its agent, its project, its kinds or its threads, from the journal and as it happens", async () => {
	const [web, api] = agents;
	if (web === undefined || api === undefined) return expect.unreachable();
	await ended(web, "say one");
	await ended(api, "say two");
	await client.call("issueAdd", { params: { project: "api" }, body: { title: "of api" } });
	const live = { from: await daemon.engine.reads.lastEvent() };
	const filters = [
		{ agent: web.id },
		{ project: "api" },
		{ kind: "turn.ended,issue" },
		{ threads: web.id },
		{ threads: "" },
		{ agent: api.id, kind: "assistant" },
	];
	const streams = filters.map((filter) => {
		const seen: number[] = [];
		const stop = new AbortController();
		const done = Promise.withResolvers<void>();
		const following = (async () => {
			for await (const message of client.stream({ ...filter, after: 0 }, stop.signal)) {
				if ("event" in message) seen.push(message.event.id);
				if ("upTo" in message && message.upTo >= live.from) done.resolve();
			}
		})().catch(() => {});
		return { seen, stop, caughtUp: done.promise, following };
	});
	await Promise.all(streams.map(({ caughtUp }) => caughtUp));
	await ended(web, "say three");
	await ended(api, "say four");
	await client.call("issueAdd", { params: { project: "web" }, body: { title: "of web" } });
	const last = await daemon.engine.reads.lastEvent();
	const journal = await daemon.engine.reads.events({ after: 0, limit: 10_000 });
	const isItem = ({ kind }: { kind: string }): boolean => !kind.includes(".");
	const ofApi = new Set(
		journal
			.filter(({ kind, data }) => kind === "issue.added" && Reflect.get(Object(data), "project") === "api")
			.map(({ id }) => id),
	);
	const wanted: ((event: (typeof journal)[number]) => boolean)[] = [
		({ agent }) => agent === web.id,
		({ id, agent, data }) => agent === api.id || ofApi.has(id) || Reflect.get(Object(data), "slug") === "api",
		({ kind }) => kind === "turn.ended" || kind.startsWith("issue."),
		(event) => !isItem(event) || event.agent === web.id || event.kind === "final" || event.kind === "usage",
		(event) => !isItem(event) || event.kind === "final" || event.kind === "usage",
		({ agent, kind }) => agent === api.id && kind === "assistant",
	];
	for (const [place, { seen, stop, following }] of streams.entries()) {
		const expected = journal.filter((event) => wanted[place]?.(event) === true).map(({ id }) => id);
		await expect.poll(() => seen.length).toBe(expected.length);
		expect(seen).toEqual(expected);
		// both halves were there, and something was left out
		expect([
			expected.some((id) => id <= live.from),
			expected.some((id) => id > live.from),
			expected.length < last,
		]).toEqual([true, true, true]);
		stop.abort();
		await following;
	}
});

test("a reader of a project or an agent that is not there is refused", async () => {
	const refused = async (query: Parameters<Client["stream"]>[0]): Promise<unknown> =>
		await read(query, async () => 0).then(
			() => null,
			({ refusal }) => refusal.code,
		);
	expect(await refused({ after: 0, project: "nope" })).toBe("NOT_FOUND");
	expect(await refused({ after: 0, agent: "nobody" })).toBe("AGENT_NOT_FOUND");
	expect(await refused({ after: 0, project: "web" })).toBeNull();
});

test("a reader of few events is told how far it is, and goes on from there", async () => {
	const last = await daemon.engine.reads.lastEvent();
	const seen = await read({ after: 0, kind: "subscription" }, async () => last);
	expect(seen).toEqual([{ upTo: last }]);
	expect(await client.call("journal", { query: { kind: "subscription,turn.ended", limit: 2 } })).toMatchObject({
		events: [{ kind: "turn.ended" }, { kind: "turn.ended" }],
	});
});

test("deltas go to whoever asked for that agent", async () => {
	const [web, api] = agents;
	if (web === undefined || api === undefined) return expect.unreachable();
	const after = await daemon.engine.reads.lastEvent();
	const stop = new AbortController();
	const deltas: string[] = [];
	const live = Promise.withResolvers<void>();
	const following = (async () => {
		for await (const message of client.stream({ after, deltas: true, agent: api.id }, stop.signal)) {
			if ("upTo" in message) live.resolve();
			if ("delta" in message) deltas.push(`${message.delta.agent === api.id} ${message.delta.text}`);
		}
	})().catch(() => {});
	await live.promise;
	await ended(web, "say not for them");
	await ended(api, "say for them");
	await expect.poll(() => deltas.join("")).toContain("for them");
	expect(deltas.every((each) => each.startsWith("true "))).toBe(true);
	expect(deltas.join("")).not.toContain("not for them");
	stop.abort();
	await following;
});

test("the output of a running call comes as it is printed, to whoever shows its agent, also to one who comes later", async () => {
	const [web, api] = agents;
	if (web === undefined || api === undefined) return expect.unreachable();
	const [end, secondEnd] = ["end", "second-end"].map((name) => path.join(freshFolder(), name));
	if (end === undefined || secondEnd === undefined) return expect.unreachable();
	const until = (file: string): string => `until [ -e '${file}' ]; do sleep 0.05; done`;
	const after = await daemon.engine.reads.lastEvent();
	const stop = new AbortController();
	const heard = (query: Parameters<Client["stream"]>[0]): StreamMessage[] => {
		const messages: StreamMessage[] = [];
		void (async () => {
			for await (const message of client.stream(query, stop.signal)) messages.push(message);
		})().catch(() => {});
		return messages;
	};
	const pieces = (messages: readonly StreamMessage[]) =>
		messages.flatMap((message) => {
			const piece = "delta" in message ? message.delta : "soFar" in message ? message.soFar : null;
			return piece?.kind === "tool_result" ? [[Object.keys(message)[0], piece.agent, piece.text]] : [];
		});
	const mirror = new Mirror(client, { now: () => 0 });
	mirror.follow([web.id]);
	void mirror.run(stop.signal).catch(() => {});
	const live = heard({ after, deltas: true, threads: web.id });
	const other = heard({ after, deltas: true, threads: api.id });
	await told(web, `run printf 'one\\n'; ${until(end)}\nrun ${until(secondEnd)}`);
	await expect.poll(() => pieces(live)).toEqual([["delta", web.id, "one\n"]]);
	const late = heard({ after, deltas: true, threads: web.id });
	await expect.poll(() => pieces(late)).toEqual([["soFar", web.id, "one\n"]]);
	await expect.poll(() => mirror.messages(web.id).map(({ text }) => text)).toEqual(["one\n"]);
	// the turn goes on with another call
	writeFileSync(end, "");
	await expect.poll(() => mirror.messages(web.id)).toEqual([]);
	const hasResult = (messages: readonly StreamMessage[]): boolean =>
		messages.some((message) => "event" in message && message.event.kind === "tool_result");
	await expect.poll(() => hasResult(live)).toBe(true);
	const last = heard({ after: after + 1, deltas: true, threads: web.id });
	await expect.poll(() => hasResult(last)).toBe(true);
	writeFileSync(secondEnd, "");
	await expect
		.poll(async () => (await client.call("turns", { params: { agent: web.id } })).at(-1)?.state)
		.toBe("completed");
	expect([pieces(last), pieces(other)]).toEqual([[], []]);
	const results = (await client.call("items", { params: { agent: web.id } })).filter(({ text }) => text === "one\n");
	expect(
		results.map(({ kind }) => kind),
		"the journal has it once",
	).toEqual(["tool_result"]);
	stop.abort();
});

/** Lines of a command that does not end, until one has these words. */
async function linesUntil(
	args: readonly string[],
	words: string,
	meanwhile: () => Promise<unknown> = async () => {},
): Promise<string[]> {
	const child = spawn(path.resolve("bin/brood"), args, {
		env: { ...process.env, BROOD_HOME: home },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const lines: string[] = [];
	let asked = false;
	for await (const line of createInterface({ input: child.stdout })) {
		lines.push(line);
		if (!asked) {
			asked = true;
			await meanwhile();
		}
		if (line.includes(words)) break;
	}
	child.kill();
	return lines;
}

test("log --follow begins where it is asked to and shows what is being said; so do events", async () => {
	const [web] = agents;
	if (web === undefined) return expect.unreachable();
	await ended(web, "say zero");
	const items = await client.call("items", { params: { agent: web.id } });
	const third = items.at(-3);
	const later = async () => await ended(web, "say the end of it");
	const last = await linesUntil(
		["log", "web-1", "--project", "web", "--follow", "-n", "3", "--deltas"],
		"as above",
		later,
	);
	expect(last[0]).toContain(String(third?.id));
	expect(last.join("\n")).toMatch(/…\s+assistant\s+the end of it\n\s*\d+\s+\(assistant, as above\)/);
	const part = async (...words: string[]) =>
		(await shell(home).json("log", "web-1", "--project", "web", ...words)).data;
	const ids = (all: readonly { id: number }[]): number[] => all.map(({ id }) => id);
	const whole = await part();
	expect(ids(await part("-n", "2"))).toEqual(ids(whole).slice(-2));
	expect(ids(await part("--after", String(third?.id)))).toEqual(ids(whole).filter((id) => id > (third?.id ?? 0)));
	expect(ids(await part("--after", String(whole.at(-3)?.id), "-n", "5000"))).toEqual(ids(whole).slice(-2));
	expect([await part("-n", "5000", "--since", "1h"), await part("--since", "2999-01-01")]).toEqual([whole, []]);
	const after = await linesUntil(
		["log", "web-1", "--project", "web", "--follow", "--after", String(third?.id), "--json"],
		'"final"',
	);
	expect(JSON.parse(after[0] ?? "")).toMatchObject({ id: items.at(-2)?.id });
	const since = await linesUntil(
		["events", "--follow", "--project", "web", "--kind", "turn.ended", "--since", "1h", "--json"],
		"turn.ended",
	);
	expect(JSON.parse(since[0] ?? "")).toMatchObject({ kind: "turn.ended", agent: web.id });
});
