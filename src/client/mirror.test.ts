import { expect, test } from "vitest";
import { AgentId } from "#contract/ids.ts";
import { refuse } from "#contract/refusal.ts";
import type { AnswerOf } from "#contract/routes.ts";
import { Client, type Send } from "./client.ts";
import { Mirror } from "./mirror.ts";
import { DaemonNotAnswering } from "./stream-timeout.ts";

const agent = AgentId.parse("A".repeat(22));
const item = (id: number) => ({
	...{ id, agent, turn: null, kind: "assistant", text: `item ${id}`, data: null },
	...{ at: "2026-01-01T00:00:00.000Z", actor: "system", command: "x" },
});

/** A daemon with a journal of items; `said` is called while it answers for the items of a thread. */
class FakeDaemon {
	readonly #journal = [item(1)];
	#wake = Promise.withResolvers<void>();
	said = (): void => {};
	/** called while it answers for all rows */
	loaded = (): void => {};
	/** how often all rows were asked for */
	wholeLoads = 0;
	/** where each stream began */
	readonly streams: number[] = [];

	say(id: number): void {
		this.#journal.push(item(id));
		this.#wake.resolve();
		this.#wake = Promise.withResolvers();
	}

	readonly send: Send = async (address, { signal }) => {
		const url = new URL(address);
		const answer = (data: unknown) => ({ ok: true, text: async () => JSON.stringify({ data }), chunks: none() });
		if (url.pathname === "/api/rows" && url.searchParams.get("part") !== "true") {
			this.wholeLoads++;
			this.loaded();
			return answer(beginning);
		}
		if (url.pathname === "/api/rows") {
			const items = [...this.#journal];
			this.said();
			// whatever the stream has to say comes before the answer
			await new Promise((resume) => setImmediate(resume));
			return answer({ ...beginning, rows: { ...rows, items, last: items.length } });
		}
		const chunks = this.#stream(Number(url.searchParams.get("after")), url.searchParams.get("threads") ?? "", signal);
		return { ok: true, text: async () => "", chunks };
	};

	async *#stream(from: number, threads: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
		this.streams.push(from);
		const stopped = new Promise<void>((resume) => signal?.addEventListener("abort", () => resume()));
		for (let after = from; ; ) {
			const wake = this.#wake.promise;
			for (const each of this.#journal.filter(({ id }) => id > after)) {
				if (threads.includes(agent)) yield encoded(`id: ${each.id}\ndata: ${JSON.stringify(each)}\n\n`);
				after = each.id;
			}
			yield encoded(`event: upTo\ndata: ${after}\n\n`);
			await Promise.race([wake, stopped]);
			if (signal?.aborted === true) throw new Error("aborted");
		}
	}
}

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);
async function* none(): AsyncGenerator<never> {}
const rows = {
	...{
		last: 1,
		agents: [],
		projects: [],
		subscriptions: [],
		turnLeases: [],
		nodes: [],
		prompts: [],
		turns: [],
		approvals: [],
	},
	...{ waits: [], mails: [], issues: [], runs: [], items: [] },
};
const beginning: AnswerOf<"rows"> = {
	...{ journalId: "one", clocks: { now: 0, monotonic: 0, turnsMax: 1 }, rows },
	unjournaled: { phases: {}, projectProblems: {}, subscriptionProblems: {} },
};

test("a screen that changes while the first rows are loaded never has the journal sent from its beginning", async () => {
	const daemon = new FakeDaemon();
	const stop = new AbortController();
	const mirror = new Mirror(new Client({ url: "http://daemon", token: "" }, daemon.send), { now: () => 0 });
	daemon.loaded = () => {
		if (daemon.wholeLoads === 1) void mirror.show({ boards: [], threads: [agent] });
		// what is followed is in no row: these rows are taken
		else mirror.follow([agent]);
	};
	const running = mirror.run(stop.signal);
	await expect.poll(() => mirror.state).toBe("live");
	stop.abort();
	await running;
	expect([daemon.wholeLoads, daemon.streams]).toEqual([2, [1]]);
});

test("a thread that is opened has every item, also one that is said while its end is loaded, and loads no other rows", async () => {
	const daemon = new FakeDaemon();
	const stop = new AbortController();
	let wake = Promise.withResolvers<void>();
	const mirror = new Mirror(new Client({ url: "http://daemon", token: "" }, daemon.send), {
		now: () => 0,
		changed: () => {
			wake.resolve();
			wake = Promise.withResolvers();
		},
	});
	const until = async (holds: () => boolean): Promise<void> => {
		while (!holds()) await Promise.race([wake.promise, new Promise((resume) => setImmediate(resume))]);
	};
	const running = mirror.run(stop.signal);
	await until(() => mirror.state === "live");
	daemon.said = () => daemon.say(2);
	await mirror.show({ boards: [], threads: [agent] });
	await until(() => mirror.at === 2);
	daemon.say(3);
	await until(() => mirror.at === 3);
	expect(mirror.thread(agent).map(({ id }) => id)).toEqual([1, 2, 3]);
	expect(daemon.wholeLoads).toBe(1);
	stop.abort();
	await running;
});

test("answers that are no JSON or not the rows of this version are told apart from silence", async () => {
	const text = async (): Promise<string> => answers.shift() ?? "";
	const answers = ["<html>", JSON.stringify({ data: { ...beginning, rows: { last: 1 } } })];
	const seen: [state: string, isUnreadable: boolean][] = [];
	const stop = new AbortController();
	const send: Send = async () => {
		if (answers.length === 0) throw new TypeError("fetch failed");
		return { ok: true, text, chunks: none() };
	};
	const mirror = new Mirror(new Client({ url: "http://127.0.0.1", headers: () => ({}) }, send), {
		now: () => 0,
		pause: async () => {
			if (seen.push([mirror.state, mirror.lost?.isUnreadable ?? false]) === 3) stop.abort();
		},
	});
	await mirror.run(stop.signal);
	expect(seen).toEqual([
		["lost", true],
		["lost", true],
		["lost", false],
	]);
});

test("a daemon that stood still is lost since its last sign of life, however often it is tried again", async () => {
	const seen: unknown[] = [];
	const stop = new AbortController();
	const failures = [new DaemonNotAnswering(), new TypeError("fetch failed")];
	const failing = new Client({ url: "http://x", token: "t" }, async () => {
		throw failures.shift() ?? expect.unreachable();
	});
	let now = 100_000;
	const mirror = new Mirror(failing, {
		now: () => (now += 1000),
		pause: async () => {
			seen.push(mirror.lost);
			if (failures.length === 0) stop.abort();
		},
	});
	await mirror.run(stop.signal);
	const lost = { since: 101_000 - 15_000, isUnreadable: false, refusal: null, problem: null };
	expect(seen).toEqual([lost, lost]);
});

test("a refusal that may pass is waited out with its reason, and any other one ends the mirror", async () => {
	const away = refuse("STORE_UNAVAILABLE", "The database does not answer.");
	const over = refuse("UNAUTHORIZED", "This needs a valid token.");
	const refusals = [away, over];
	const seen: unknown[] = [];
	const refusing = new Client({ url: "http://x", token: "t" }, async () => ({
		...{ ok: false, chunks: none() },
		text: async () => JSON.stringify({ error: refusals.shift() ?? expect.unreachable() }),
	}));
	const mirror = new Mirror(refusing, {
		now: () => 7,
		pause: async () => void seen.push([mirror.state, mirror.lost]),
		// nobody starts a daemon that answers
		beforeReconnect: async () => expect.unreachable(),
	});
	await expect(mirror.run(new AbortController().signal)).rejects.toMatchObject({ refusal: over });
	expect(seen).toEqual([["lost", { since: 7, isUnreadable: false, refusal: away, problem: null }]]);
});

test("a daemon that cannot be found or started is looked for again, less and less often, and it is said why", async () => {
	const stop = new AbortController();
	const failing = new Client({ url: "http://x", token: "t" }, async () => {
		throw new Error("nobody answers");
	});
	const reasons = ["it is frozen", "its config.yaml is wrong", null, "it is frozen"];
	const seen: unknown[] = [];
	const mirror = new Mirror(failing, {
		now: () => 0,
		pause: async (failed) => {
			seen.push([failed, mirror.lost?.problem]);
			if (reasons.length === 0) stop.abort();
		},
		beforeReconnect: async () => {
			const reason = reasons.shift() ?? null;
			if (reason !== null) throw new Error(reason);
		},
	});
	await mirror.run(stop.signal);
	expect(seen).toEqual([
		[0, null],
		[1, "it is frozen"],
		[2, "its config.yaml is wrong"],
		[0, null],
		[1, "it is frozen"],
	]);
});

test("whoever leaves while the daemon is looked for is not kept waiting, and hears of no failure", async () => {
	const over = new AbortController();
	const failing = new Client({ url: "http://x", token: "t" }, async () => {
		throw new Error("nobody answers");
	});
	const looking = Promise.withResolvers<AbortSignal>();
	const mirror = new Mirror(failing, {
		now: () => 0,
		pause: async () => {},
		beforeReconnect: async (signal) => {
			looking.resolve(signal);
			const given = Promise.withResolvers<void>();
			signal.addEventListener("abort", () => given.reject(new Error("given up")));
			await given.promise;
		},
	});
	const run = mirror.run(over.signal);
	expect((await looking.promise).aborted).toBe(false);
	over.abort();
	await run;
	expect(mirror.state).toBe("lost");
});
