// Which events and deltas a reader of the event stream wants. The journal is queried with the same conditions, so that
// catching up reads no more than it sends.
import type { Event } from "#contract/event.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { isItem, rowChangingItems } from "#contract/item-kinds.ts";
import { looseData } from "#contract/loose-data.ts";
import type { Delta } from "#contract/stream.ts";
import type { EventRange, Reads } from "#engine/ports/store.ts";

export interface EventQuery {
	agent?: AgentId | undefined;
	project?: ProjectSlug | undefined;
	kinds?: readonly string[] | undefined;
	/** items only of these agents */
	threads?: readonly AgentId[] | undefined;
}

/** the most ids that one query of the journal scans, unless it uses one agent's index */
export const windowIds = 20_000;

export class StreamFilter {
	readonly #wanted: EventQuery;
	/** of the wanted project; later ones are added from their events */
	readonly #agents: Set<AgentId>;
	readonly #issues: Set<number>;

	static async of(wanted: EventQuery, reads: Pick<Reads, "agentIds" | "issueIds">): Promise<StreamFilter> {
		const { project } = wanted;
		if (project === undefined) return new StreamFilter(wanted, [], []);
		const [agents, issues] = await Promise.all([reads.agentIds(project), reads.issueIds(project)]);
		return new StreamFilter(wanted, agents, issues);
	}

	private constructor(wanted: EventQuery, agents: readonly AgentId[], issues: readonly number[]) {
		this.#wanted = wanted;
		this.#agents = new Set(agents);
		this.#issues = new Set(issues);
	}

	/** whether the reader gets everything */
	get isOpen(): boolean {
		return Object.values(this.#wanted).every((each) => each === undefined);
	}

	/** whether the reader folds events into rows of its own */
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
				rowChanging.includes(event.kind) ||
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

	/** The next part of the journal to read; `last` is the newest known event. */
	range(after: number, last: number, limit: number): EventRange {
		const { agent, project, kinds, threads } = this.#wanted;
		const byIndex = agent !== undefined || this.isOpen;
		return {
			...{ after, limit, ...(!byIndex && { upTo: Math.min(last, after + windowIds) }) },
			...(agent !== undefined && { agent }),
			...(project !== undefined && { project }),
			...(kinds !== undefined && { kinds: project === undefined ? kinds : [...kinds, ...joiningKinds] }),
			...(threads !== undefined && { itemsOf: threads }),
		};
	}

	#isOfProject(event: Event): boolean {
		const { project } = this.#wanted;
		if (project === undefined) return true;
		const { id, agent, kind } = event;
		const about = looseData(event.data);
		if (kind === "agent.spawned" && agent !== null && about.project === project) this.#agents.add(agent);
		if (kind === "issue.added" && about.project === project) this.#issues.add(id);
		if (agent !== null) return this.#agents.has(agent);
		return (
			about.slug === project ||
			about.project === project ||
			this.#issues.has(id) ||
			(typeof about.issueId === "number" && this.#issues.has(about.issueId))
		);
	}
}

/** Read whatever kinds are wanted: without them events of a later agent or issue are not known to be of the project. */
const joiningKinds = ["agent.spawned", "issue.added"];

const rowChanging: readonly string[] = rowChangingItems;
