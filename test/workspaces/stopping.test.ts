// A daemon that stops while git waits without end, for a pipe that an agent left in place of a file.

import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { at } from "#test/support/in-workspace.ts";
import { sandboxModes } from "#test/support/processes.ts";
import { longTimeout, params, TestDaemon } from "#test/support/test-daemon.ts";

/** The processes of git that work in a folder. */
function gitsIn(folder: string): string[] {
	return readdirSync("/proc").filter((pid) => {
		try {
			return (
				/^\d+$/.test(pid) &&
				readlinkSync(`/proc/${pid}/cwd`) === folder &&
				readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("git\0")
			);
		} catch {
			return false;
		}
	});
}

const text = "run mkdir sub && mkfifo sub/.gitignore && touch sub/a && echo made";

test.runIf(process.platform === "linux").each(sandboxModes)(
	"ends git and stops, and holds nobody for it (sandbox: %s)",
	{ timeout: 60_000 },
	async (sandbox) => {
		await using shop = await TestDaemon.open();
		const { slug, add } = await shop.project({ "a.txt": "one\n" });
		mkdirSync(path.join(shop.home, "projects", slug), { recursive: true });
		writeFileSync(path.join(shop.home, "projects", slug, "config.yaml"), `sandbox: ${sandbox}\n`);
		const agent = await add({ type: "scripted" });
		const folder = at(agent);
		await shop.client.call("prompt", { ...params(agent), body: { text } });
		await expect.poll(async () => (await shop.items(agent)).map((item) => item.text), longTimeout).toContain("made\n");
		// the snapshot at the end of its turn has begun
		await expect.poll(() => gitsIn(folder).length, longTimeout).toBeGreaterThan(0);
		let left: string[] = ["not stopped"];
		await shop.restart(async () => {
			await expect.poll(() => (left = gitsIn(folder)), longTimeout).toEqual([]);
			rmSync(path.join(folder, "sub/.gitignore"));
		});
		expect(left).toEqual([]);
		await expect
			.poll(
				async () => (await shop.client.call("turns", params(agent))).map(({ state }) => state === "open"),
				longTimeout,
			)
			.toEqual([false]);
		// a cancelled step is not evidence about the workspace
		expect((await shop.items(agent)).map((item) => item.text)).toContainEqual(
			expect.stringContaining("could be taken"),
		);
		expect((await shop.now(agent)).holds).toEqual([]);
		expect((await shop.turn(agent, "write b.txt two")).state).toBe("completed");
	},
);
