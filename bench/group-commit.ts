// How much of the disk's speed a command keeps that goes through the whole loop.
//
// The baseline writes the same rows with the same statements straight on `node:sqlite`, 64 to a commit, with
// `synchronous=FULL`: no thread, no decisions, no answers. Every writer has an agent of its own.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Query, Value } from "#adapters/store/sql/prepared.ts";
import * as queries from "#adapters/store/sql/queries.ts";
import type { AgentState } from "#contract/agent.ts";
import { human, system } from "#contract/ids.ts";
import { startEngine } from "#src/main.ts";
import { startPostgres } from "#test/support/postgres.ts";
import { median, type Result } from "./table.ts";
import { type Kind, makeAgents, perSecond, text } from "./writing.ts";

const writers = [1, 8, 64];
const rounds = 5;
const perRound = { 1: 1500, 8: 6000, 64: 20_000 } as Record<number, number>;

export async function groupCommit(): Promise<Result[]> {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	const raw = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	try {
		return [...(await onSqlite(home, raw)), await onPostgres()];
	} finally {
		rmSync(home, { recursive: true, force: true });
		rmSync(raw, { recursive: true, force: true });
	}
}

async function onSqlite(home: string, raw: string): Promise<Result[]> {
	await using engine = await startEngine({ home });
	const agents = await makeAgents(engine, 64);
	// the same tables, created by the same program
	await using other = await startEngine({ home: raw });
	const baseline = new Baseline(path.join(raw, "brood.db"), await makeAgents(other, 64));
	const results: Result[] = [];
	for (const kind of ["items", "whole commands"] as const) {
		const straight: number[] = [];
		const measured = new Map(writers.map((count) => [count, [] as number[]]));
		for (let round = 0; round < rounds; round++) {
			straight.push(baseline.perSecond(kind, 20_000));
			for (const count of writers)
				measured.get(count)?.push(await perSecond(engine, kind, agents.slice(0, count), perRound[count] ?? 1000));
		}
		const best = median(straight);
		const target = kind === "items" ? 0.5 : 0.3;
		const rows = writers.map((count) => [
			`${count} writers`,
			median(measured.get(count) ?? []),
			median(measured.get(count) ?? []) / best,
		]);
		const value = Number(rows.at(-1)?.[2]);
		results.push({
			title: `Group commit on SQLite, ${kind} per second`,
			columns: ["", "per second", "share of straight"],
			rows: [["straight on node:sqlite, 64 a commit", best, 1], ...rows],
			ratio: {
				name: `${kind} with 64 writers, beside the same statements straight`,
				value,
				target: `≥ ${target}`,
				met: value >= target,
			},
		});
	}
	baseline.close();
	return results;
}

async function onPostgres(): Promise<Result> {
	await using server = await startPostgres({ durable: true });
	await using engine = await startEngine({ url: await server.createDatabase() });
	const agents = await makeAgents(engine, 64);
	const rows: (string | number)[][] = [];
	for (const kind of ["items", "whole commands"] as const) {
		for (const count of writers)
			rows.push([`${kind}, ${count} writers`, await perSecond(engine, kind, agents.slice(0, count), 50 * count + 250)]);
	}
	return { title: "Group commit on PostgreSQL (fsync on), per second", columns: ["", "per second"], rows };
}

/** The statements of one command, without anything around them. */
class Baseline {
	readonly #database: DatabaseSync;
	readonly #agents: readonly AgentState[];

	constructor(file: string, agents: readonly AgentState[]) {
		this.#database = new DatabaseSync(file);
		this.#database.exec("pragma synchronous = full; pragma foreign_keys = on");
		this.#agents = agents;
	}

	perSecond(kind: Kind, total: number): number {
		const run = kind === "items" ? this.#item() : this.#command();
		const start = performance.now();
		for (let done = 0; done < total; done += 64) {
			this.#database.exec("begin immediate");
			for (let at = 0; at < 64; at++) {
				const agent = this.#agents[at];
				if (agent) run(agent);
			}
			this.#database.exec("commit");
		}
		return (total / (performance.now() - start)) * 1000;
	}

	close(): void {
		this.#database.close();
	}

	#item(): (agent: AgentState) => void {
		const load = this.#statement(queries.agentById);
		const append = this.#statement(queries.insertEvent);
		return ({ id }) => {
			const [row] = load({ id });
			append({
				agent: seqOf(row),
				turn: null,
				kind: "assistant",
				text,
				data: null,
				at: Date.now(),
				actor: system,
				command: "c",
			});
		};
	}

	#command(): (agent: AgentState) => void {
		const receipt = this.#statement(queries.receiptByKey);
		const load = this.#statement(queries.agentById);
		const save = this.#statement(queries.updateAgentState);
		const append = this.#statement(queries.insertEvent);
		const putReceipt = this.#statement(queries.putReceipt);
		return (agent) => {
			const key = randomUUID();
			receipt({ actor: human, key });
			const seq = seqOf(load({ id: agent.id })[0]);
			save({ seq, state: JSON.stringify(agent) });
			append({
				agent: seq,
				turn: null,
				kind: "agent.held",
				text: null,
				data: '{"hold":"user","reason":""}',
				at: Date.now(),
				actor: human,
				command: key,
			});
			putReceipt({
				actor: human,
				key,
				fingerprint: "f".repeat(43),
				outcome: `{"subject":{"agent":"${agent.id}"}}`,
				answer: null,
				at: Date.now(),
			});
		};
	}

	#statement<P extends Record<string, Value>, R>(query: Query<P, R>): (args: P) => unknown[] {
		const prepared = query.prepared("sqlite");
		const statement = this.#database.prepare(prepared.sql);
		return (args) => statement.all(...prepared.values(args));
	}
}

function seqOf(row: unknown): number {
	if (typeof row === "object" && row !== null && "seq" in row && typeof row.seq === "number") return row.seq;
	throw new Error("the baseline's agent is not in its store");
}
