// The README's commands, run as written, on the home of a first run.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launcher } from "#test/support/programs.ts";
import { freshFolder } from "#test/support/stores.ts";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../..");
// what `npm start` runs, without npm in between, so that it can be told to stop
const { start }: { start: string } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).scripts;

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
	"environment",
	"usage",
	"workspaces",
	"merging",
	"never-losing-work",
	"space",
	"settings",
	"security",
	"people",
	"tools",
	"agents/llm",
];
const pages = ["README.md", ...topics.map((topic) => `docs/user/${topic}.md`)];
/** Installing, starting and measuring are not run again inside a test. */
const elsewhere = /^(git clone|cd |npm |brood )/;

/** A home of a first run, with its daemon; what a page does there it does beside the pages before it. */
class Home {
	readonly env = {
		...process.env,
		BROOD_HOME: freshFolder(),
		BROOD_PORT: "0",
		NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/compile"),
	};
	greeting = "";
	readonly #daemon = spawn(process.execPath, start.split(" ").slice(1), {
		cwd: root,
		env: this.env,
		stdio: ["ignore", "pipe", "inherit"],
	});

	async greeted(): Promise<void> {
		for await (const chunk of this.#daemon.stdout) {
			this.greeting += chunk;
			if (this.greeting.includes("--wait")) break;
		}
		this.#daemon.stdout.resume();
	}

	async run(program: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
		return await run(program, args, { cwd: root, env: this.env });
	}

	async stop(): Promise<void> {
		// a page may have stopped the first daemon and started another
		await this.run("./bin/brood", "down");
		if (this.#daemon.exitCode !== null) return;
		const exit = once(this.#daemon, "exit");
		this.#daemon.kill("SIGTERM");
		await exit;
	}
}

// two at a time: a page waits for its agents most of the time
const [first, second] = [new Home(), new Home()];
const lanes = [first, second].map((home, lane) => ({ home, lane, pages: pages.filter((_, at) => at % 2 === lane) }));
beforeAll(async () => void (await Promise.all(lanes.map(({ home }) => home.greeted()))));
afterAll(async () => void (await Promise.all(lanes.map(({ home }) => home.stop()))));

test("the first run makes a playground whose agent has done its first turn, and says what to try", async () => {
	const { greeting } = first;
	expect(greeting).toMatch(/is up at http:\/\/127\.0\.0\.1:\d+/);
	expect(greeting).toMatch(/made a project `playground` with an agent `first`/);
	const { stdout } = await first.run("./bin/brood", "log", "first", "--json");
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
	for (const [, command = ""] of greeting.matchAll(/^\S+ {2,3}(\.\/bin\/brood .*)$/gm))
		await first.run("bash", "--norc", "-ec", command);
});

describe.concurrent.each(lanes)("beside the others in home $lane", ({ home, pages }) => {
	test.each(pages)(
		"every command of %s works as it is written",
		{ timeout: 120_000, concurrent: false },
		async (page) => {
			const blocks = [...readFileSync(path.join(root, page), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
				([, text = ""]) => text,
			);
			const script = blocks
				.map((block) =>
					block
						.split("\n")
						.filter((line) => !elsewhere.test(line))
						.join("\n"),
				)
				.join("\n");
			expect(script).toMatch(/\.\/bin\/brood/);
			// only the first page needs the checkout's own launcher to be proved: a release starts faster
			const words = page === "README.md" ? script : script.replaceAll("./bin/brood", launcher);
			const { stderr } = await home.run("bash", "--norc", "-euo", "pipefail", "-c", words);
			expect(stderr).toBe("");
		},
	);
});
