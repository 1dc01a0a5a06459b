// Work for daemons as processes, and what became of it, counted from the outside: tokens that the agents write to a file,
// and processes by their pid.
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEngine } from "#src/main.ts";
import { expectFolded } from "./folded.ts";
import { type Cluster, type NodeProcess, startNodes } from "./nodes.ts";
import { freshFolder } from "./stores.ts";

const folder = freshFolder();

export const tokens = (file: string): string[] =>
	existsSync(file)
		? readFileSync(file, "utf8")
				.split("\n")
				.filter((line) => line !== "")
		: [];
/** A time to sleep that nobody else sleeps. */
export const word = (): string => `86${randomInt(1e8, 9e8)}`;
let agents = 0;

export interface Job {
	agent: string;
	file: string;
	sleeps: string;
}

/** An agent at this node, whose turns write a token and then sleep. */
export async function agentAt(node: NodeProcess): Promise<Job> {
	const name = `w${++agents}`;
	await node.client.ask("agentAdd", { body: { name, type: "shell" } });
	return { agent: name, file: path.join(folder, name), sleeps: word() };
}

/** Sent to any node. */
export const give = async (by: NodeProcess, { agent, file, sleeps }: Job, token: string): Promise<unknown> =>
	await by.client.ask("prompt", {
		params: { agent },
		body: { text: `echo ${token} >> ${file}; sleep ${sleeps}; echo ended ${token} >> ${file}` },
	});

export const label = async (by: NodeProcess, { agent }: Job): Promise<string> =>
	(await by.client.ask("agent", { params: { agent } })).label;
export const stateOf = async (by: NodeProcess, node: NodeProcess): Promise<string | undefined> =>
	(await by.client.call("nodes")).find(({ name }) => name === node.name)?.state;

export interface Daemons {
	/** a, b and c */
	all(): [NodeProcess, NodeProcess, NodeProcess];
	/** past all proxies */
	query(text: string, values?: unknown[]): Promise<pg.QueryResult>;
}

/** Three daemons for the tests of this file. */
export function threeDaemons(): Daemons {
	let cluster: Cluster;
	let admin: pg.Client;
	beforeAll(async () => {
		cluster = await startNodes("a", "b", "c");
		admin = new pg.Client(cluster.url);
		await admin.connect();
	}, 60_000);
	afterAll(async () => {
		await admin.end();
		await cluster[Symbol.asyncDispose]();
	});
	return {
		all: () => {
			const [a, b, c] = cluster.nodes;
			return a !== undefined && b !== undefined && c !== undefined ? [a, b, c] : expect.unreachable();
		},
		query: async (text, values) => await admin.query(text, values),
	};
}

/** To be said last: whatever happened, the rows are the fold of the journal. */
export const testFolded = ({ all }: Daemons): void =>
	test("after all of that the rows are the fold of the journal", async () => {
		await using engine = await startEngine({ url: all()[0].database });
		await expectFolded(engine.reads);
	});
