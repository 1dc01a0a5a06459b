// Agents by name: before an answer is printed, `agent:<id>` in it becomes the agent's name. JSON keeps the ids.
import type { Client } from "#client/client.ts";
import { withSenders } from "#views/mail-senders.ts";

const actor = /^agent:([A-Za-z0-9][A-Za-z0-9_-]{21})$/;
const sender = /^\[mail \d+ from agent:([\w-]+)\]/gm;
const id = /^[A-Za-z0-9][A-Za-z0-9_-]{21}$/;

interface Reference {
	holder: object;
	key: string;
	id: string;
	/** it heads a mail in a prompt, and is not the whole text */
	isSender?: boolean;
}

export class AgentNames {
	readonly #client: Pick<Client, "call">;
	/** null for one that nobody knows any more */
	readonly #names = new Map<string, string | null>();

	constructor(client: Pick<Client, "call">) {
		this.#client = client;
	}

	/**
	 * Changes the data in place: who did it, who asks for approval, who sent the mail in a prompt, and agents in the
	 * input of tool calls.
	 */
	async putInto(data: unknown): Promise<void> {
		const references = [...referencesIn(data, false)];
		const asked = new Set(references.map((reference) => reference.id).filter((each) => !this.#names.has(each)));
		if (asked.size > 0) await this.#learn(asked);
		for (const { holder, key, id: agent, isSender } of references) {
			const name = this.#names.get(agent) ?? null;
			if (name === null) continue;
			const nameOf = (by: string): string => (by === `agent:${agent}` ? name : by);
			Reflect.set(holder, key, isSender === true ? withSenders(String(Reflect.get(holder, key)), nameOf) : name);
		}
	}

	async #learn(asked: ReadonlySet<string>): Promise<void> {
		const listed = await this.#client.call("agents", { query: {} }).catch(() => []);
		const missing = [...asked].filter((each) => !listed.some((agent) => agent.id === each));
		const reaped = await Promise.all(
			missing.map(async (agent) => await this.#client.call("agent", { params: { agent } }).catch(() => null)),
		);
		const all = [...listed, ...reaped.filter((agent) => agent !== null)];
		const byHandle = Map.groupBy(all, ({ handle }) => handle);
		for (const each of asked) this.#names.set(each, null);
		for (const { id: agent, handle, project } of all) {
			const isOnly = project === null || byHandle.get(handle)?.length === 1;
			this.#names.set(agent, isOnly ? handle : `${project}/${handle}`);
		}
	}
}

function* referencesIn(value: unknown, isInput: boolean): Generator<Reference> {
	if (typeof value !== "object" || value === null) return;
	for (const [key, each] of Object.entries(value)) {
		if (key === "text" && "kind" in value && value.kind === "user")
			for (const [, agent = ""] of String(each).matchAll(sender))
				yield { holder: value, key, id: agent, isSender: true };
		const isId = isInput || (key === "agent" && "askedAt" in value);
		const found = typeof each === "string" ? (actor.exec(each)?.[1] ?? (isId && id.test(each) ? each : null)) : null;
		if (found !== null) yield { holder: value, key, id: found };
		else yield* referencesIn(each, isInput || key === "input");
	}
}
