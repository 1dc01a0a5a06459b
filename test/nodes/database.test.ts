// A daemon on PostgreSQL: where its texts are, what it may do there, and which homes it takes.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { writerLock } from "#adapters/store/postgres/begin.ts";
import { openPostgres } from "#adapters/store/postgres/store.ts";
import { Client } from "#client/client.ts";
import { system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { messageOf } from "#contract/message-of.ts";
import { NodeId } from "#contract/node.ts";
import { checkStore } from "#daemon/open-store.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { faultRefusal } from "#engine/loop/fault.ts";
import { startDaemon, startEngine } from "#src/main.ts";
import { shell } from "#test/support/cli.ts";
import { done, openTurn, refused, spawn } from "#test/support/say.ts";
import { freshDatabase, freshFolder } from "#test/support/stores.ts";
import { longTimeout, refusal } from "#test/support/test-daemon.ts";
import { startNode } from "#test/support/two-nodes.ts";
import { databaseProblems } from "#views/database.ts";

test("long texts and the output of open turns are in the database, for every node", async () => {
	const url = await freshDatabase();
	await using one = await openPostgres({ url, run: batchRunner(limits) });
	await using two = await openPostgres({ url, run: batchRunner(limits) });
	const long = `ä\0${"words ".repeat(500_000)}`;
	const name = await one.blobs.put(long);
	expect(await one.blobs.put(long)).toBe(name);
	expect(await two.blobs.get(name)).toBe(long);
	expect(await two.blobs.get("0".repeat(64))).toBe(null);
	await using engine = await startEngine({ url });
	const { id: agent } = await spawn(engine, engine.agentZero.id);
	const turn = await openTurn(engine, agent);
	const calls = [{ call: "c", text: "half\0done" }];
	await one.partials.keep(turn, calls);
	await one.partials.keep(turn + 1000, calls);
	const kept = await two.partials.kept(turn);
	expect(kept.map(({ text }) => text)).toEqual(["half\0done"]);
	await two.partials.dropAll();
	// that of an open turn stays: it may be another node's
	expect([(await one.partials.kept(turn)).length, (await one.partials.kept(turn + 1000)).length]).toEqual([1, 0]);
	await one.partials.drop(turn);
	expect(await two.partials.kept(turn)).toEqual([]);
});

test("what a call has printed is kept when another node ends its turn: after a fall, and with a kill", async () => {
	const url = await freshDatabase();
	const nodeOf = (name: string) => ({
		...{ node: NodeId.parse(name), name, startId: name, types: ["scripted"], version: "1", schema: 1 },
	});
	await using engine = await startEngine({ url }, {}, { node: nodeOf("here") });
	await using store = await openPostgres({ url, run: batchRunner(limits) });
	const bySystem = { as: system, key: null };
	await done(engine, { type: "node.join", ...nodeOf("there"), turnsMax: 4 }, bySystem);
	const running = async () => {
		const { id: agent } = await spawn(engine, engine.agentZero.id, { node: "there" });
		const turn = await openTurn(engine, agent);
		await done(engine, { type: "turn.hand", agent, turn }, bySystem);
		const call = { kind: "tool_call", text: "build", data: { call: "1" } };
		await done(engine, { type: "turn.append", agent, turn, items: [call] }, bySystem);
		await store.partials.keep(turn, [{ call: "1", text: "half of it" }]);
		return { agent, turn };
	};
	const [killed, fallen] = [await running(), await running()];
	await done(engine, { type: "agent.kill", agent: killed.agent });
	await done(engine, { type: "node.fall", node: "there", epoch: 1, beats: 0 }, bySystem);
	for (const { agent, turn } of [killed, fallen]) {
		const items = await engine.reads.itemsBefore(agent, null, 20);
		expect(items.filter(({ kind }) => kind === "tool_result").map(({ text }) => text)).toEqual([
			expect.stringMatching(/^half of it\n/),
		]);
		expect(await store.partials.kept(turn)).toEqual([]);
	}
});

test("with an owner for the tables, the daemon's role writes the journal but cannot change it", async () => {
	const ownerUrl = await freshDatabase();
	const owner = new pg.Client(ownerUrl);
	await owner.connect();
	const role = `app_${new URL(ownerUrl).pathname.slice(1)}`;
	await owner.query(`create role ${role} login`);
	const url = ownerUrl.replace("postgres@", `${role}@`);
	await using engine = await startEngine({ url, ownerUrl });
	await done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text: "kept" }, { key: null });
	await owner.query("alter table event disable trigger event_append_only");
	const client = new pg.Client(url);
	await client.connect();
	for (const statement of ["update event set text = ''", "delete from event", "truncate event cascade"])
		await expect(client.query(statement)).rejects.toThrow(/permission denied for table event/);
	// control: the owner could
	expect((await owner.query("update event set text = text")).rowCount).toBeGreaterThan(1);
	for (const each of [client, owner]) await each.end();
});

test("all nodes share the limits of the first; one that asked for others, and an idle transaction, are reported", async () => {
	const url = await freshDatabase();
	const asNode = (name: string) => ({
		node: { node: NodeId.parse(name), name, startId: name, types: [], version: "1", schema: 1 },
	});
	await using first = await startEngine({ url }, { queueLengthMax: 1, turnsMax: 3 }, asNode("first"));
	await using second = await startEngine({ url }, { queueLengthMax: 50, turnsMax: 4 }, asNode("second"));
	expect([first.nodes.limitsIgnored, second.nodes.limitsIgnored]).toEqual([[], ["queueLengthMax"]]);
	const { id: agent } = await spawn(second, second.agentZero.id);
	const prompt = { type: "prompt.queue", agent, text: "go" };
	await done(second, prompt);
	expect(await refused(second, prompt)).toMatchObject({ code: "QUEUE_FULL" });
	const client = new pg.Client(url);
	await client.connect();
	await client.query("begin");
	const examined = await second.nodes.examine();
	const found = databaseProblems(examined && { ...examined, unsafe: [] }, null, second.nodes.limitsIgnored);
	expect(found.map(({ text }) => text)).toEqual([
		expect.stringContaining("the limits queueLengthMax of this machine differ"),
	]);
	// it has been idle for less than a second here
	const later = examined && { ...examined, unsafe: [], idleInTransactionS: examined.idleInTransactionS + 60 };
	const { rows } = await client.query("select pg_backend_pid() as pid");
	const left = databaseProblems(later, null, [])[0];
	expect(left?.text).toMatch(`session ${rows[0].pid} has left a transaction open for 6`);
	await client.end();
});

test("a session of another role that keeps the writer's lock is named, also if its state may not be seen", async () => {
	const ownerUrl = await freshDatabase();
	const stranger = new pg.Client(ownerUrl);
	await stranger.connect();
	const role = `app_${new URL(ownerUrl).pathname.slice(1)}`;
	await stranger.query(`create role ${role} login`);
	const node = { node: NodeId.parse("here"), name: "here", startId: "here", types: [], version: "1", schema: 1 };
	const url = ownerUrl.replace("postgres@", `${role}@`);
	await using engine = await startEngine({ url, ownerUrl }, {}, { node });
	const problems = async () => {
		const examined = await engine.nodes.examine();
		return databaseProblems(examined && { ...examined, unsafe: [], connectionsFree: 100 }, null, []);
	};
	// control: with nothing kept there is only the role's own limit
	const unseen = {
		what: "database",
		text: expect.stringMatching(/^cannot see what 1 session of another role does/),
		fix: "grant pg_read_all_stats to the role of the daemon",
	};
	expect(await problems()).toEqual([unseen]);
	await stranger.query("begin");
	const { rows } = await stranger.query(`select pg_backend_pid() as pid, pg_advisory_xact_lock(${writerLock})`);
	const kept = `nothing can be written: session ${rows[0].pid} of role postgres keeps the lock that each write of Brood needs`;
	expect((await problems()).map(({ text }) => text)).toEqual([kept, unseen.text]);
	await stranger.query("rollback");
	await stranger.query(`grant pg_read_all_stats to ${role}`);
	expect(await problems()).toEqual([]);
	await stranger.end();
});

test("while nothing can be written `status` says so, and who waits learns that nobody knows; a retry happens once", {
	timeout: 90_000,
}, async () => {
	const url = await freshDatabase();
	await using node = (await startNode(url)).daemon;
	const client = new Client(node);
	const problems = async () => (await client.call("status")).problems;
	const agent = await client.ask("agentAdd", { body: { type: "scripted", name: "one" } });
	const prompt = () => client.call("prompt", { params: { agent: agent.id }, body: { text: "later" }, key: "once" });
	expect(await problems()).toEqual([]);
	const stranger = new pg.Client(url);
	await stranger.connect();
	await stranger.query("begin");
	await stranger.query(`select pg_advisory_xact_lock(${writerLock})`);
	expect(await refusal(prompt())).toMatchObject({
		code: "STORE_UNAVAILABLE",
		message: expect.stringContaining("it is not known whether this was done"),
	});
	const text = expect.stringMatching(/^nothing was written for \d+ s: the database answers no COMMIT/);
	await expect.poll(problems, longTimeout).toMatchObject([{ what: "database", text }]);
	await stranger.query("rollback");
	await expect.poll(problems, longTimeout).toEqual([]);
	await prompt();
	const { rows } = await stranger.query("select kind from event where kind = 'prompt.queued'");
	expect(rows).toHaveLength(1);
	await stranger.end();
});

test("a database that refuses the user or does not exist is told from one that is away, and the password is not repeated", async () => {
	const url = await freshDatabase();
	const start = async (address: string): Promise<unknown> =>
		faultRefusal(await openPostgres({ url: address, run: batchRunner(limits) }).catch((error: unknown) => error));
	const nobody = await start(url.replace("postgres@", "nobody:secret@"));
	expect(nobody).toMatchObject({
		code: "STORE_DENIED",
		message: expect.stringMatching(/^The database refuses access: role "nobody" does not exist\. Check the user/),
	});
	expect(JSON.stringify(nobody)).not.toContain("secret");
	expect(await start(url.replace(/(?<=\/)t[0-9a-f]{12}/, "missing"))).toMatchObject({ code: "STORE_DENIED" });
	expect(await start(`${url}?sslmode=verify-full&sslrootcert=/missing/root.pem`)).toMatchObject({
		code: "STORE_DENIED",
		message: expect.stringMatching(/^A file that the database's address names cannot be read: .*\/missing\/root\.pem/),
	});
	// control: nobody listens there
	expect(await start("postgres://postgres@127.0.0.1:1/x")).toMatchObject({ code: "STORE_UNAVAILABLE" });
});

test("an acknowledgement waits for the standby whatever the server's own setting is", async () => {
	const url = await freshDatabase();
	const client = new pg.Client(url);
	await client.connect();
	await client.query(`alter database ${client.database} set synchronous_commit = local`);
	await using engine = await startEngine({ url });
	await client.query(`create table seen (setting text);
		create function see() returns trigger language plpgsql as
			$$ begin insert into seen values (current_setting('synchronous_commit')); return null; end $$;
		create constraint trigger see after insert on event deferrable initially deferred
			for each row execute function see()`);
	await spawn(engine, engine.agentZero.id);
	expect((await client.query("select distinct setting from seen")).rows).toEqual([{ setting: "on" }]);
	await client.end();
});

test("without a daemon, `doctor` tries the database that is configured, and changes nothing there", async () => {
	const [home, url] = [freshFolder(), await freshDatabase()];
	const check = async (BROOD_DATABASE_URL: string): Promise<string | undefined> =>
		await checkStore(home, { BROOD_DATABASE_URL }).then(() => undefined, messageOf);
	expect(await check(url.replace("postgres@", "nobody:secret@"))).toContain("The database refuses access");
	expect(await check("postgres://postgres@127.0.0.1:1/x")).toContain("The database cannot be reached");
	const client = new pg.Client(url);
	await client.connect();
	await client.query("drop schema public cascade; create schema public");
	expect(await check(url)).toBe(undefined);
	expect((await client.query("select to_regclass('migration') as made")).rows).toEqual([{ made: null }]);
	await client.end();
});

test("a home belongs to one store: a file of its own, or one database", { timeout: 60_000 }, async () => {
	const [home, url, other] = [freshFolder(), await freshDatabase(), await freshDatabase()];
	const config = (database: string | null): void =>
		writeFileSync(path.join(home, "config.yaml"), database === null ? "" : `database: ${JSON.stringify(database)}\n`);
	config(url);
	const daemon = await startDaemon({ home });
	expect(await new Client(daemon).call("status")).toMatchObject({ store: "postgres" });
	await daemon[Symbol.asyncDispose]();
	// the address is in no file but the one that the user wrote it into
	const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
	const naming = files.filter((each) =>
		readFileSync(path.join(each.parentPath, each.name)).includes(new URL(url).pathname),
	);
	expect(naming.map(({ name }) => name)).toEqual(["config.yaml"]);
	config(null);
	await expect(startDaemon({ home })).rejects.toThrow(/belongs to a PostgreSQL database, and none is named/);
	// nothing is written to the other one, whether Brood was there before or not
	const empty = await freshDatabase("template1");
	for (const [wrong, written] of [
		[other, "select id::text from event union select id from agent"],
		[empty, "select tablename from pg_tables where schemaname = 'public'"],
	] as const) {
		config(wrong);
		await expect(startDaemon({ home })).rejects.toThrow(/belongs to another database/);
		await expect(checkStore(home, {})).rejects.toThrow(/belongs to another database/);
		const client = new pg.Client(wrong);
		await client.connect();
		expect((await client.query(written)).rows).toEqual([]);
		await client.end();
	}
	const plain = freshFolder();
	await (await startDaemon({ home: plain }))[Symbol.asyncDispose]();
	writeFileSync(path.join(plain, "config.yaml"), `database: ${JSON.stringify(url)}\n`);
	await expect(startDaemon({ home: plain })).rejects.toThrow(/has a store of its own, brood\.db/);
});

test("`up` and `status` refuse a shell that names another store than the running daemon has", {
	timeout: 60_000,
}, async () => {
	const [url, other] = [await freshDatabase(), await freshDatabase()];
	const node = await startNode(url);
	await using _daemon = node.daemon;
	const plain = freshFolder();
	await using _alone = await startDaemon({ home: plain });
	const asked = async (home: string, BROOD_DATABASE_URL: string, command: string): Promise<string | null> => {
		const { error } = await shell(home, home, { BROOD_DATABASE_URL }).json(command);
		return error === undefined ? null : `${error.code} ${error.message}`;
	};
	expect(await asked(node.home, other, "up")).toMatch(/^HOME_UNUSABLE .* belongs to another database/);
	expect(await asked(node.home, other, "status")).toMatch(/^HOME_UNUSABLE .* belongs to another database/);
	expect(await asked(plain, url, "up")).toMatch(/^HOME_UNUSABLE .* has a store of its own, brood\.db/);
	// controls: its own, also while its configuration has a mistake, and one that cannot be asked
	expect(await asked(node.home, url, "up")).toBe(null);
	appendFileSync(path.join(node.home, "config.yaml"), "no-such-setting: 1\n");
	expect(await asked(node.home, url, "status")).toBe(null);
	expect(await asked(node.home, "postgres://postgres@127.0.0.1:1/x", "status")).toBe(null);
	expect(await asked(node.home, url.replace("postgres@", "nobody@"), "status")).toBe(null);
	expect(await asked(plain, "", "up")).toBe(null);
});
