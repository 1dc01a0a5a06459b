// The secrets of living agent processes. A token acts for its agent while the process lives; it is kept in memory only.
import type { AgentId } from "#contract/ids.ts";
import type { Ids } from "./ports/clock.ts";

export class Tokens {
	readonly #ids: Ids;
	readonly #agents = new Map<string, AgentId>();

	constructor(ids: Ids) {
		this.#ids = ids;
	}

	issue(agent: AgentId): string {
		const token = this.#ids.secret();
		this.#agents.set(token, agent);
		return token;
	}

	revoke(token: string): void {
		this.#agents.delete(token);
	}

	/** The agent that a token speaks for, if its process is still there. */
	agentOf(token: string): AgentId | undefined {
		return this.#agents.get(token);
	}
}
