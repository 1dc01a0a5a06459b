// N12: two versions side by side, as processes. The next version is this one with a step of the schema more, an event
// and a field of a row that this one does not know.
import { spawnSync } from "node:child_process";
import path from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type RouteName, routes } from "#contract/routes.ts";
import { startEngine } from "#src/main.ts";
import { apiWorld } from "#test/support/api-world.ts";
import { shell } from "#test/support/cli.ts";
import { tokens } from "#test/support/node-work.ts";
import { eventually, NodeProcess } from "#test/support/nodes.ts";
import { OtherVersion } from "#test/support/other-version.ts";
import { freshDatabase, freshFolder } from "#test/support/stores.ts";
import { requestOf } from "../api/requests.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const writersOfNode = torture ? 8 : 2;
const eachWrites = torture ? 500 : 10;

/** The steps that a version has beyond this one's. */
const steps = (...more: string[]): readonly [string, string] => [
	"const schemaVersion = migrations.length;",
	`migrations.push(${more.join(", ")});\nconst schemaVersion = migrations.length;`,
];
const adds = `{ version: 2, name: "adds", sql: () => ["create table newer (id bigint)"] }`;
const raises = `{ version: 3, name: "raises", writesFrom: 2, sql: () => ["create table newest (id bigint)"] }`;

const nextVersion = [
	steps(adds),
	[
		`	if (isHeld(agent, "user")) return [];\n	return [{`,
		`	if (isHeld(agent, "user")) return [];\n	return [{ kind: "agent.greeted", agent: agent.id, data: { word: "hello" } }, {`,
	],
	[
		"((row, event) => ({\n		...row,\n		...event.data.hold",
		"((row, event) => ({\n		...row, newer: true,\n		...event.data.hold",
	],
] as const;

const names = Object.keys(routes).filter((name): name is RouteName => Object.hasOwn(routes, name));
/** They are about the machine that is asked, or wait for something that does not come. */
const left: readonly RouteName[] = ["setup", "backup", "tokenRotate", "waitOpen"];

/** Also a test that runs out of time leaves no daemon behind. */
async function nodeOn(url: string, name: string): Promise<NodeProcess> {
	const node = await NodeProcess.on(url, name);
	onTestFinished(async () => await node[Symbol.asyncDispose]());
	return node;
}

function other(changes: ConstructorParameters<typeof OtherVersion>[0]): OtherVersion {
	const version = new OtherVersion(changes);
	onTestFinished(() => version[Symbol.dispose]());
	return version;
}

/** What a version says that is asked to replace the daemon of this node. */
function restartProblem(node: NodeProcess, { daemon }: OtherVersion): string {
	const env = { ...process.env, BROOD_DATABASE_URL: node.database };
	return spawnSync(process.execPath, [daemon, "--check-restart", "--home", node.home], { env, encoding: "utf8" })
		.stderr;
}

/** What this node answers, without what is in it. */
async function statusOf(node: NodeProcess, { method, path, body }: ReturnType<typeof requestOf>): Promise<number> {
	const { url, token } = node.address;
	const answer = await fetch(`${url}${path}`, {
		...{ method, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	await answer.body?.cancel();
	return answer.status;
}

/** Prompts for this agent, through both nodes at once; all are acknowledged. */
async function writeAtBoth(nodes: readonly NodeProcess[], agent: string): Promise<string[]> {
	const texts: string[] = [];
	const write = async (node: NodeProcess, writer: number): Promise<void> => {
		for (let at = 0; at < eachWrites; at++) {
			const text = `${node.name} ${writer} ${at}`;
			await node.client.ask("prompt", { params: { agent }, body: { text } });
			texts.push(text);
		}
	};
	const writers = nodes.flatMap((node) => Array.from({ length: writersOfNode }, (_, at) => write(node, at)));
	await Promise.all(writers);
	return texts.sort();
}

/** While both run a turn: the one that stops names only its own. */
async function down(node: NodeProcess, other: NodeProcess): Promise<void> {
	const file = path.join(freshFolder(), "begun");
	const text = `echo begun >> ${file}; sleep 600`;
	for (const { client, name } of [node, other])
		await client.ask("prompt", { params: { agent: `of-${name}` }, body: { text } });
	await eventually("both run", () => tokens(file).length === 2);
	const { err } = await shell(node.home).brood("down", "--now");
	// it may run one of the prompts that were written before as well
	expect(err).toMatch(new RegExp(`^Interrupting the turns? of .*\\bof-${node.name}\\b`));
	expect(err).not.toContain(`of-${other.name}`);
	await node.ended();
}

test("an older node goes on beside a newer one, until a step of the schema shuts it out", {
	timeout: torture ? 600_000 : 180_000,
}, async () => {
	const url = await freshDatabase();
	const world = await apiWorld(() => startEngine({ url }));
	await world[Symbol.asyncDispose]();
	const next = other(nextVersion);
	const strict = other([steps(adds, raises)]);
	const old = await nodeOn(url, "old");
	const newer = await nodeOn(url, "newer");
	const both = [old, newer];
	await old.start();
	await newer.start(next.daemon);
	const admin = new pg.Client(url);
	await admin.connect();

	// every route is answered alike by both
	const differ: string[] = [];
	for (const name of names.filter((each) => routes[each].method === "get")) {
		const [ours, theirs] = await Promise.all(both.map((node) => statusOf(node, requestOf(name, world))));
		if (ours !== theirs || (ours ?? 500) >= 500) differ.push(`${name}: ${ours} and ${theirs}`);
	}
	for (const name of names.filter((each) => routes[each].method !== "get" && !left.includes(each)))
		for (const node of both) {
			const status = await statusOf(node, requestOf(name, world));
			if (status === 500) differ.push(`${name} at ${node.name}: ${status}`);
		}
	expect(differ).toEqual([]);

	// turns are run by one version and asked for at the other
	for (const [by, at] of [both, both.toReversed()]) {
		if (by === undefined || at === undefined) expect.unreachable();
		const { id: agent } = await at.client.ask("agentAdd", { body: { name: `of-${at.name}`, type: "shell" } });
		const file = path.join(freshFolder(), "said");
		await by.client.ask("prompt", { params: { agent }, body: { text: `echo ${at.name} >> ${file}` } });
		await eventually("its turn ran", () => tokens(file).length > 0);
		expect(tokens(file)).toEqual([at.name]);
	}

	// what only the newer one knows is kept by the older one
	const { id: agent } = await old.client.ask("agentAdd", { body: { name: "kept", type: "shell" } });
	await newer.client.ask("pause", { params: { agent }, body: {} });
	const rowOf = async () =>
		JSON.parse((await admin.query("select state from agent where id = $1", [agent])).rows[0].state);
	expect(await rowOf()).toMatchObject({ newer: true, holds: [{ kind: "user" }] });
	const greeted = await old.streamUntil("agent.greeted", 1);
	expect(greeted).toEqual(greeted.map((_, at) => at + 1));
	const written = await writeAtBoth(both, agent);
	const landed = await admin.query(
		"select text from event where kind = 'prompt.queued' and agent = (select seq from agent where id = $1)",
		[agent],
	);
	expect(landed.rows.map(({ text }) => text).sort()).toEqual(written);
	await old.client.ask("queueClear", { params: { agent }, body: {} });
	await old.client.ask("resume", { params: { agent }, body: {} });
	expect(await rowOf()).toMatchObject({ newer: true, holds: [] });

	// a step after which the older one may not write waits for it, and names it; then it is shut out
	const third = await nodeOn(url, "third");
	expect(await third.refusal(strict.daemon)).toMatch(/these nodes are up with an older one: old\./);
	// a restart into it is refused before the daemon is stopped, unless that daemon is the only older one
	expect([old, newer].map((node) => restartProblem(node, strict))).toEqual([
		"",
		expect.stringMatching(/these nodes are up with an older one: old\./),
	]);
	expect(await writeAtBoth(both, agent)).toHaveLength(written.length);
	await down(old, newer);
	await third.start(strict.daemon);
	expect(await old.refusal()).toMatch(/was written by a newer Brood \(schema 3; this one knows 1\)/);
	// control: if it were not for what the step said, it would come up and write
	const careless = other([["if (writesFrom > schemaVersion) throw", "if (false) throw"]]);
	await old.start(careless.daemon);
	await old.client.ask("pause", { params: { agent }, body: {} });
	await admin.end();
});
