// A steady load of what people do with agents: turns that write and turns that do not, commits, merges, mail, forks
// and deletions. Refusals because of the moment (an agent is busy, a tree is dirty) are counted, not failures.
import type { Client } from "#client/client.ts";
import { Refused } from "#client/client.ts";
import type { Agent } from "#contract/wire.ts";

/** in order of execution; most are turns that write */
const actions = [
	"write",
	"write",
	"say",
	"write",
	"commit",
	"write",
	"mail",
	"write",
	"approve",
	"write",
	"fork",
	"write",
	"shell",
	"write",
	"say",
	"churn",
] as const;
type Action = (typeof actions)[number];

const forksMax = 5;
const turnMs = 180_000;
const project = "soak";

export class Load {
	readonly done: Record<string, number> = {};
	readonly refused: Record<string, number> = {};
	readonly failures: string[] = [];
	/** the id of the newest event seen */
	events = 0;
	readonly #client: Client;
	readonly #agents: Agent[] = [];
	readonly #forks: Agent[] = [];
	readonly #waiting = new Map<string, () => void>();
	#count = 0;
	#names = 0;

	constructor(client: Client) {
		this.#client = client;
	}

	async populate(agents: number): Promise<void> {
		while (this.#agents.length < agents) this.#agents.push(await this.#add());
	}

	/** Follows the journal, to wake those that wait for a turn. */
	async listen(signal: AbortSignal): Promise<void> {
		for await (const event of this.#client.events(0, signal)) {
			this.events = event.id;
			if (event.kind === "turn.ended" && event.agent !== null) this.#waiting.get(event.agent)?.();
		}
	}

	/** One operation; the count decides which, and on which agent. */
	async next(): Promise<void> {
		const number = this.#count++;
		const action = actions[number % actions.length] ?? "say";
		// shifted by one each round, so that each agent gets every operation
		const agent = this.#agents[(number * 7 + Math.floor(number / actions.length)) % this.#agents.length];
		if (agent === undefined) return;
		try {
			await this.#do(action, agent, number);
			this.done[action] = (this.done[action] ?? 0) + 1;
		} catch (error) {
			if (error instanceof Refused && error.refusal.code !== "INTERNAL_ERROR")
				this.refused[error.refusal.code] = (this.refused[error.refusal.code] ?? 0) + 1;
			else this.failures.push(`${action}: ${error instanceof Error ? error.message : String(error)}`);
		}
	}

	async #do(action: Action, agent: Agent, number: number): Promise<void> {
		const params = { agent: agent.id };
		switch (action) {
			case "write":
				return await this.#turn(
					agent,
					`write src/own-${this.#agents.indexOf(agent)}-${number % 3}.txt ${`words ${number} `.repeat(100)}`,
				);
			case "say":
				return await this.#turn(agent, "say nothing new");
			case "shell":
				return await this.#turn(agent, "run ls -R . | head -50");
			case "commit":
				return void (await this.#client.call("commit", { params, body: { message: `work ${number}` } }));
			case "approve":
				await this.#client.callOrRefusal("commit", { params, body: { message: `work ${number}` } });
				return void (await this.#client.call("approve", { params, body: {} }));
			case "mail":
				return void (await this.#client.call("send", { params, body: { body: `mail ${number}` } }));
			case "fork":
				return await this.#fork(agent, number);
			case "churn":
				return await this.#replace(agent);
		}
	}

	async #turn(agent: Agent, text: string): Promise<void> {
		if (this.#waiting.has(agent.id)) return;
		const over = Promise.withResolvers<void>();
		const timer = setTimeout(
			() => over.reject(new Error(`the turn of ${agent.handle} did not end within ${turnMs / 1000} s`)),
			turnMs,
		);
		this.#waiting.set(agent.id, over.resolve);
		try {
			await this.#client.call("prompt", { params: { agent: agent.id }, body: { text } });
			await over.promise;
		} finally {
			clearTimeout(timer);
			this.#waiting.delete(agent.id);
		}
	}

	async #fork(agent: Agent, number: number): Promise<void> {
		const child = await this.#client.ask("fork", {
			params: { agent: agent.id },
			body: { name: `fork-${++this.#names}` },
		});
		this.#forks.push(child);
		await this.#turn(child, `write src/fork.txt ${number}`);
		if (this.#forks.length > forksMax) await this.#delete(this.#forks.shift());
	}

	/** Deletes an agent and adds another, so that their number stays the same. */
	async #replace(agent: Agent): Promise<void> {
		if (this.#waiting.has(agent.id)) return;
		await this.#delete(agent);
		this.#agents[this.#agents.indexOf(agent)] = await this.#add();
	}

	async #delete(agent: Agent | undefined): Promise<void> {
		if (agent !== undefined)
			await this.#client.call("agentDelete", {
				params: { agent: agent.id },
				body: { force: true, deleteBranch: true, reason: "soak" },
			});
	}

	async #add(): Promise<Agent> {
		return await this.#client.ask("agentAddTo", {
			params: { project },
			body: { name: `agent-${++this.#names}`, type: "scripted" },
		});
	}
}
