// Freezes an agent's processes (SIGSTOP) while its files are copied, for a bounded time.
import type { AgentId } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import { type Process, signal } from "../system/processes.ts";

const frozenMsMax = 2000;

export class Freezer {
	readonly #freezing = new Map<AgentId, Promise<unknown>>();

	async frozen<T>(agent: AgentId, find: () => Process[], work: (lasted: () => boolean) => Promise<T>): Promise<T> {
		// one at a time: the end of the first would resume processes that the second needs stopped
		const before = this.#freezing.get(agent) ?? Promise.resolve();
		const mine = before.then(async () => await freeze(find(), work));
		const over = mine.catch(expected("the caller gets the rejection"));
		this.#freezing.set(agent, over);
		try {
			return await mine;
		} finally {
			if (this.#freezing.get(agent) === over) this.#freezing.delete(agent);
		}
	}
}

async function freeze<T>(stopped: Process[], work: (lasted: () => boolean) => Promise<T>): Promise<T> {
	let lasted = true;
	const resume = (): void => {
		for (const each of stopped.splice(0)) signal(each, "SIGCONT");
	};
	for (const each of stopped) signal(each, "SIGSTOP");
	const timer = setTimeout(() => {
		lasted = false;
		resume();
	}, frozenMsMax);
	try {
		return await work(() => lasted);
	} finally {
		clearTimeout(timer);
		resume();
	}
}
