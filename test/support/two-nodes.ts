// Two daemons with homes of their own on one database, in this process.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "#client/client.ts";
import { ProjectSlug } from "#contract/ids.ts";
import type { NodeId } from "#contract/node.ts";
import type { Agent } from "#contract/wire.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "#src/main.ts";
import { freshRepository } from "./repository.ts";
import { freshDatabase, freshFolder } from "./stores.ts";

export interface TestNode {
	home: string;
	daemon: Daemon;
	client: Client;
	id: NodeId;
}

export class TwoNodes implements AsyncDisposable {
	readonly url: string;
	a: TestNode;
	b: TestNode;
	#projects = 0;

	static async open(options: Partial<DaemonOptions> = {}): Promise<TwoNodes> {
		const url = await freshDatabase();
		return new TwoNodes(url, await startNode(url, options), await startNode(url, options));
	}

	private constructor(url: string, a: TestNode, b: TestNode) {
		this.url = url;
		this.a = a;
		this.b = b;
	}

	/** A project of A's, with a repository on its disk. */
	async project(files?: Record<string, string>) {
		const repository = freshRepository(files);
		const slug = ProjectSlug.parse(`p${++this.#projects}`);
		await this.a.client.call("projectAdd", { body: { slug, path: repository } });
		const add = async (request: object = {}): Promise<Agent> =>
			await this.a.client.ask("agentAddTo", { params: { project: slug }, body: { type: "scripted", ...request } });
		return { slug, repository, add };
	}

	/** Another daemon in B's home, after the first one has ended. */
	async restartB(): Promise<void> {
		this.b = await startNode(this.url, {}, this.b.home);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const { daemon } of [this.a, this.b]) await daemon[Symbol.asyncDispose]();
	}
}

export async function startNode(
	url: string,
	options: Partial<DaemonOptions> = {},
	home: string = freshFolder(),
): Promise<TestNode> {
	writeFileSync(path.join(home, "config.yaml"), `database: ${JSON.stringify(url)}\n`);
	const daemon = await startDaemon({ home, ...options });
	const id = daemon.engine.node?.node;
	if (id === undefined) throw new Error("this daemon is not a node");
	return { home, daemon, client: new Client(daemon), id };
}
