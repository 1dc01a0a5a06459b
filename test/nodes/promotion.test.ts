// N11: two daemons as processes write, the database's server is gone in the middle of it, and its standby takes over.
// Nothing that was acknowledged is missing there, if the standby is a synchronous one.
import pg from "pg";
import { expect, test } from "vitest";
import { lossyProxy } from "#test/support/lossy-proxy.ts";
import { eventually, NodeProcess } from "#test/support/nodes.ts";
import { startPostgres, type TestPostgres } from "#test/support/postgres.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const promotions = torture ? 50 : 1;
const timeout = 120_000 * promotions;
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
	/** that wrote again after the promotion */
	wentOn: number;
}

async function promote({ synchronous }: { synchronous: boolean }): Promise<Promotion> {
	await using primary = await startPostgres();
	const url = await primary.createDatabase();
	await using replication = await lossyProxy(primary.url());
	await using standby = await primary.standby(replication.url, { synchronous });
	await eventually("the standby follows", async () => {
		const rows = await query<{ sync_state: string }>(primary.url(), "select sync_state from pg_stat_replication");
		return rows[0]?.sync_state === (synchronous ? "sync" : "async");
	});
	await using one = new NodeProcess("a", await lossyProxy(url));
	await using two = new NodeProcess("b", await lossyProxy(url));
	const nodes = [one, two];
	for (const node of nodes) await node.start();
	const { handle } = await one.client.ask("agentAdd", { body: { name: "queue", type: "shell" } });
	await one.client.ask("pause", { params: { agent: handle }, body: {} });
	const writers = nodes.map((node) => new Writers(node, handle));
	const count = (): number => writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
	await eventually("they write", () => count() > enough);
	// what is not acknowledged by a synchronous standby is not acknowledged at all
	replication.cut("to the client");
	if (!synchronous) await eventually("they go on", () => count() > 2 * enough);
	await primary.crash();
	const before = writers.flatMap(({ acknowledged }) => acknowledged);
	await query(standby.url(), "select pg_promote()");
	const there = standbyUrl(standby, url);
	const texts = new Set((await query<{ text: string }>(there, "select text from event")).map(({ text }) => text));
	const missing = before.filter((text) => !texts.has(text));
	const wentOn = synchronous ? await goesOn(nodes, writers, there) : 0;
	for (const node of synchronous ? [] : nodes) node.signal("SIGKILL");
	await Promise.all(writers.map((each) => each.stop()));
	return { acknowledged: before.length, missing, wentOn };
}

const standbyUrl = (standby: TestPostgres, url: string): string => standby.url(new URL(url).pathname.slice(1));

/** How many nodes write again, once their addresses lead to the new server. */
async function goesOn(nodes: readonly NodeProcess[], writers: readonly Writers[], url: string): Promise<number> {
	for (const { proxy } of nodes) proxy.turnTo(url);
	const before = writers.map(({ acknowledged }) => acknowledged.length);
	await eventually("all write again", () =>
		writers.every(({ acknowledged }, at) => acknowledged.length > (before[at] ?? 0)),
	);
	const states = await query<{ state: string }>(url, "select state from node where active = 1");
	return states.length;
}

test(`${promotions} promotions of a synchronous standby lose nothing that was acknowledged`, { timeout }, async () => {
	for (let round = 0; round < promotions; round++) {
		const { acknowledged, missing, wentOn } = await promote({ synchronous: true });
		expect(acknowledged).toBeGreaterThan(enough);
		expect([missing, wentOn]).toEqual([[], 2]);
	}
});

test.runIf(torture)("control: one that does not wait loses some", { timeout: 120_000 }, async () => {
	const { missing } = await promote({ synchronous: false });
	expect(missing.length).toBeGreaterThan(0);
});
