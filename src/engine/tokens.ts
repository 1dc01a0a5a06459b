// The tokens of running agent processes. A token authenticates its agent while the process runs; it is only in memory.
import type { AgentId } from "#contract/ids.ts";
import type { Ids } from "./ports/clock.ts";

export class ProcessTokens {
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

	/** The agent of a token, if its process still runs. */
	agentOf(token: string): AgentId | undefined {
		return this.#agents.get(token);
	}
}
