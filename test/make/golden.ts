// Stores a home of this release for the tests of all later ones: `npm run golden`. A released one never changes again.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { migrations } from "#adapters/store/sql/migrations.ts";
import { type AgentId, system } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { startEngine } from "#src/main.ts";
import { contentsOf } from "#test/support/golden.ts";
import { startPostgres } from "#test/support/postgres.ts";
import { done, refused, spawn } from "#test/support/say.ts";

const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
const folder = path.join("test/golden", version);
mkdirSync(folder, { recursive: true });
await sqlite();
await postgres();

/** One of everything that a store can hold. */
async function live(engine: Engine): Promise<void> {
	const provisioned = async (id: AgentId): Promise<void> => {
		while ((await engine.reads.agent(id))?.life === "provisioning") await new Promise((resume) => setImmediate(resume));
	};
	const item = (agent: AgentId, text: string) => done(engine, { type: "item.append", agent, kind: "user", text });
	await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
	const parent = await spawn(engine, engine.agentZero.id, {
		name: "opus-1",
		project: "web",
		agentType: "claude",
		model: "opus",
	});
	await done(engine, { type: "agent.configure", agent: parent.id, systemPrompt: "Be brief.", pinned: ["README.md"] });
	await item(parent.id, "before the clear");
	await done(engine, { type: "context.clear", agent: parent.id });
	await item(parent.id, "héllo \0 \ue000 🎉");
	await done(engine, { type: "context.mark", agent: parent.id, name: "start" });
	await done(engine, {
		type: "item.append",
		agent: parent.id,
		kind: "tool_call",
		data: { tool: "bash", input: { command: "ls" } },
	});
	const child = await spawn(engine, parent.id, { context: "inherit", prompt: "replace the font" });
	await done(engine, { type: "context.rewind", agent: child.id, name: "start" });
	await item(child.id, "after the rewind");
	const dead = await spawn(engine, child.id, { context: "inherit" });
	for (const { id } of [parent, child, dead]) await provisioned(id);
	await done(engine, { type: "agent.pause", agent: child.id, reason: "lunch" });
	const { event: prompt } = await done(engine, {
		type: "prompt.queue",
		agent: child.id,
		text: "first words",
		priority: 2,
		metadata: { from: "golden" },
	});
	await done(engine, { type: "prompt.edit", agent: child.id, prompt, text: "other words" });
	await done(engine, { type: "mail.send", to: child.id, body: "hello", urgent: true });
	await turns(engine, parent, provisioned);
	await done(engine, { type: "agent.kill", agent: dead.id });
	await done(engine, { type: "agent.reap", agent: dead.id });
	await done(engine, { type: "person.add", name: "ada", tokenHash: "0".repeat(64) });
	const { event: issue } = await done(engine, {
		type: "issue.add",
		project: "web",
		title: "Replace the font",
		body: "Everywhere.",
		labels: ["ux"],
	});
	await done(engine, { type: "issue.comment", issueId: issue, text: "The footer too." });
	await done(engine, { type: "issue.start", issueId: issue });
	await refused(engine, { type: "agent.kill", agent: engine.agentZero.id }, { key: "golden-refusal" });
}

async function turns(
	engine: Engine,
	parent: { id: AgentId },
	provisioned: (id: AgentId) => Promise<void>,
): Promise<void> {
	await done(engine, { type: "prompt.queue", agent: parent.id, text: "run" });
	await done(engine, { type: "turn.start", agent: parent.id }, { as: system });
	const turn = (await engine.reads.openTurns())[0]?.id;
	const question = { title: "may I", tool: "execute", call: null, options: [] };
	const { event: approval } = await done(
		engine,
		{ type: "approval.ask", agent: parent.id, turn, question },
		{ as: system },
	);
	await done(engine, { type: "approval.answer", agent: parent.id, approval, allow: true, always: true });
	await done(engine, { type: "turn.end", agent: parent.id, turn, state: "failed", reason: "golden" }, { as: system });
	await done(engine, { type: "wait.open", targets: [parent.id], for: "ended" });
	await done(engine, {
		type: "subscription.add",
		name: "spare",
		agentType: "shell",
		credential: { envFile: "/keys/spare.env" },
	});
	await done(engine, {
		type: "subscription.add",
		name: "max",
		agentType: "shell",
		maxConcurrent: 2,
		fallback: "spare",
	});
	const paid = await spawn(engine, engine.agentZero.id, { agentType: "shell", subscription: "max", prompt: "true" });
	await provisioned(paid.id);
	const { event: worked } = await done(engine, { type: "turn.start", agent: paid.id }, { as: system });
	await done(engine, { type: "turn.end", agent: paid.id, turn: worked, state: "completed" }, { as: system });
	await done(engine, { type: "subscription.cool", name: "max", until: 4_000_000_000_000 });
}

async function sqlite(): Promise<void> {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-golden-"));
	const engine = await startEngine({ home });
	await live(engine);
	writeFileSync(path.join(folder, "sqlite.json"), `${JSON.stringify(await contentsOf(engine), null, "\t")}\n`);
	await engine[Symbol.asyncDispose]();
	copyFileSync(path.join(home, "brood.db"), path.join(folder, "brood.db"));
	rmSync(home, { recursive: true, force: true });
}

async function postgres(): Promise<void> {
	await using server = await startPostgres();
	const url = await server.createDatabase();
	const engine = await startEngine({ url });
	await live(engine);
	writeFileSync(path.join(folder, "postgres.json"), `${JSON.stringify(await contentsOf(engine), null, "\t")}\n`);
	await engine[Symbol.asyncDispose]();
	const client = new pg.Client(url);
	await client.connect();
	const tables = [
		"migration",
		"agent",
		"event",
		"prompt",
		"turn",
		"mail",
		"approval",
		"wait",
		"subscription",
		"turn_lease",
		"project",
		"issue",
		"run",
		"entry",
		"receipt",
		"person",
		"node",
		"writer",
	];
	const rows: string[] = [];
	for (const table of tables) {
		const found = await client.query<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t order by 1`);
		for (const { row } of found.rows)
			rows.push(
				`insert into ${table} overriding system value select * from jsonb_populate_record(null::${table}, ${client.escapeLiteral(row)});`,
			);
	}
	await client.end();
	const schema = migrations.flatMap((migration) => migration.sql("postgres")).map((statement) => `${statement};`);
	// rows refer to each other, and agents to earlier agents
	const nextSeq = "select setval(pg_get_serial_sequence('agent', 'seq'), (select max(seq) from agent));";
	const script = [...schema, "set session_replication_role = replica;", ...rows, nextSeq];
	writeFileSync(path.join(folder, "postgres.sql"), `${script.join("\n")}\n`);
}
