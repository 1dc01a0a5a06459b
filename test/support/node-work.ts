// Work for daemons as processes, and what became of it, counted from the outside: tokens that the agents write to a
// file, and processes by their pid.
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEngine } from "#src/main.ts";
import { expectFolded } from "./folded.ts";
import { type NodeProcess, startNodes } from "./nodes.ts";
import { freshFolder } from "./stores.ts";

const folder = freshFolder();

export const tokens = (file: string): string[] =>
	existsSync(file)
		? readFileSync(file, "utf8")
				.split("\n")
				.filter((line) => line !== "")
		: [];
/** A time to sleep that nobody else sleeps. */
export const sleepSeconds = (): string => `86${randomInt(1e8, 9e8)}`;
let agents = 0;

export interface TokenWork {
	agent: string;
	file: string;
	sleeps: string;
}

/** An agent at this node, whose turns write a token and then sleep. */
export async function agentAt(node: NodeProcess): Promise<TokenWork> {
	const name = `w${++agents}`;
	await node.client.ask("agentAdd", { body: { name, type: "shell" } });
	return { agent: name, file: path.join(folder, name), sleeps: sleepSeconds() };
}

/** Sent to any node. */
export const give = async (by: NodeProcess, { agent, file, sleeps }: TokenWork, token: string): Promise<unknown> =>
	await by.client.ask("prompt", {
		params: { agent },
		body: { text: `echo ${token} >> ${file}; sleep ${sleeps}; echo ended ${token} >> ${file}` },
	});

export const label = async (by: NodeProcess, { agent }: TokenWork): Promise<string> =>
	(await by.client.ask("agent", { params: { agent } })).label;
export const stateOf = async (by: NodeProcess, node: NodeProcess): Promise<string | undefined> =>
	(await by.client.call("nodes")).find(({ name }) => name === node.name)?.state;

/** Three daemons on a database of their own. */
export interface Daemons {
	/** a, b and c */
	all(): [NodeProcess, NodeProcess, NodeProcess];
	/** past all proxies */
	query(text: string, values?: unknown[]): Promise<pg.QueryResult>;
}

async function startDaemons(): Promise<Daemons & AsyncDisposable> {
	const cluster = await startNodes("a", "b", "c");
	const admin = new pg.Client(cluster.url);
	await admin.connect();
	return {
		all: () => {
			const [a, b, c] = cluster.nodes;
			return a !== undefined && b !== undefined && c !== undefined ? [a, b, c] : expect.unreachable();
		},
		query: async (text, values) => await admin.query(text, values),
		async [Symbol.asyncDispose]() {
			await admin.end();
			await cluster[Symbol.asyncDispose]();
		},
	};
}

/** The daemons for the tests of a file: three, or as many times three as there are worlds. */
export class Worlds {
	#all: (Daemons & AsyncDisposable)[] = [];

	constructor(count = 1) {
		beforeAll(async () => {
			for (let world = 0; world < count; world++) this.#all.push(await startDaemons());
		}, 60_000 * count);
		afterAll(async () => {
			for (const daemons of this.#all) await daemons[Symbol.asyncDispose]();
		});
	}

	get all(): readonly Daemons[] {
		return this.#all;
	}

	get first(): Daemons {
		return this.#all[0] ?? expect.unreachable();
	}

	/** Rounds of a test, shared out among the worlds because most of a round is waiting; each counts its own from 0. */
	async share(rounds: number, play: (daemons: Daemons, round: number) => Promise<void>): Promise<void> {
		let [left, failed] = [rounds, false];
		const inWorld = async (daemons: Daemons): Promise<void> => {
			for (let round = 0; left-- > 0 && !failed; round++)
				await play(daemons, round).catch((error: unknown) => {
					failed = true;
					throw error;
				});
		};
		const worlds = await Promise.allSettled(this.#all.map(inWorld));
		for (const world of worlds) if (world.status === "rejected") throw world.reason;
	}
}

/** To be said last: whatever happened, the rows are the fold of the journal. */
export const testFolded = (worlds: Worlds): void =>
	test("after all of that the rows are the fold of the journal", async () => {
		for (const { all } of worlds.all) {
			await using engine = await startEngine({ url: all()[0].database });
			await expectFolded(engine.reads);
		}
	});
