// `brood demo`: three scripted agents take five issues of the playground through the preset `quick-fix`. It needs no
// key and no network, uses only its own issues and agents, and deletes its agents at the end.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Client, Refused } from "#client/client.ts";
import { kindsOf } from "#contract/event-data.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { makePlaygroundRepository, playground as project } from "#local/playground-repository.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { homeOf } from "./connect.ts";
import { print } from "./print.ts";
import { issueTable } from "./print-issues.ts";

/** After these there may be something to print, assign or approve. */
const stepping = kindsOf({
	issue: ["moved", "waitChanged", "returned", "escalated"],
	agent: ["returned", "provisioned"],
});

const agentsMax = 3;
const titles = ["Say hello", "Count to three", "Write a poem", "Name the colours", "List the days"];

export async function demo(options: Options): Promise<void> {
	const report = (line: string): void => (options.json === true ? undefined : print(line));
	await act(
		options,
		async (cli) => {
			await addPlayground(cli, report);
			return await new Demo(cli, report).run();
		},
		(issues) => `\n${issueTable(issues)}\n\ntry next: brood issue show ${project}#${issues[0]?.number}`,
	);
}

/** Adds the project if it does not exist. */
async function addPlayground({ client, key }: CliContext, report: (line: string) => void): Promise<void> {
	if ((await client.call("projects")).some(({ slug }) => slug === project)) return;
	const folder = await makePlaygroundRepository(homeOf(), (at, args, { environment }) =>
		promisify(execFile)("git", ["-C", at, ...args], { env: { ...process.env, ...environment } }),
	);
	await client.call("projectAdd", { key: `${key}-project`, body: { slug: project, path: folder } });
	report(`made a project ${project} in ${folder}`);
}

class Demo {
	readonly #client: Client;
	readonly #key: string;
	readonly #report: (line: string) => void;
	readonly #stages = new Map<number, string>();
	#keys = 0;

	constructor({ client, key }: CliContext, report: (line: string) => void) {
		this.#client = client;
		this.#key = key;
		this.#report = report;
	}

	async run(): Promise<Issue[]> {
		const { lastEvent } = await this.#client.call("status");
		const issues = [];
		for (const [at, title] of titles.entries()) issues.push(await this.#add(title, at + 1));
		const agents = await Promise.all(Array.from({ length: agentsMax }, () => this.#agent()));
		try {
			const stop = new AbortController();
			let all = await this.#step(issues, agents);
			for await (const event of this.#client.events(lastEvent, stop.signal)) {
				if (stepping.has(event.kind)) all = await this.#step(issues, agents);
				if (all.every(({ doneAt, attention }) => doneAt !== null || attention !== null)) stop.abort();
			}
			if (all.some(({ attention }) => attention !== null)) process.exitCode = 1;
			return all;
		} finally {
			for (const agent of agents) await this.#remove(agent);
		}
	}

	/** Prints changes, assigns ready issues to free agents, and approves what waits for a review. */
	async #step(issues: readonly Issue[], agents: readonly string[]): Promise<Issue[]> {
		const now = await Promise.all(
			issues.map(({ number }) => this.#client.call("issue", { params: { issue: `${project}#${number}` } })),
		);
		for (const issue of now) this.#show(issue);
		const all = await this.#client.call("agents", { query: {} });
		const free = all
			.filter(({ id, label, issue }) => agents.includes(id) && label === "idle" && issue === null)
			.map(({ id }) => id);
		for (const issue of now) {
			const params = { issue: `${project}#${issue.number}` };
			if (issue.attention !== null || issue.doneAt !== null || issue.assignee !== null) continue;
			if (issue.waiting === "approval")
				await this.#tryTo(this.#client.call("issueApprove", { key: this.#next(), params, body: {} }));
			else if (issue.waiting === null) {
				const agent = free.shift();
				if (agent !== undefined)
					await this.#tryTo(this.#client.call("issueAssign", { key: this.#next(), params, body: { agent } }));
			}
		}
		return now;
	}

	#show({ number, stage, title, assigneeHandle, attention }: Issue): void {
		const assignee = assigneeHandle === null ? "" : `  (${assigneeHandle})`;
		const reason = attention === null ? "" : `: ${attention.reason}`;
		const line = `${project}#${number}  ${stage.padEnd(11)}  ${title}${assignee}${reason}`;
		if (this.#stages.get(number) !== line) this.#report(line);
		this.#stages.set(number, line);
	}

	async #add(title: string, at: number): Promise<Issue> {
		const file = `demo/${at}.txt`;
		const body = [
			`say I work on "${title}".`,
			`write ${file} ${title}.`,
			`commit ${title}`,
			`work_complete ${title}: see ${file}.`,
		].join("\n");
		return await this.#client.call("issueAdd", {
			key: this.#next(),
			params: { project },
			body: { title, body, preset: "quick-fix", labels: ["demo"] },
		});
	}

	async #agent(): Promise<string> {
		const { id, handle } = await this.#client.call("agentAddTo", {
			key: this.#next(),
			params: { project },
			body: { title: "demo", type: "scripted", policy: "full" },
		});
		this.#report(`agent ${handle} is ready`);
		return id;
	}

	async #remove(agent: string): Promise<void> {
		await this.#tryTo(
			this.#client.call("agentDelete", { key: this.#next(), params: { agent }, body: { reason: "the demo is over" } }),
		);
	}

	/** A refusal is fine: a person may have acted first, and the next event shows the new state. */
	async #tryTo(request: Promise<unknown>): Promise<void> {
		await request.catch((error: unknown) => {
			if (!(error instanceof Refused)) throw error;
		});
	}

	#next(): string {
		return `${this.#key}-${++this.#keys}`;
	}
}
