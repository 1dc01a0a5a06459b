// The store's questions about rows in memory.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { isItem } from "#contract/item.ts";
import type { MailState } from "#contract/mail.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { MirroredRows, MirrorRequest } from "#contract/rows.ts";
import type { Hit, SearchQuery } from "#contract/search.ts";
import type { LeaseState, SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";
import type { Counts, EventRange, QueueEnds, QueueHead, Ranges, Reads } from "#engine/ports/store.ts";
import { historyIn, rangesIn } from "./history.ts";
import { MemoryIssueReads } from "./issue-reads.ts";
import { eventsIn, itemsIn } from "./journal.ts";
import { mirroredIn } from "./mirrored.ts";
import { asTheyStart, headOf } from "./queue.ts";
import type { Rows } from "./rows.ts";
import { hitsIn } from "./search.ts";

export class MemoryReads extends MemoryIssueReads implements Reads {
	/** Whatever is read in one go sees no batch half done. */
	async #read<T>(pick: (rows: Rows) => T): Promise<T> {
		await this.settled();
		return pick(this.rows);
	}

	async #where<Row>(table: ReadonlyMap<unknown, Row>, wanted: (row: Row) => boolean): Promise<Row[]> {
		return await this.#read(() => [...table.values()].filter(wanted));
	}

	async #agents(wanted: (agent: AgentState) => boolean): Promise<AgentState[]> {
		return await this.#where(this.rows.agents, wanted);
	}

	async agent(id: AgentId): Promise<AgentState | undefined> {
		return await this.#read(({ agents }) => agents.get(id));
	}

	async agentByHandle(project: ProjectSlug | null, handle: Handle): Promise<AgentState | undefined> {
		return (await this.#agents((agent) => agent.project === project && agent.handle === handle))[0];
	}

	async agentsNamed(reference: string): Promise<AgentState[]> {
		const tail = reference.slice(reference.indexOf("/") + 1);
		return await this.#agents(({ id, handle }) => id.startsWith(reference) || handle === reference || handle === tail);
	}

	async agents({ project, life }: { project?: ProjectSlug; life?: AgentState["life"] } = {}): Promise<AgentState[]> {
		return await this.#agents(
			(agent) => (project === undefined || agent.project === project) && (life === undefined || agent.life === life),
		);
	}

	async children(supervisor: AgentId): Promise<AgentState[]> {
		return await this.#agents((agent) => agent.supervisor === supervisor && agent.life !== "ended");
	}

	async descendants(supervisor: AgentId): Promise<AgentState[]> {
		const generations: AgentState[][] = [];
		let above = new Set([supervisor]);
		while (above.size > 0) {
			const parents = above;
			const next = await this.#agents(
				(agent) => agent.supervisor !== null && parents.has(agent.supervisor) && agent.life !== "ended",
			);
			generations.unshift(next);
			above = new Set(next.map((agent) => agent.id));
		}
		return generations.flat();
	}

	async above(id: AgentId): Promise<AgentId[]> {
		await this.settled();
		const found: AgentId[] = [];
		for (
			let next = this.rows.agents.get(id)?.supervisor ?? null;
			next !== null;
			next = this.rows.agents.get(next)?.supervisor ?? null
		)
			found.push(next);
		return found;
	}

	async project(slug: ProjectSlug): Promise<ProjectState | undefined> {
		return await this.#read(({ projects }) => projects.get(slug));
	}

	async projects(): Promise<ProjectState[]> {
		return await this.#read(({ projects }) => [...projects.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1)));
	}

	async event(id: number): Promise<Event | undefined> {
		return await this.#read(({ events }) => events[id - 1]);
	}

	async itemsBefore(agent: AgentId, before: number, limit: number): Promise<Event[]> {
		return await this.#read((rows) => itemsIn(rows, agent, before).slice(-limit));
	}

	async mirrored(request: MirrorRequest): Promise<MirroredRows> {
		return await this.#read((rows) => mirroredIn(rows, request));
	}

	async newestItem(agent: AgentId): Promise<Event | undefined> {
		return await this.#read(({ events }) => events.findLast((event) => event.agent === agent && isItem(event)));
	}

	async newestOfKind(agent: AgentId, kind: string, upTo: number): Promise<Event | undefined> {
		return await this.#read(({ events }) =>
			events.findLast((event) => event.agent === agent && event.kind === kind && event.id <= upTo),
		);
	}

	async ranges(leaf: AgentId): Promise<Ranges> {
		return await this.#read((rows) => rangesIn(rows, leaf));
	}

	async history(agent: AgentId): Promise<{ items: Event[]; whole: boolean }> {
		return await this.#read((rows) => historyIn(rows, agent));
	}

	async controls(agent: AgentId): Promise<Event[]> {
		const { items } = await this.history(agent);
		return items.filter((item) => item.kind === "mark" || item.kind === "rewind");
	}

	async prompts(agent: AgentId): Promise<PromptState[]> {
		const own = await this.#where(this.rows.prompts, (prompt) => prompt.agent === agent && prompt.taken === null);
		return own.sort(asTheyStart);
	}

	async prompt(id: number): Promise<PromptState | undefined> {
		return await this.#read(({ prompts }) => prompts.get(id));
	}

	async placeInQueue(id: number): Promise<number> {
		const prompt = await this.prompt(id);
		return prompt === undefined ? 0 : (await this.prompts(prompt.agent)).findIndex((each) => each.id === id) + 1;
	}

	#queued(): PromptState[] {
		return [...this.rows.prompts.values()].filter(({ taken }) => taken === null);
	}

	async queue(agent: AgentId): Promise<QueueEnds> {
		const places = (await this.prompts(agent)).map(({ position }) => position);
		const front = places.filter((position) => position < 0);
		return {
			length: places.length,
			first: end(Math.min, places),
			last: end(Math.max, places),
			lastFront: end(Math.max, front),
		};
	}

	async livingAgents(): Promise<number> {
		return (await this.#agents((agent) => agent.life !== "ended")).length;
	}

	async lastEvent(): Promise<number> {
		return await this.#read(({ events }) => events.length);
	}

	async events(range: EventRange): Promise<Event[]> {
		return await this.#read((rows) => eventsIn(rows, range));
	}

	async counts(): Promise<Map<AgentId, Counts>> {
		const counts = new Map<AgentId, Counts>();
		for (const id of this.rows.agents.keys()) {
			const [queueLength, unreadMail] = [(await this.prompts(id)).length, await this.unreadMail(id)];
			if (queueLength + unreadMail > 0) counts.set(id, { queueLength, unreadMail });
		}
		return counts;
	}

	async queueHeads(now: number): Promise<{ agent: AgentState; head: QueueHead }[]> {
		await this.settled();
		const due = this.#queued().filter(({ notBefore }) => notBefore === null || notBefore <= now);
		const queues = Map.groupBy(due, (prompt) => prompt.agent);
		return [...this.rows.agents.values()].flatMap((agent) => {
			const [next] = queues.get(agent.id)?.sort(asTheyStart) ?? [];
			return next === undefined ? [] : [{ agent, head: headOf(next) }];
		});
	}

	async subscriptions(): Promise<SubscriptionState[]> {
		return (await this.#where(this.rows.subscriptions, () => true)).sort((a, b) => (a.name < b.name ? -1 : 1));
	}

	async leases(): Promise<LeaseState[]> {
		return await this.#read(({ leases }) => [...leases.values()].sort((a, b) => a.turn - b.turn));
	}

	async nextPromptAt(now: number): Promise<number | null> {
		await this.settled();
		const later = this.#queued().flatMap(({ notBefore }) => (notBefore !== null && notBefore > now ? [notBefore] : []));
		return later.length === 0 ? null : Math.min(...later);
	}

	async search(request: SearchQuery): Promise<Hit[]> {
		return await this.#read((rows) => hitsIn(rows, request));
	}

	async approval(id: number): Promise<ApprovalState | undefined> {
		return await this.#read(({ approvals }) => approvals.get(id));
	}

	async pendingApprovals(agent?: AgentId): Promise<ApprovalState[]> {
		const asksFor = (approval: ApprovalState) => agent === undefined || approval.agent === agent;
		return await this.#where(this.rows.approvals, (approval) => approval.state === "pending" && asksFor(approval));
	}

	async wait(id: number): Promise<WaitState | undefined> {
		return await this.#read(({ waits }) => waits.get(id));
	}

	async openWaits(): Promise<WaitState[]> {
		return await this.#where(this.rows.waits, (wait) => wait.state === "open");
	}

	async turn(id: number): Promise<TurnState | undefined> {
		return await this.#read(({ turns }) => turns.get(id));
	}

	async turns(agent: AgentId): Promise<TurnState[]> {
		return await this.#where(this.rows.turns, (turn) => turn.agent === agent);
	}

	async latestTurns(agent: AgentId, limit: number): Promise<TurnState[]> {
		return (await this.turns(agent)).slice(-limit);
	}

	async lastServed(): Promise<Map<ProjectSlug | null, number>> {
		await this.settled();
		const served = new Map<ProjectSlug | null, number>();
		for (const { agent, startedAt } of this.rows.turns.values())
			served.set(this.rows.agents.get(agent)?.project ?? null, startedAt);
		return served;
	}

	async openTurns(): Promise<TurnState[]> {
		return await this.#where(this.rows.turns, (turn) => turn.state === "open");
	}

	async agentsAboutToBegin(): Promise<AgentState[]> {
		return (await this.openTurns()).flatMap((turn) =>
			turn.handedAt === null ? (this.rows.agents.get(turn.agent) ?? []) : [],
		);
	}

	async callsOfTurn(agent: AgentId, turn: number): Promise<{ kind: string; data: unknown }[]> {
		return await this.#read(({ events }) =>
			events.filter((event) => event.agent === agent && event.turn === turn && event.kind.startsWith("tool_")),
		);
	}

	async mail(id: number): Promise<MailState | undefined> {
		return await this.#read(({ mails }) => mails.get(id));
	}

	async mails(agent: AgentId): Promise<MailState[]> {
		return await this.#where(this.rows.mails, (mail) => mail.to === agent && mail.deletedAt === null);
	}

	async unreadMail(agent: AgentId): Promise<number> {
		return (await this.mails(agent)).filter((mail) => mail.state !== "read").length;
	}

	async agentsWithUrgentMail(): Promise<AgentId[]> {
		return (await this.#where(this.rows.mails, (mail) => mail.urgent && isNew(mail))).map((mail) => mail.to);
	}

	async agentsWithNewMail(): Promise<AgentState[]> {
		const waiting = new Set((await this.#where(this.rows.mails, isNew)).map((mail) => mail.to));
		return await this.#agents((agent) => waiting.has(agent.id));
	}
}

const isNew = ({ state, deletedAt }: MailState): boolean => state === "accepted" && deletedAt === null;

const end = (pick: (...numbers: number[]) => number, numbers: readonly number[]): number | null =>
	numbers.length === 0 ? null : pick(...numbers);
