// A daemon with projects in it, and short words for what tests of workspaces do all the time.
import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { Client, Refused } from "#client/client.ts";
import { ProjectSlug } from "#contract/ids.ts";
import type { RefusalCode } from "#contract/refusal.ts";
import type { Agent } from "#contract/wire.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { freshRepository } from "./repository.ts";
import { freshFolder } from "./stores.ts";

export const longTimeout = { timeout: 30_000 };
export const git = (folder: string, ...args: string[]): string =>
	execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trimEnd();
export const params = (agent: Agent) => ({ params: { agent: agent.id } });

export const refusal = async (
	asked: Promise<unknown>,
): Promise<{ code: RefusalCode; details: Record<string, unknown>; suggestions: string[] }> => {
	const error = await asked.then(
		() => null,
		(reason: unknown) => reason,
	);
	if (!(error instanceof Refused)) throw new Error(`not refused: ${error}`);
	return error.refusal;
};

export class TestDaemon implements AsyncDisposable {
	readonly home: string;
	daemon: Daemon;
	client: Client;
	#projects = 0;

	static async open(prepare: (home: string) => void = () => {}): Promise<TestDaemon> {
		const home = freshFolder();
		prepare(home);
		return new TestDaemon(home, await startDaemon({ home }));
	}

	private constructor(home: string, daemon: Daemon) {
		this.home = home;
		this.daemon = daemon;
		this.client = new Client(daemon);
	}

	/** Another daemon on the same home; `between` happens while there is none. */
	async restart(between: () => Promise<void> = async () => {}): Promise<void> {
		await this.daemon[Symbol.asyncDispose]();
		await between();
		this.daemon = await startDaemon({ home: this.home });
		this.client = new Client(this.daemon);
	}

	/** A project of its own for each test: repositories, branches and merges do not mix. */
	async project(
		files?: Record<string, string>,
	): Promise<{ slug: ProjectSlug; repository: string; add(request?: object): Promise<Agent> }> {
		const repository = freshRepository(files);
		const slug = ProjectSlug.parse(`p${++this.#projects}`);
		await this.client.call("projectAdd", { body: { slug, path: repository } });
		return {
			slug,
			repository,
			add: async (request = {}) =>
				await this.client.ask("agentAddTo", { params: { project: slug }, body: { type: "scripted", ...request } }),
		};
	}

	async now(agent: Agent): Promise<Agent> {
		return await this.client.call("agent", params(agent));
	}

	async items(agent: Agent) {
		return await this.client.call("items", params(agent));
	}

	/** A prompt, and its turn when that is over. */
	async turn(agent: Agent, text: string) {
		const { id } = await this.client.call("prompt", { ...params(agent), body: { text } });
		const over = async () =>
			(await this.client.call("turns", params(agent))).find((each) => each.prompt === id && each.state !== "open");
		await expect.poll(async () => (await over())?.state, longTimeout).toBeDefined();
		const found = await over();
		if (found === undefined) throw new Error("no turn");
		return found;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.daemon[Symbol.asyncDispose]();
	}
}
