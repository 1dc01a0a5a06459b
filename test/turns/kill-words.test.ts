// What a turn had said when its agent was killed is kept, as it is after a crash.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { freshFolder } from "#test/support/stores.ts";

let daemon: Daemon;
let client: Client;
beforeAll(async () => {
	daemon = await startDaemon({ home: freshFolder() });
	client = new Client({ url: daemon.url, token: daemon.token });
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

async function killedWhen(kind: string, text: string, prompt: string): Promise<[string, string | null][]> {
	const { id: agent } = await client.call("agentAdd", { body: { type: "scripted" } });
	const stop = new AbortController();
	const heard = (async () => {
		for await (const message of client.follow({ agent, after: 0, deltas: true }, stop.signal)) {
			if ("delta" in message && message.delta.text.includes(text)) return;
			if ("event" in message && message.event.kind === kind) return;
		}
	})();
	await client.call("prompt", { params: { agent }, body: { text: prompt } });
	await heard;
	stop.abort();
	await client.call("kill", { params: { agent }, body: {} });
	const items = await client.call("items", { params: { agent } });
	return items.map((item) => [item.kind, item.text]);
}

test("a message that was being said is an item", async () => {
	const items = await killedWhen("none", "half of it", "run echo quick\nsay half of it\nsleep 300000");
	expect(items.slice(-4)).toEqual([
		["tool_result", "quick\n"],
		["assistant", "half of it"],
		["final", "killed"],
		["killed", "Killed by human."],
	]);
});

test("a message that was recorded is not there twice", async () => {
	const items = await killedWhen("tool_call", "nothing", "say all of it\nrun sleep 300");
	expect(items.filter(([kind, text]) => kind === "assistant" && text === "all of it")).toHaveLength(1);
	expect(items.at(-2)).toEqual(["final", "killed"]);
});
