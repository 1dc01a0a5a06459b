// N9 and N10 with two daemons as processes: what needs files is done at most once and always answered although the node
// that asks or the one that does it is killed, and a moved tree is the same, byte for byte, back and forth.

import { execFileSync } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Refused } from "#client/client.ts";
import type { Agent } from "#contract/wire.ts";
import { apply, change, filesOf, fingerprint } from "#test/support/dirty-trees.ts";
import { type Cluster, eventually, type NodeProcess, startNodes } from "#test/support/nodes.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const kills = torture ? 100 : 2;
const moves = torture ? 300 : 4;
/** a kill comes at any moment of a request */
const killWithinMs = 60;

const git = (folder: string, ...args: string[]): string =>
	execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();

describe("files of another daemon", { timeout: torture ? 3_600_000 : 180_000 }, () => {
	let cluster: Cluster;
	let [one, two]: NodeProcess[] = [];
	const both = (): [NodeProcess, NodeProcess] =>
		one !== undefined && two !== undefined ? [one, two] : expect.unreachable();
	const idOf = async (node: NodeProcess): Promise<string> =>
		(await node.client.call("nodes")).find(({ self }) => self)?.id ?? "";

	beforeAll(async () => {
		cluster = await startNodes("one", "two");
		[one, two] = cluster.nodes;
		const [here, there] = both();
		const repository = freshRepository({ "README.md": "hello\n", "a.txt": "a\n" });
		await here.client.ask("projectAdd", { body: { slug: "web", path: repository } });
		const site = path.join(freshFolder(), "site");
		git("/", "clone", "-q", repository, site);
		await here.client.ask("siteAdd", { params: { project: "web" }, body: { node: await idOf(there), path: site } });
	}, 60_000);
	afterAll(async () => await cluster[Symbol.asyncDispose]());

	const add = async (name: string): Promise<Agent> =>
		await both()[0].client.ask("agentAddTo", { params: { project: "web" }, body: { name, type: "shell" } });
	const folderOf = ({ workspace }: Agent): string => workspace?.path ?? expect.unreachable();

	test(`${kills} commits, asked at the other node, while one of the two is killed`, async () => {
		const [here, there] = both();
		const agent = await add("commits");
		const params = { agent: agent.id };
		for (let round = 0; round < kills; round++) {
			const [message, key] = [`round ${round}`, randomUUID()];
			writeFileSync(path.join(folderOf(agent), "README.md"), `${message}\n`);
			const commit = async (at: NodeProcess) => await at.client.ask("commit", { params, key, body: { message } });
			const asked = commit(there).catch((error: unknown) => error);
			await new Promise((resume) => setTimeout(resume, randomInt(killWithinMs)));
			const victim = round % 2 === 0 ? here : there;
			victim.signal("SIGKILL");
			await victim.ended();
			await victim.start();
			const answer = await asked;
			// whoever asked receivesNotifications of it, unless the node that was asked is gone
			if (answer instanceof Error && victim === here)
				expect(answer instanceof Refused && answer.refusal.code).toBe("NODE_DOWN");
			// the same request again finds what was done, or does it
			await eventually("it is done", async () => (await commit(there).catch(() => null)) !== null);
			expect(
				git(folderOf(agent), "log", "--format=%s")
					.split("\n")
					.filter((line) => line === message),
			).toEqual([message]);
		}
	});

	test(`${moves} moves back and forth: the tree is the same, and the one that was left is kept`, async () => {
		const [here, there] = both();
		let agent = await add("moves");
		const trees = fc.sample(fc.array(change, { minLength: 1, maxLength: 6 }), moves);
		for (const [at, changes] of trees.entries()) {
			for (const each of changes) apply(folderOf(agent), each);
			const before = fingerprint(folderOf(agent));
			const [from, to] = at % 2 === 0 ? [here, there] : [there, here];
			const node = await idOf(to);
			agent = await from.client.ask("agentMove", { params: { agent: agent.id }, body: { to: node } });
			expect([agent.node, fingerprint(folderOf(agent))]).toEqual([node, before]);
			const left = async () =>
				(await to.client.ask("health", { params: { agent: agent.id } })).former?.at(-1)?.trash ?? null;
			await eventually("the old tree is in the trash", async () => (await left()) !== null);
			expect(filesOf(path.join((await left()) ?? "", "files"))).toEqual(before.files);
		}
	});
});
