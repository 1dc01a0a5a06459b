// N11: two daemons as processes write, the database's server is gone in the middle of it, and its standby takes over.
// Nothing that was acknowledged is missing there, if the standby is a synchronous one.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lossyProxy } from "#test/support/lossy-proxy.ts";
import { eventually, NodeProcess } from "#test/support/nodes.ts";
import { startPostgres, type TestPostgres } from "#test/support/postgres.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const promotions = torture ? 50 : 1;
const timeout = 120_000 + 30_000 * promotions;
const writersOfNode = 4;
const enough = 40;

async function query<R>(url: string, text: string): Promise<R[]> {
	const client = new pg.Client(url);
	await client.connect();
	try {
		return (await client.query(text)).rows;
	} finally {
		await client.end();
	}
}

/** Writers that queue one prompt after the other at this node, until they are told to stop; what was acknowledged. */
class Writers {
	readonly acknowledged: string[] = [];
	readonly #running: Promise<unknown>;
	#stopped = false;

	constructor(node: NodeProcess, agent: string) {
		const write = async (writer: number): Promise<void> => {
			for (let at = 0; !this.#stopped; at++) {
				const text = `${node.name} ${writer} ${at}`;
				const done = await node.client.ask("prompt", { params: { agent }, body: { text } }).catch(() => null);
				if (done !== null) this.acknowledged.push(text);
			}
		};
		this.#running = Promise.all(Array.from({ length: writersOfNode }, (_, writer) => write(writer)));
	}

	async stop(): Promise<void> {
		this.#stopped = true;
		await this.#running;
	}
}

interface Promotion {
	/** of what was acknowledged before the server was gone */
	acknowledged: number;
	missing: string[];
}

/** Of the same database at this server. */
const urlAt = (server: TestPostgres, url: string): string => server.url(new URL(url).pathname.slice(1));

describe("two daemons, whose database's server is gone", { timeout }, () => {
	let server: TestPostgres;
	const servers: TestPostgres[] = [];
	let url: string;
	let nodes: NodeProcess[] = [];
	let writers: Writers[] = [];

	beforeAll(async () => {
		server = await startPostgres();
		servers.push(server);
		url = await server.createDatabase();
		nodes = [await NodeProcess.on(url, "a"), await NodeProcess.on(url, "b")];
		for (const node of nodes) await node.start();
		const [first = expect.unreachable()] = nodes;
		const { handle } = await first.client.ask("agentAdd", { body: { name: "queue", type: "shell" } });
		await first.client.ask("pause", { params: { agent: handle }, body: {} });
		writers = nodes.map((node) => new Writers(node, handle));
	}, 60_000);
	afterAll(async () => {
		for (const node of nodes) node.signal("SIGKILL");
		await Promise.all(writers.map((each) => each.stop()));
		for (const node of nodes) await node[Symbol.asyncDispose]();
		for (const each of servers) await each[Symbol.asyncDispose]();
	});

	/** A standby follows, the server goes, and the standby takes its place. */
	async function promote({ synchronous }: { synchronous: boolean }): Promise<Promotion> {
		await using replication = await lossyProxy(server.url());
		const [primary, standby] = [server, await server.standby(replication.url, { synchronous })];
		servers.push(standby);
		await eventually("the standby follows", async () => {
			const rows = await query<{ sync_state: string }>(primary.url(), "select sync_state from pg_stat_replication");
			return rows[0]?.sync_state === (synchronous ? "sync" : "async");
		});
		await theyWrite();
		// what is not acknowledged by a synchronous standby is not acknowledged at all
		replication.cut("to the client");
		if (!synchronous) await theyWrite();
		await primary.crash();
		const before = writers.flatMap(({ acknowledged }) => acknowledged);
		await query(standby.url(), "select pg_promote()");
		const there = urlAt(standby, url);
		const texts = new Set((await query<{ text: string }>(there, "select text from event")).map(({ text }) => text));
		for (const { proxy } of nodes) proxy.turnTo(there);
		await primary[Symbol.asyncDispose]();
		server = standby;
		return { acknowledged: before.length, missing: before.filter((text) => !texts.has(text)) };
	}

	async function theyWrite(): Promise<void> {
		const before = writers.map(({ acknowledged }) => acknowledged.length + enough);
		await eventually("all write", () =>
			writers.every(({ acknowledged }, at) => acknowledged.length > (before[at] ?? 0)),
		);
	}

	test(`${promotions} promotions of a synchronous standby lose nothing that was acknowledged`, async () => {
		for (let round = 0; round < promotions; round++) {
			const { acknowledged, missing } = await promote({ synchronous: true });
			expect(acknowledged).toBeGreaterThan(enough);
			expect(missing).toEqual([]);
			// both go on at the new server
			await theyWrite();
			const active = await query<{ state: string }>(urlAt(server, url), "select state from node where active = 1");
			expect(active).toHaveLength(2);
		}
	});

	test("control: a standby that nobody waits for loses some", async () => {
		const { missing } = await promote({ synchronous: false });
		expect(missing.length).toBeGreaterThan(0);
	});
});
