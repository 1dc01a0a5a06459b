import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { announce, lockedHome } from "./home.ts";

async function place(): Promise<{ home: string; file: string }> {
	const home = await mkdtemp(path.join(tmpdir(), "brood-test-"));
	onTestFinished(async () => await rm(home, { recursive: true, force: true }));
	return { home, file: path.join(home, "daemon.json") };
}

/** A port with a listener, and the same one without. */
async function listener(): Promise<{ url: string; close(): Promise<void> }> {
	const server = createServer((connection) => connection.destroy());
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("no port");
	return {
		url: `http://127.0.0.1:${address.port}`,
		close: async () => await new Promise<void>((resolve) => void server.close(() => resolve())),
	};
}

test("a daemon whose port has no listener is not announced", async () => {
	const { home, file } = await place();
	const { url, close } = await listener();
	await close();
	await expect(announce(home, { url, socket: null, token: () => "word" })).rejects.toThrow(
		/^The daemon does not reach its own port \d+ \(.*ECONNREFUSED.*\)\. Start it again\.$/,
	);
	expect(existsSync(file)).toBe(false);
});

test("control: one whose port answers is announced", async () => {
	const { home, file } = await place();
	const { url, close } = await listener();
	onTestFinished(close);
	await using _announced = await announce(home, { url, socket: null, token: () => "word" });
	expect(existsSync(file)).toBe(true);
});

test("a daemon saves its monotonic time when it starts and when it stops, unless its home is gone", async () => {
	const { home } = await place();
	const clock = path.join(home, "clock.json");
	const locked = await lockedHome(home);
	expect(existsSync(clock)).toBe(true);
	await rm(clock);
	await locked[Symbol.asyncDispose]();
	expect(existsSync(clock)).toBe(true);
	const gone = await lockedHome(home);
	await rm(home, { recursive: true });
	await gone[Symbol.asyncDispose]();
	expect(existsSync(home)).toBe(false);
});
