// What the cases of keys are about: agents, prompts, issues and workspaces, made anew for each case.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { Client } from "#client/client.ts";
import type { Issue } from "#contract/issue-wire.ts";
import type { Agent } from "#contract/wire.ts";
import { at } from "#test/support/in-workspace.ts";
import { freshRepository } from "#test/support/repository.ts";
import { git } from "#test/support/test-daemon.ts";

export interface KeyWorld {
	readonly client: Client;
	repository: string;
	/** a folder for files that are written */
	scratch: string;
}

let named = 0;
export const next = (): number => ++named;
export const project = "web";

export class Subjects {
	readonly world: KeyWorld;
	constructor(world: KeyWorld) {
		this.world = world;
	}

	get client(): Client {
		return this.world.client;
	}

	async agent(request: object = {}): Promise<Agent> {
		return await this.client.ask("agentAddTo", {
			params: { project },
			body: { type: "human", workspace: "none", name: `a${next()}`, ...request },
		});
	}

	of = (agent: Agent) => ({ params: { agent: agent.id } });

	/** Its budget is another from then on. */
	changed(agent: Agent) {
		return async () =>
			await this.client.ask("configure", { ...this.of(agent), body: { budget: { tokens: 1000 + next() } } });
	}

	async paused(): Promise<{ agent: Agent; prompts: number[] }> {
		const agent = await this.agent();
		await this.client.ask("pause", { ...this.of(agent), body: {} });
		const prompts: number[] = [];
		for (const text of ["one", "two"])
			prompts.push((await this.client.ask("prompt", { ...this.of(agent), body: { text } })).id);
		return { agent, prompts };
	}

	async atWork(): Promise<Agent> {
		const agent = await this.agent();
		await this.client.ask("prompt", { ...this.of(agent), body: { text: "work" } });
		await this.turnOf(agent);
		return agent;
	}

	async turnOf(agent: Agent): Promise<void> {
		await expect
			.poll(async () => (await this.client.ask("agent", this.of(agent))).turn, { timeout: 20_000 })
			.not.toBeNull();
	}

	/** In a worktree, alone in a project of its own. */
	async settler(): Promise<Agent> {
		const slug = `p${next()}`;
		await this.client.ask("projectAdd", { body: { slug, path: freshRepository() } });
		return await this.client.ask("agentAddTo", {
			params: { project: slug },
			body: { type: "human", name: `a${next()}` },
		});
	}

	/** The same, with a file that is not committed. */
	async worker(): Promise<Agent> {
		const agent = await this.settler();
		this.write(agent);
		return agent;
	}

	write(agent: Agent): void {
		writeFileSync(at(agent, `f${next()}.txt`), `${named}\n`);
	}

	async committed(agent: Agent): Promise<void> {
		this.write(agent);
		await this.client.ask("commit", { ...this.of(agent), body: { message: `work ${next()}` } });
	}

	async issue(): Promise<{ issue: Issue; params: { issue: string }; after: () => Promise<unknown> }> {
		const issue = await this.client.ask("issueAdd", {
			params: { project },
			body: { title: `t${next()}`, preset: "lean" },
		});
		const params = { issue: `${project}#${issue.number}` };
		return {
			issue,
			params,
			after: async () => await this.client.ask("issueEdit", { params, body: { title: `t${next()}` } }),
		};
	}

	/** Its project has a remote to push to. */
	async remote(agent: Agent): Promise<void> {
		const { path: repository } = await this.client.ask("project", { params: { project: agent.project ?? "" } });
		const bare = path.join(this.world.scratch, `remote${next()}.git`);
		git(repository, "clone", "--quiet", "--bare", ".", bare);
		git(repository, "remote", "add", "origin", bare);
	}

	/** Base has something new. */
	async ahead(agent: Agent): Promise<void> {
		const { path: repository } = await this.client.ask("project", { params: { project: agent.project ?? "" } });
		writeFileSync(path.join(repository, `base${next()}.txt`), "base\n");
		git(repository, "add", "--all");
		git(repository, "-c", "user.name=p", "-c", "user.email=p@localhost", "commit", "--quiet", "--message=more");
	}
}
