// A home with everything in it that the dashboard shows: agents that run, ask, wait, failed and ended, forks, mail,
// issues in every stage, a review, subscriptions. For screenshots.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "#client/client.ts";
import type { Agent } from "#contract/wire.ts";
import type { Daemon } from "#src/main.ts";
import { at } from "#test/support/in-workspace.ts";

export interface Showcase {
	project: string;
	/** an agent with several turns, changes, mail and a queue */
	busy: Agent;
	/** the issue that waits for a review */
	review: number;
}

const projectConfig = `
presets:
  lean:
    stages:
      - { name: TODO, next: IN_PROGRESS }
      - name: IN_PROGRESS
        next: IN_REVIEW
        also: [TODO]
        wipMax: 3
        prompt: |
          say I write a test for "{{title}}" first.
          write test/drain.test.ts test("drain waits for the writer", async () => expect(await runs(40)).toEqual({ failed: 0 }));
          run sed -i 's/drain(writer: Writer)/drain(writer: Writer, signal: AbortSignal)/; s/^\\twriter.close();/\\tawait writer.settled(signal);\\n&/' src/store/drain.ts
          run sed -i 's/stop(): Promise/stop(signal: AbortSignal): Promise/; s/this.writer)/this.writer, signal)/' src/store/thread.ts
          spend 24800 0.31
          commit Wait for the writer before the queue is drained
      - { name: IN_REVIEW, next: DONE, back: IN_PROGRESS, also: [TODO], gate: human }
      - { name: DONE, final: true, also: [TODO] }
`;

export async function fillShowcase(daemon: Daemon, folder: string): Promise<Showcase> {
	const builder = new ShowcaseBuilder(new Client(daemon), folder);
	await builder.begin();
	const busy = await builder.conversation();
	await builder.forks(busy);
	await builder.others();
	const review = await builder.issues();
	await builder.subscriptions();
	return { project: "web-shop", busy, review };
}

class ShowcaseBuilder {
	readonly #client: Client;
	readonly #repository: string;

	constructor(client: Client, folder: string) {
		this.#client = client;
		this.#repository = path.join(folder, "web-shop");
	}

	async begin(): Promise<void> {
		for (const [name, text] of Object.entries(files)) this.#write(this.#repository, name, text);
		const git = (...args: string[]): unknown =>
			execFileSync("git", ["-c", "user.name=you", "-c", "user.email=you@localhost", ...args], {
				cwd: this.#repository,
			});
		git("init", "--quiet", "--initial-branch=main");
		git("add", "--all");
		git("commit", "--quiet", "--message=The shop");
		await this.#client.call("projectAdd", { body: { slug: "web-shop", path: this.#repository } });
		const { fingerprint } = await this.#client.call("projectSettings", { params: { project: "web-shop" } });
		if (fingerprint !== null)
			await this.#client.call("projectApprove", { params: { project: "web-shop" }, body: { fingerprint } });
	}

	/** Four turns, with tool calls, a diff, a commit and changes that are not committed. */
	async conversation(): Promise<Agent> {
		const agent = await this.#add({ name: "opus-1" });
		await this.#turn(
			agent,
			"say I will run the store's tests forty times first, to see how often `drain` fails.\nrun node --version && echo 38 passed, 2 failed\nspend 18200 0.21",
		);
		this.#write(at(agent), "src/store/drain.ts", drained);
		await this.#turn(agent, `run git --no-pager diff\nsay ${findings.replaceAll("\n", " ")}\nspend 26400 0.34`);
		await this.#turn(
			agent,
			"commit Wait for the writer before the queue is drained\nsay Committed. All forty runs pass now.\nspend 9100 0.12",
		);
		this.#write(at(agent), "src/store/thread.ts", threaded);
		await this.#turn(
			agent,
			"run git status --short\nsay The thread needs the same signal; I am halfway through.\nspend 12100 0.15",
		);
		return agent;
	}

	/** One asks, one runs, one is done, one was killed; mail between them. */
	async forks(parent: Agent): Promise<void> {
		const fonts = await this.#fork(parent, "fonts");
		await this.#turn(
			fonts,
			"write src/fonts.css @font-face { font-family: Inter; src: url(inter.woff2); }\nspend 6200 0.08",
		);
		const mutex = await this.#fork(parent, "drain-mutex");
		await this.#turn(
			mutex,
			"run sed -i s/signal/lock/ src/store/drain.ts\nsay A mutex works too, but holds the writer for longer.\nspend 15300 0.19",
		);
		const queue = await this.#fork(parent, "drain-queue");
		// its mail waits: a scripted agent would only repeat it
		await this.#client.call("pause", { params: { agent: parent.id }, body: { reason: "until the review is done" } });
		await this.#turn(
			queue,
			"write src/store/queue.ts export const queue: Job[] = [];\nsend opus-1 The queue needs no lock: see src/store/queue.ts.\nspend 11800 0.14",
		);
		const dead = await this.#fork(mutex, "mutex-retry");
		await this.#turn(dead, "say This goes nowhere.");
		await this.#client.call("kill", { params: { agent: dead.id }, body: {} });
		await this.#prompt(fonts, "ask Run `git push origin brood/fonts`?\nsay pushed");
		await this.#prompt(
			queue,
			"say Reading the callers of `drain` one after the other; 4 of 11 need the signal.\nsleep 900000",
		);
		await this.#client.call("send", {
			params: { agent: parent.id },
			body: { body: "The release is on Thursday. Keep it small." },
		});
		for (const text of [
			"say Add a test that fails without the signal.",
			"say Update the changelog.",
			"say Open a pull request.",
		])
			await this.#prompt(parent, text);
	}

	/** Failed, limited and empty ones. */
	async others(): Promise<void> {
		// its setup fails, see .brood.yaml
		await this.#add({ name: "try-b" }).catch(() => null);
		const docs = await this.#add({ name: "docs" });
		await this.#prompt(
			docs,
			"say Comparing the pages with `--help`, page by page. So far two options are missing.\nsleep 900000",
		);
		await this.#add({ name: "spare" });
	}

	/** The number of the one that waits for a review. */
	async issues(): Promise<number> {
		for (const [title, more] of issues)
			await this.#client.call("issueAdd", { params: { project: "web-shop" }, body: { title, ...more } });
		const worker = await this.#add({ name: "sonnet-1" });
		await this.#client.call("issueMove", { params: { issue: "web-shop#2" }, body: { stage: "IN_PROGRESS" } });
		await this.#client.call("issueMove", { params: { issue: "web-shop#4" }, body: { stage: "IN_PROGRESS" } });
		await this.#client.call("issueComment", {
			params: { issue: "web-shop#1" },
			body: { text: "Two of forty runs fail. **The writer** is closed too early: see `drain.ts`, line 4." },
		});
		await this.#client.call("issueAssign", { params: { issue: "web-shop#1" }, body: { agent: worker.id } });
		await this.#until(
			async () => (await this.#client.call("issue", { params: { issue: "web-shop#1" } })).runs.length > 0,
		);
		await this.#until(
			async () => (await this.#client.call("issue", { params: { issue: "web-shop#1" } })).stage === "IN_REVIEW",
		);
		await this.#client.call("issueEscalate", {
			params: { issue: "web-shop#4" },
			body: { reason: "The currency of refunds is not specified." },
		});
		return 1;
	}

	async subscriptions(): Promise<void> {
		for (const [name, type, maxConcurrent] of [
			["claude-max", "claude", 4],
			["codex-team", "codex", 2],
		] as const)
			await this.#client.call("subscriptionAdd", { body: { name, type, maxConcurrent } });
		const until = new Date(performance.timeOrigin + performance.now() + 42 * 60_000).toISOString();
		await this.#client.call("subscriptionCool", { params: { subscription: "codex-team" }, body: { until } });
	}

	#write(folder: string, name: string, text: string): void {
		mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
		writeFileSync(path.join(folder, name), text);
	}

	async #add(request: object): Promise<Agent> {
		return await this.#client.ask("agentAddTo", {
			params: { project: "web-shop" },
			body: { type: "scripted", ...request },
		});
	}

	async #fork({ id }: Agent, name: string): Promise<Agent> {
		return await this.#client.ask("fork", { params: { agent: id }, body: { name } });
	}

	async #prompt({ id }: Agent, text: string): Promise<number> {
		return (await this.#client.call("prompt", { params: { agent: id }, body: { text } })).id;
	}

	async #turn(agent: Agent, text: string): Promise<void> {
		const prompt = await this.#prompt(agent, text);
		await this.#until(async () => {
			const turns = await this.#client.call("turns", { params: { agent: agent.id } });
			return turns.some((turn) => turn.prompt === prompt && turn.state !== "open");
		});
	}

	async #until(holds: () => Promise<boolean>): Promise<void> {
		while (!(await holds())) await pause(100);
	}
}

const findings =
	"**Found it.** `drain` returns before the writer has finished: two of forty runs lose the last item.  The change passes the signal through, and waits for it.";

const drain = `import type { Writer } from "./writer.ts";

/** Writes what is queued. */
export async function drain(writer: Writer): Promise<void> {
	while (writer.queued > 0) {
		await writer.flush();
	}
	writer.close();
}

export const isDrained = (writer: Writer): boolean => writer.queued === 0;
`;

const drained = drain
	.replace("drain(writer: Writer)", "drain(writer: Writer, signal: AbortSignal)")
	.replace("\twriter.close();", "\tawait writer.settled(signal);\n\twriter.close();");

const thread = `import { drain } from "./drain.ts";

export class Thread {
	readonly #items: string[] = [];

	append(item: string): void {
		this.#items.push(item);
	}

	async stop(): Promise<void> {
		await drain(this.writer);
	}
}
`;

const threaded = thread
	.replace("stop(): Promise", "stop(signal: AbortSignal): Promise")
	.replace("this.writer)", "this.writer, signal)");

const setup = '\'case "$PWD" in *try-b*) echo "npm error Missing script: build" >&2; exit 1;; esac\'';

const files: Readonly<Record<string, string>> = {
	"README.md": "# The shop\n\nA shop for things.\n",
	"src/store/drain.ts": drain,
	"src/store/thread.ts": thread,
	"src/cart.ts":
		"export const total = (prices: readonly number[]): number => prices.reduce((sum, each) => sum + each, 0);\n",
	".brood.yaml": `check: node --version\nsetup: ${setup}\n${projectConfig}`,
};

const issues: readonly [string, object][] = [
	[
		"The store test is flaky",
		{
			priority: "high",
			labels: ["bug", "store"],
			body: "`npm test -- store` fails about once in twenty runs.\n\n1. Find out why.\n2. Write a test that fails every time.\n3. Mend it.",
		},
	],
	["Use the new fonts on every page", { labels: ["design"] }],
	["Ship the release notes", { dependsOn: [1, 2], labels: ["docs"] }],
	["Refund a cancelled order", { priority: "critical", labels: ["orders"] }],
	["Remember the cart for a month", { labels: ["cart"], dependsOn: [4] }],
	["Translate the checkout", { priority: "low", labels: ["i18n"] }],
];
