// N9: an errand is carried out at most once and always answered, while the nodes that ask and do errands end without a
// word, come back, and all their connections to the database are cut.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect, test } from "vitest";
import { openPostgres } from "#adapters/store/postgres/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { NodeId, type NodeState } from "#contract/node.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import type { Engine } from "#engine/engine.ts";
import { Errands } from "#engine/errands.ts";
import { noLog } from "#engine/ports/log.ts";
import { startEngine } from "#src/main.ts";
import { done } from "#test/support/say.ts";
import { freshDatabase } from "#test/support/stores.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const rounds = torture ? 300 : 4;
const asked = 5;
const doer = NodeId.parse("doer");
const asNode = (node: NodeId) => ({
	...{ node, name: node, startId: randomUUID(), types: [], version: "1", schema: 1 },
});
const bySystem = { as: system, key: null };

/** How often each errand was carried out, by its key. */
type Runs = Map<string, number>;

/** A daemon, as far as errands are concerned. */
class Life implements AsyncDisposable {
	readonly errands: Errands;
	readonly #store: Awaited<ReturnType<typeof openPostgres>>;
	readonly #following: AsyncDisposable | null;
	#dead = false;

	static async start(
		url: string,
		node: { node: NodeId; epoch: number } | null,
		runs?: Runs,
		isSilent = () => false,
	): Promise<Life> {
		return new Life(await openPostgres({ url, run: batchRunner(limits) }), node, runs, isSilent);
	}

	private constructor(
		store: Awaited<ReturnType<typeof openPostgres>>,
		node: Life["node"],
		runs: Runs | undefined,
		isSilent: () => boolean,
	) {
		this.#store = store;
		this.node = node;
		this.errands = new Errands({ store, node, clock: systemClock, ids: randomIds, log: noLog, isSilent });
		this.#following = store.notifications?.follow(() => {}) ?? null;
		if (runs === undefined) return;
		this.errands.serve(async (request) => {
			const { body } = JSON.parse(request);
			// what a dead process was asked never returns
			if (this.#dead) await new Promise(() => {});
			runs.set(body, (runs.get(body) ?? 0) + 1);
			await new Promise((resume) => setImmediate(resume));
			if (this.#dead) await new Promise(() => {});
			return JSON.stringify({ status: 200, body });
		});
	}
	readonly node: { node: NodeId; epoch: number } | null;

	/** Without a word: nothing that it has begun is ended or said. */
	async kill(): Promise<void> {
		this.#dead = true;
		await this.#following?.[Symbol.asyncDispose]();
		await this.#store[Symbol.asyncDispose]();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.errands[Symbol.asyncDispose]();
		await this.kill();
	}
}

async function present(engine: Engine): Promise<NodeState> {
	const row = await engine.reads.node(doer);
	if (row === undefined) throw new Error("the node has not joined");
	return row;
}

const requestOf = (body: string): string => JSON.stringify({ body });

/** As if the network broke: every connection of the nodes, in the middle of whatever they do. */
const cut = async (admin: pg.Client): Promise<unknown> =>
	await admin.query(
		"select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
	);

test(`${rounds * asked} errands, with nodes that die, come back and are cut off`, {
	timeout: torture ? 3_600_000 : 120_000,
}, async () => {
	const url = await freshDatabase();
	await using engine = await startEngine({ url }, {}, { node: asNode(NodeId.parse("watcher")) });
	const admin = new pg.Client(url);
	await admin.connect();
	const runs: Runs = new Map();
	await using asks = await Life.start(url, null);
	const counted = { answered: 0, refused: 0 };
	for (let round = 0; round < rounds; round++) {
		await done(engine, { type: "node.join", ...asNode(doer), turnsMax: 1 }, bySystem);
		const node = await present(engine);
		const does = await Life.start(url, { node: doer, epoch: node.epoch }, runs);
		const names = Array.from({ length: asked }, (_, at) => `${round}-${at}`);
		const waiting = names.map((name) => asks.errands.ask(node, requestOf(name)));
		// a node that asks and dies waits for nothing any more; what it asked is still done at most once
		const dying = await Life.start(url, null);
		const gone = new AbortController();
		const lost = dying.errands.ask(node, requestOf(`${round}-lost`), gone.signal).catch(() => null);
		const fault = round % 4;
		if (fault === 1) await cut(admin);
		if (fault === 2) await Promise.all([cut(admin), cut(admin)]);
		if (fault === 3) await does.kill();
		gone.abort();
		await dying.kill();
		await lost;
		// its place is taken: by its next life, or by whoever watched
		if (fault === 3 && round % 8 === 3)
			await done(engine, { type: "node.join", ...asNode(doer), turnsMax: 1 }, bySystem);
		else if (fault === 3) await done(engine, { type: "node.fall", node: doer, epoch: node.epoch, beats: 0 }, bySystem);
		for (const [at, heard] of (await Promise.all(waiting)).entries()) check(names[at] ?? "", heard, runs, counted);
		if (fault !== 3) await does[Symbol.asyncDispose]();
	}
	expect(counted.answered + counted.refused).toBe(rounds * asked);
	expect(counted.answered).toBeGreaterThan(asked);
	expect([...runs].filter(([, times]) => times > 1)).toEqual([]);
	await admin.end();
});

function check(
	name: string,
	heard: { answer: string } | Refusal,
	runs: Runs,
	counted: { answered: number; refused: number },
): void {
	const answer = isRefusal(heard) ? null : JSON.parse(heard.answer);
	const refusal = isRefusal(heard) ? heard : answer.status === 200 ? null : JSON.parse(answer.body).error;
	if (refusal !== null) expect(refusal.code).toBe("NODE_DOWN");
	else expect([answer, runs.get(name)]).toEqual([{ status: 200, body: name }, 1]);
	counted[refusal === null ? "answered" : "refused"]++;
}

test("a silent node, which may believe itself alone, keeps nobody waiting; what it had not taken is never done", async () => {
	const url = await freshDatabase();
	await using engine = await startEngine({ url }, {}, { node: asNode(NodeId.parse("watcher")) });
	await done(engine, { type: "node.join", ...asNode(doer), turnsMax: 1 }, bySystem);
	const node = await present(engine);
	const [runs, isSilent]: [Runs, { now: boolean }] = [new Map(), { now: false }];
	await using asks = await Life.start(url, null, undefined, () => isSilent.now);
	const life = { node: doer, epoch: node.epoch };
	// it takes the first one, and dies with it
	const took = Promise.withResolvers<void>();
	const dies = await Life.start(url, life);
	dies.errands.serve(async () => {
		took.resolve();
		return await new Promise(() => {});
	});
	const taken = asks.errands.ask(node, requestOf("taken"));
	await took.promise;
	await dies.kill();
	const waits = asks.errands.ask(node, requestOf("not taken"));
	// control: as long as it is not silent, it may still answer
	expect(await Promise.race([waits, new Promise((resume) => setImmediate(resume, "waits"))])).toBe("waits");
	isSilent.now = true;
	expect([await taken, await waits]).toMatchObject([
		{ code: "NODE_DOWN", message: expect.stringContaining("may have been carried out") },
		{ code: "NODE_DOWN", message: expect.stringContaining("Nothing was done") },
	]);
	// the same life comes back: it knows nothing of what it had begun, and finds only that
	await using back = await Life.start(url, life, runs);
	isSilent.now = false;
	expect(await asks.errands.ask(node, requestOf("next"))).toMatchObject({ answer: expect.stringContaining("next") });
	await expect.poll(() => [...runs.keys()].sort()).toEqual(["next", "taken"]);
	expect(back.node).toEqual(life);
});

test("control: a daemon that does not remember what it has begun carries it out twice", async () => {
	const url = await freshDatabase();
	await using engine = await startEngine({ url }, {}, { node: asNode(NodeId.parse("watcher")) });
	await done(engine, { type: "node.join", ...asNode(doer), turnsMax: 1 }, bySystem);
	const node = await present(engine);
	const [runs, both] = [new Map<string, number>(), Promise.withResolvers<void>()];
	const slow = async (request: string): Promise<string> => {
		const { body } = JSON.parse(request);
		runs.set(body, (runs.get(body) ?? 0) + 1);
		if ((runs.get(body) ?? 0) > 1) both.resolve();
		await both.promise;
		return JSON.stringify({ status: 200, body });
	};
	const life = { node: doer, epoch: node.epoch };
	await using one = await Life.start(url, life);
	await using other = await Life.start(url, life);
	one.errands.serve(slow);
	other.errands.serve(slow);
	await one.errands.ask(node, requestOf("twice"));
	expect(runs.get("twice")).toBe(2);
});
