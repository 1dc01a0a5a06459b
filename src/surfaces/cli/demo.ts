// `brood demo`: five issues of the playground go through `quick-fix`, worked on by three scripted agents that need no
// key and no network. It makes its own issues and agents, touches nobody else's, and takes its agents away again.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, Refused } from "#client/client.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { homeOf } from "./connect.ts";
import { print } from "./print.ts";
import { issueTable } from "./print-issues.ts";

const project = "playground";
const agentsMax = 3;
const titles = ["Say hello", "Count to three", "Write a poem", "Name the colours", "List the days"];

export async function demo(options: Options): Promise<void> {
	const tell = (line: string): void => (options.json === true ? undefined : print(line));
	await act(
		options,
		async (cli) => {
			await playground(cli, tell);
			return await new Demo(cli, tell).run();
		},
		(issues) => `\n${issueTable(issues)}\n\ntry next: brood issue show ${project}#${issues[0]?.number}`,
	);
}

/** The repository of a first run; made here if there was none. */
async function playground({ client, key }: CliContext, tell: (line: string) => void): Promise<void> {
	if ((await client.call("projects")).some(({ slug }) => slug === project)) return;
	const folder = join(homeOf(), project);
	if (!existsSync(join(folder, ".git"))) {
		mkdirSync(folder, { recursive: true });
		writeFileSync(
			join(folder, "README.md"),
			"# Playground\n\nA repository to try things in. Nothing here is precious.\n",
		);
		const git = (...args: string[]) =>
			promisify(execFile)("git", [
				"-C",
				folder,
				"-c",
				"user.name=brood",
				"-c",
				"user.email=brood@brood.local",
				...args,
			]);
		await git("init", "--quiet", "--initial-branch=main");
		await git("add", "--", "README.md");
		await git("commit", "--quiet", "--message=Begin");
	}
	await client.call("projectAdd", { key: `${key}-project`, body: { slug: project, path: folder } });
	tell(`made a project ${project} in ${folder}`);
}

class Demo {
	readonly #client: Client;
	readonly #key: string;
	readonly #tell: (line: string) => void;
	readonly #stages = new Map<number, string>();
	#said = 0;

	constructor({ client, key }: CliContext, tell: (line: string) => void) {
		this.#client = client;
		this.#key = key;
		this.#tell = tell;
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
				if (/^(issue\.(moved|waited|left|attended)|agent\.(released|provisioned))$/.test(event.kind))
					all = await this.#step(issues, agents);
				if (all.every(({ doneAt, attention }) => doneAt !== null || attention !== null)) stop.abort();
			}
			if (all.some(({ attention }) => attention !== null)) process.exitCode = 1;
			return all;
		} finally {
			for (const agent of agents) await this.#remove(agent);
		}
	}

	/** Shows what has changed, gives what is ready to whoever is free, and approves what waits for it. */
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
				await this.#may(this.#client.call("issueApprove", { key: this.#next(), params, body: {} }));
			else if (issue.waiting === null) {
				const agent = free.shift();
				if (agent !== undefined)
					await this.#may(this.#client.call("issueAssign", { key: this.#next(), params, body: { agent } }));
			}
		}
		return now;
	}

	#show({ number, stage, title, agent, attention }: Issue): void {
		const line = `${project}#${number}  ${stage.padEnd(11)}  ${title}${agent === null ? "" : `  (${agent})`}${attention === null ? "" : `: ${attention.reason}`}`;
		if (this.#stages.get(number) !== line) this.#tell(line);
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
		this.#tell(`agent ${handle} is ready`);
		return id;
	}

	async #remove(agent: string): Promise<void> {
		await this.#may(
			this.#client.call("agentDelete", { key: this.#next(), params: { agent }, body: { reason: "the demo is over" } }),
		);
	}

	/** Somebody else may have been quicker; the next event shows what is left to do. */
	async #may(asked: Promise<unknown>): Promise<void> {
		await asked.catch((error: unknown) => {
			if (!(error instanceof Refused)) throw error;
		});
	}

	#next(): string {
		return `${this.#key}-${++this.#said}`;
	}
}
