// A daemon as a process of its own, with the real agents installed and a fake model for them to talk to.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, vi } from "vitest";
import { Client } from "#client/client.ts";
import { ProjectSlug } from "#contract/ids.ts";
import type { Agent, Item, Turn } from "#contract/wire.ts";
import { FakeModel } from "#test/support/fake-model/server.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";
import { adaptersIn, install } from "./install.ts";
import { type Kit, kits } from "./kits.ts";

/** OpenCode takes half a minute to its first words on a busy machine. */
export const longTimeout = { timeout: 120_000, interval: 100 };

export class AgentWorld implements AsyncDisposable {
	readonly model: FakeModel;
	readonly home = freshFolder();
	readonly #kit: Kit;
	#daemon: ChildProcess | null = null;
	#client: Client | null = null;

	static async build(kit: Kit): Promise<AgentWorld> {
		await install(kit.type);
		const world = new AgentWorld(kit, await FakeModel.start());
		mkdirSync(world.home, { recursive: true, mode: 0o700 });
		chmodSync(world.home, 0o700);
		symlinkSync(adaptersIn, path.join(world.home, "adapters"));
		await world.start();
		await world.giveCredentials(kit);
		return world;
	}

	private constructor(kit: Kit, model: FakeModel) {
		this.#kit = kit;
		this.model = model;
	}

	get client(): Client {
		if (this.#client === null) throw new Error("the daemon is not up");
		return this.#client;
	}

	/** A subscription is the way in: its variables point the agent to the fake model. */
	async giveCredentials(kit: Kit): Promise<void> {
		const folder = freshHome();
		kit.prepareFolder(this.model.url, folder);
		const envFile = path.join(folder, "variables");
		const lines = Object.entries(kit.variables(this.model.url, folder)).map(([name, value]) => `${name}=${value}`);
		writeFileSync(envFile, lines.join("\n"), { mode: 0o600 });
		await this.client.call("subscriptionAdd", {
			body: { name: `fake-${kit.type}`, type: kit.type, maxConcurrent: 4, credential: { envFile } },
		});
	}

	async start(): Promise<void> {
		rmSync(path.join(this.home, "daemon.json"), { force: true });
		const daemon = spawn(process.execPath, ["src/programs/daemon.ts", "--home", this.home, "--port", "0"], {
			stdio: ["ignore", "pipe", "pipe"],
		});
		this.#daemon = daemon;
		let said = "";
		for (const stream of [daemon.stdout, daemon.stderr])
			stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
		const file = path.join(this.home, "daemon.json");
		await vi.waitUntil(() => existsSync(file) || daemon.exitCode !== null, longTimeout);
		if (daemon.exitCode !== null) throw new Error(`the daemon did not start: ${said}`);
		const { url } = JSON.parse(readFileSync(file, "utf8"));
		this.#client = new Client({ url, token: readFileSync(path.join(this.home, "token"), "utf8").trim() });
	}

	/** SIGTERM lets it end in order, SIGKILL does not. */
	async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
		const daemon = this.#daemon;
		if (daemon === null || daemon.exitCode !== null || daemon.signalCode !== null) return;
		const gone = once(daemon, "exit");
		daemon.kill(signal);
		await gone;
	}

	#projects = 0;
	/** An agent in a repository of its own, whose project has these settings. */
	async agent(request: object = {}, settings = ""): Promise<Agent> {
		const slug = ProjectSlug.parse(`p${++this.#projects}`);
		mkdirSync(path.join(this.home, "projects", slug), { recursive: true });
		writeFileSync(path.join(this.home, "projects", slug, "config.yaml"), settings);
		await this.client.call("projectAdd", { body: { slug, path: freshRepository() } });
		const { type, model } = this.#kit;
		return await this.client.ask("agentAddTo", {
			params: { project: slug },
			body: { type, policy: "full", ...(model !== null && { model }), ...request },
		});
	}

	/** Another agent of the same project, without a place of its own. */
	async beside({ project }: Agent, request: object): Promise<Agent> {
		return await this.client.ask("agentAddTo", {
			params: { project: project ?? "" },
			body: { workspace: "none", ...request },
		});
	}

	async now(agent: Agent): Promise<Agent> {
		return await this.client.call("agent", { params: { agent: agent.id } });
	}

	async prompt(agent: Agent, text: string): Promise<number> {
		return (await this.client.call("prompt", { params: { agent: agent.id }, body: { text } })).id;
	}

	async turns(agent: Agent): Promise<Turn[]> {
		return await this.client.call("turns", { params: { agent: agent.id } });
	}

	async items(agent: Agent): Promise<Item[]> {
		return await this.client.call("items", { params: { agent: agent.id } });
	}

	/** The turn of a prompt, once it is over. */
	async turn(agent: Agent, text: string): Promise<Turn> {
		const id = await this.prompt(agent, text);
		return await this.over(agent, id);
	}

	async over(agent: Agent, prompt: number): Promise<Turn> {
		const found = async (): Promise<Turn | undefined> =>
			(await this.turns(agent)).find((turn) => turn.prompt === prompt && turn.state !== "open");
		await expect
			.poll(
				async () => (await found()) ?? (await this.now(agent)).holds.find(({ kind }) => kind === "error")?.reason,
				longTimeout,
			)
			.toBeDefined();
		const turn = await found();
		const problem = (await this.now(agent)).holds.find(({ kind }) => kind === "error");
		if (turn === undefined || problem !== undefined) throw new Error(`no turn, but: ${problem?.reason}`);
		return turn;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop("SIGTERM");
		await this.model[Symbol.asyncDispose]();
		rmSync(this.home, { recursive: true, force: true });
	}
}

/** Not below the temporary folder: Codex keeps helper programs in its home, and not there. */
export function freshHome(): string {
	const homes = path.resolve("node_modules/.cache/agent-homes");
	mkdirSync(homes, { recursive: true });
	return mkdtempSync(path.join(homes, "home-"));
}

export const other = (kit: Kit): Kit => (kit.type === "claude" ? kits.codex : kits.claude);
