// N13: three daemons as processes and one slot that all of them want: each of five projects gets its share of the
// turns, although one has far more prompts than the others and a node of its own.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tokens } from "#test/support/node-work.ts";
import { type Cluster, eventually, type NodeProcess, startNodes } from "#test/support/nodes.ts";
import { OtherVersion } from "#test/support/other-version.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const promptsOfFirst = torture ? 1000 : 20;
const turns = torture ? 500 : 15;
/** the node of each project */
const homes = [0, 1, 1, 2, 2];
const fair = turns / homes.length;

/** How far the share of a project is from what is fair, at most. */
const unfair = (had: readonly number[]): number => Math.max(...had.map((each) => Math.abs(each - fair) / fair));

describe("five projects of three daemons", { timeout: torture ? 1_200_000 : 180_000 }, () => {
	let cluster: Cluster;
	let rounds = 0;
	const nodeAt = (at: number): NodeProcess => cluster.nodes[at] ?? expect.unreachable();

	beforeAll(async () => {
		cluster = await startNodes("a", "b", "c");
		for (const [project, home] of homes.entries())
			await nodeAt(home).client.ask("projectAdd", { body: { slug: `p${project}`, path: freshRepository() } });
		await nodeAt(0).client.ask("subscriptionAdd", { body: { name: "one", type: "shell", maxConcurrent: 1 } });
	}, 60_000);
	afterAll(async () => await cluster[Symbol.asyncDispose]());

	/** How many of the next turns each project has. */
	async function shares(): Promise<number[]> {
		const folder = freshFolder();
		const [had, go] = [path.join(folder, "had"), path.join(folder, "go")];
		if (rounds++ > 0) await clear();
		const add = async (name: string, project: number | null): Promise<string> => {
			const body = { name: `${name}-${rounds}`, type: "shell", workspace: "none" } as const;
			const { client } = nodeAt(project === null ? 0 : (homes[project] ?? 0));
			if (project === null) return (await client.ask("agentAdd", { body })).id;
			return (await client.ask("agentAddTo", { params: { project: `p${project}` }, body })).id;
		};
		// somebody has the slot until all prompts are there
		const queue = async (agent: string, text: string): Promise<unknown> =>
			await nodeAt(0).client.ask("prompt", { params: { agent }, body: { text } });
		await queue(await add("first", null), `touch ${go}.began; until [ -e ${go} ]; do sleep 0.05; done`);
		await eventually("the slot is taken", () => existsSync(`${go}.began`));
		const fill = async (project: number): Promise<void> => {
			const agent = await add("worker", project);
			const count = project === 0 ? promptsOfFirst : 2 * fair;
			for (let at = 0; at < count; at++) await queue(agent, `echo ${project} >> ${had}`);
		};
		await Promise.all(homes.map((_, project) => fill(project)));
		writeFileSync(go, "");
		await eventually("they had their turns", () => tokens(had).length >= turns, torture ? 600_000 : 60_000);
		const first = tokens(had).slice(0, turns);
		return [...homes.keys()].map((project) => first.filter((token) => Number(token) === project).length);
	}

	/** Nothing of before is left to be done. */
	async function clear(): Promise<void> {
		const { client } = nodeAt(0);
		const agents = (await client.call("agents")).filter(({ supervisor }) => supervisor !== null);
		await Promise.all(agents.map(({ id }) => client.ask("kill", { params: { agent: id }, body: {} })));
	}

	test("each project gets its share of the turns, within a tenth", async () => {
		expect(unfair(await shares())).toBeLessThanOrEqual(0.1);
	});

	test("control: not so if each node plans only its own", async () => {
		using selfish = new OtherVersion([
			[
				"const ready = heads.filter(({ agent, head }) => mayStart(agent, head));",
				"const ready = heads.filter(({ agent, head }) => mayStart(agent, head) && agent.node === this.#parts.node.node);",
			],
		]);
		for (const node of cluster.nodes) node.signal("SIGKILL");
		await Promise.all(cluster.nodes.map((node) => node.ended()));
		await Promise.all(cluster.nodes.map((node) => node.start(selfish.daemon)));
		// they race for the slot, and may by chance be fair
		let most = 0;
		for (let at = 0; at < 3 && most <= 0.1; at++) most = unfair(await shares());
		expect(most).toBeGreaterThan(0.1);
	});
});
