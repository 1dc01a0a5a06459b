// The README's commands, run as written, on the home of a first run.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder } from "#test/support/stores.ts";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../..");
const home = freshFolder();
const env = { ...process.env, BROOD_HOME: home, BROOD_PORT: "0", NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/compile") };
// what `npm start` runs, without npm in between, so that it can be told to stop
const { start }: { start: string } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).scripts;
const daemon = spawn(process.execPath, start.split(" ").slice(1), { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });

const topics = [
	"agents",
	"queue",
	"interrupts",
	"waiting",
	"approvals",
	"audit",
	"fork",
	"mail",
	"issues",
	"presets",
	"kill",
	"subscriptions",
	"usage",
	"workspaces",
	"merging",
	"never-losing-work",
	"tools",
	"agents/llm",
];
const pages = ["README.md", ...topics.map((topic) => `docs/user/${topic}.md`)];
/** Installing, starting and measuring are not run again inside a test. */
const elsewhere = /^(git clone|cd |npm |brood )/;

let greeting = "";
beforeAll(async () => {
	for await (const chunk of daemon.stdout) {
		greeting += chunk;
		if (greeting.includes("--wait")) break;
	}
	daemon.stdout.resume();
});
afterAll(async () => {
	// a page may have stopped the first daemon and started another
	await run("./bin/brood", ["down"], { cwd: root, env });
	if (daemon.exitCode !== null) return;
	const exit = once(daemon, "exit");
	daemon.kill("SIGTERM");
	await exit;
});

test("the first run makes a playground whose agent has done its first turn, and says what to try", async () => {
	expect(greeting).toMatch(/is up at http:\/\/127\.0\.0\.1:\d+/);
	expect(greeting).toMatch(/made a project `playground` with an agent `first`/);
	const { stdout } = await run("./bin/brood", ["log", "first", "--json"], { cwd: root, env });
	expect(JSON.parse(stdout).data.map((item: { kind: string }) => item.kind)).toEqual([
		"user",
		"assistant",
		"tool_call",
		"tool_result",
		"tool_call",
		"tool_result",
		"assistant",
		"final",
	]);
	for (const [, command = ""] of greeting.matchAll(/^\S+ {2,3}(\.\/bin\/brood .*)$/gm)) await run("bash", ["--norc", "-ec", command], { cwd: root, env });
});

test.each(pages)("every command of %s works as it is written", { timeout: 120_000 }, async (page) => {
	const blocks = [...readFileSync(path.join(root, page), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);
	const script = blocks
		.map((block) =>
			block
				.split("\n")
				.filter((line) => !elsewhere.test(line))
				.join("\n"),
		)
		.join("\n");
	expect(script).toMatch(/\.\/bin\/brood/);
	const { stderr } = await run("bash", ["--norc", "-euo", "pipefail", "-c", script], { cwd: root, env });
	expect(stderr).toBe("");
});
