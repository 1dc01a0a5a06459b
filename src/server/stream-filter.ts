// Which events and deltas a reader of the event stream asked for. The journal is asked with the same conditions, so
// that catching up reads no more than it gives.
import type { Event } from "#contract/event.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { isItem, tellingItems } from "#contract/item.ts";
import type { Delta } from "#contract/stream.ts";
import type { EventRange, Reads } from "#engine/ports/store.ts";

export interface Wanted {
	agent?: AgentId | undefined;
	project?: ProjectSlug | undefined;
	kinds?: readonly string[] | undefined;
	/** items only of these */
	threads?: readonly AgentId[] | undefined;
}

/** ids that one question to the journal looks through at most, unless it goes by one agent's index */
const windowIds = 20_000;

export class StreamFilter {
	readonly #wanted: Wanted;
	/** of the project that is asked for; those that are made later are learned from their events */
	readonly #agents: Set<AgentId>;
	readonly #issues: Set<number>;

	static async of(wanted: Wanted, reads: Reads): Promise<StreamFilter> {
		const { project } = wanted;
		if (project === undefined) return new StreamFilter(wanted, [], []);
		const [agents, issues] = await Promise.all([reads.agents({ project }), reads.issues(project)]);
		return new StreamFilter(
			wanted,
			agents.map(({ id }) => id),
			issues.map(({ id }) => id),
		);
	}

	private constructor(wanted: Wanted, agents: readonly AgentId[], issues: readonly number[]) {
		this.#wanted = wanted;
		this.#agents = new Set(agents);
		this.#issues = new Set(issues);
	}

	/** nothing is left out */
	get isOpen(): boolean {
		return Object.values(this.#wanted).every((each) => each === undefined);
	}

	/** a client that folds events into rows of its own */
	get isMirror(): boolean {
		return this.#wanted.threads !== undefined;
	}

	takes(event: Event): boolean {
		const { agent, kinds, threads } = this.#wanted;
		return (
			this.#isOfProject(event) &&
			(agent === undefined || event.agent === agent) &&
			(kinds === undefined || kinds.includes(event.kind) || kinds.includes(event.kind.split(".")[0] ?? "")) &&
			(threads === undefined ||
				!isItem(event) ||
				telling.includes(event.kind) ||
				(event.agent !== null && threads.includes(event.agent)))
		);
	}

	takesDelta({ agent, kind }: Delta): boolean {
		const { agent: only, project, kinds, threads } = this.#wanted;
		return (
			(only === undefined || only === agent) &&
			(project === undefined || this.#agents.has(agent)) &&
			(kinds === undefined || kinds.includes(kind)) &&
			(threads === undefined || threads.includes(agent))
		);
	}

	/** The next part of the journal to be read, of which `last` is the last event that is known. */
	range(after: number, last: number, limit: number): EventRange {
		const { agent, project, kinds, threads } = this.#wanted;
		const byIndex = agent !== undefined || this.isOpen;
		return {
			...{ after, limit, ...(!byIndex && { upTo: Math.min(last, after + windowIds) }) },
			...(agent !== undefined && { agent }),
			...(project !== undefined && { project }),
			...(kinds !== undefined && { kinds }),
			...(threads !== undefined && { itemsOf: threads }),
		};
	}

	#isOfProject({ id, agent, kind, data }: Event): boolean {
		const { project } = this.#wanted;
		if (project === undefined) return true;
		const told: { project?: unknown; slug?: unknown; issue?: unknown } = Object(data);
		if (kind === "agent.spawned" && agent !== null && told.project === project) this.#agents.add(agent);
		if (kind === "issue.added" && told.project === project) this.#issues.add(id);
		if (agent !== null) return this.#agents.has(agent);
		return (
			told.slug === project || this.#issues.has(id) || (typeof told.issue === "number" && this.#issues.has(told.issue))
		);
	}
}

const telling: readonly string[] = tellingItems;
