// An agent in the middle of a turn, and the token of its process, so that a test can speak with it.
import { expect } from "vitest";
import { Client } from "#client/client.ts";

const longTimeout = { timeout: 30_000 };

/** Gives a `scripted` agent a turn that does not end by itself; answers with the token that its process has. */
export async function openTurnToken(daemon: { url: string; token: string }, agent: string): Promise<string> {
	const client = new Client(daemon);
	await client.call("prompt", { params: { agent }, body: { text: "run printenv BROOD_TOKEN\nsleep 3600000" } });
	const results = async () =>
		(await client.call("items", { params: { agent } })).filter((item) => item.kind === "tool_result");
	await expect.poll(async () => (await results()).length, longTimeout).toBeGreaterThan(0);
	return (await results()).at(-1)?.text?.trim() ?? "";
}
