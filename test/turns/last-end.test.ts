// What a start makes of the turns that the end of a daemon cut: those of the last end are named, and a person hears of
// crashes.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { NodeId } from "#contract/node.ts";
import { startNotices } from "#daemon/notices.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { ProcessTokens } from "#engine/tokens.ts";
import { apiApp, ask, host } from "#test/support/api-app.ts";
import { done, openTurn, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const node = NodeId.parse(randomIds.key());

/** Daemons of one home, one after the other. Without a driver no turn ends by itself. */
function lives(): () => Promise<Engine> {
	const store = { ...openMemory(batchRunner(limits)), [Symbol.asyncDispose]: async () => {} };
	const parts = { store, driver: null, limits, clock: systemClock, ids: randomIds };
	return async () => {
		const life = { node, name: "one", startId: randomIds.key(), version: "0", schema: 1, types: [] };
		return await Engine.start({ ...parts, node: life });
	};
}

async function handedTurn(engine: Engine, name: string): Promise<{ agent: string; turn: number; name: string }> {
	const { id: agent } = await spawn(engine, engine.agentZero.id, { name });
	const turn = await openTurn(engine, agent);
	await done(engine, { type: "turn.hand", agent, turn }, { as: system });
	return { agent, turn, name };
}

async function named(engine: Engine): Promise<string[]> {
	const app = apiApp(engine, { token: "person", tokens: new ProcessTokens(randomIds), hosts: [host] });
	const headers = { host, authorization: "Bearer person" };
	const { data } = JSON.parse(await ask(app, { method: "GET", path: "/api/turns/interrupted", headers }));
	return data.interrupted.map(({ handle, reason }: { handle: string; reason: string }) => `${handle}: ${reason}`);
}

test("only the turns that the last end of the daemon cut are named, whether it was stopped or died", async () => {
	const start = lives();
	const first = await start();
	const { agent, turn } = await handedTurn(first, "stopped");
	await done(first, { type: "turn.end", agent, turn, state: "interrupted", reason: "shutdown" }, { as: system });
	await handedTurn(first, "died");
	await first[Symbol.asyncDispose]();
	const second = await start();
	expect(await named(second)).toEqual(["stopped: shutdown", "died: crash"]);
	await handedTurn(second, "later");
	await second[Symbol.asyncDispose]();
	const third = await start();
	expect(await named(third)).toEqual(["later: crash"]);
	await third[Symbol.asyncDispose]();
	await using fourth = await start();
	expect(await named(fourth)).toEqual([]);
});

test("a crash that a start finds is told to the notify program, once", async () => {
	const start = lives();
	const folder = freshFolder();
	const [teller, told] = [path.join(folder, "tell.sh"), path.join(folder, "told")];
	writeFileSync(teller, `#!/bin/sh\necho "$BROOD_NOTICE: $BROOD_NOTICE_TITLE: $BROOD_NOTICE_TEXT" >> ${told}\n`);
	chmodSync(teller, 0o700);
	const first = await start();
	await handedTurn(first, "cut");
	await first[Symbol.asyncDispose]();
	await using second = await start();
	using _ = startNotices(second, { command: [teller] }, process.env);
	const { agent, turn } = await handedTurn(second, "next");
	await done(second, { type: "turn.end", agent, turn, state: "failed", reason: "no" }, { as: system });
	await expect
		.poll(() => (existsSync(told) ? readFileSync(told, "utf8").split("\n") : []))
		.toEqual([
			"error: cut has an error: The daemon ended while this turn was open.",
			"error: next has an error: no",
			"",
		]);
});

test("an agent that could not be read costs only its own notice", async () => {
	const folder = freshFolder();
	const [teller, told] = [path.join(folder, "tell.sh"), path.join(folder, "told")];
	writeFileSync(teller, `#!/bin/sh\necho "$BROOD_NOTICE_TITLE" >> ${told}\n`, { mode: 0o700 });
	await using engine = await lives()();
	const [lost, next] = [await handedTurn(engine, "lost"), await handedTurn(engine, "next")];
	using _ = startNotices(engine, { command: [teller] }, process.env);
	const agent = engine.reads.agent.bind(engine.reads);
	vi.spyOn(engine.reads, "agent").mockImplementation(async (id) => {
		if (id === lost.agent) throw new Error("the database is away");
		return await agent(id);
	});
	for (const { agent: id, turn } of [lost, next])
		await done(engine, { type: "turn.end", agent: id, turn, state: "failed", reason: "no" }, { as: system });
	await expect.poll(() => (existsSync(told) ? readFileSync(told, "utf8") : "")).toBe("next has an error\n");
});
