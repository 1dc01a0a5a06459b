// The rows that a screen shows, and the views of them: the same functions, and so the same answers, as the server's
// routes.
//
// A client keeps one and folds events into it; the server builds one for the tree, from rows read at one moment.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { needsPerson } from "#contract/issue.ts";
import type { Issue } from "#contract/issue-wire.ts";
import type { MirrorRequest } from "#contract/mirror-request.ts";
import type { Inbox, TreeRow } from "#contract/overviews.ts";
import type { PendingWork } from "#contract/pending-work.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { MirroredRows, Unjournaled } from "#contract/rows.ts";
import type { Agent, Approval, Mail, Project, Prompt, Subscription, Turn } from "#contract/wire.ts";
import { mayStart } from "#domain/availability.ts";
import type { Folded } from "#domain/fold/fold.ts";
import { byStart, nextDue } from "#domain/prompt.ts";
import { type Schedule, schedule } from "#domain/schedule.ts";
import { agentShown, isBusy } from "./agents.ts";
import { BoardGaps } from "./board-gaps.ts";
import { issueView } from "./issue.ts";
import { rowsShown } from "./mirrored-rows.ts";
import { inboxOf, treeOf } from "./overviews.ts";
import { foldInto } from "./rows.ts";
import { approvalView, mailView, projectView, promptView, subscriptionView, turnView } from "./wire.ts";

/**
 * What the views need beside the rows: the time, the turn limit, and state that the daemon keeps outside the journal.
 */
export interface MirrorViewInput extends Unjournaled {
	now: number;
	/** monotonic time, for cool-downs */
	monotonic: number;
	turnsMax: number;
}

type InboxLists = { agents?: readonly Agent[] | undefined; subscriptions?: Subscription[] | undefined };

export class Mirrored {
	readonly rows;
	#shown: Pick<MirrorRequest, "boards" | "threads">;
	readonly #gaps: BoardGaps;
	readonly #idle = new WeakMap<AgentState, Agent>();

	constructor(rows: Omit<MirroredRows, "last" | "items">, shown: Pick<MirrorRequest, "boards" | "threads">) {
		this.#shown = shown;
		this.rows = rowsShown(rows, () => this.#shown);
		this.#gaps = new BoardGaps(shown.boards, rows.issues);
	}

	/** Takes time in proportion to what the event changes, not to the number of rows. */
	fold(event: Folded): void {
		this.#gaps.watch(event, this.rows.issue, () => foldInto(this.rows, event));
	}

	/** Boards that lack issues since an event, each once; their rows are to be added. */
	takeLackingBoards(): ProjectSlug[] {
		return this.#gaps.take().filter((board) => this.#shown.boards.includes(board));
	}

	/** Shows other boards and threads from now on. Rows that are no longer shown go; `add` brings the new ones. */
	show(shown: Pick<MirrorRequest, "boards" | "threads">): void {
		this.#shown = shown;
		for (const rows of [this.rows.mail, this.rows.turn, this.rows.issue, this.rows.run]) rows.sweep();
	}

	/** Adds the rows of boards and threads as they were at one event; `since` is what has happened after it. */
	add(rows: Omit<MirroredRows, "last" | "items">, since: readonly Folded[]): void {
		const part = new Mirrored(rows, this.#shown);
		for (const event of since) part.fold(event);
		// reaped ones that the issues name
		for (const [id, row] of part.rows.agent) if (!this.rows.agent.has(id)) this.rows.agent.set(id, row);
		replace(this.rows.prompt, part.rows.prompt);
		replace(this.rows.mail, part.rows.mail);
		replace(this.rows.turn, part.rows.turn);
		replace(this.rows.issue, part.rows.issue);
		replace(this.rows.run, part.rows.run);
		this.#gaps.add(part.#gaps, this.rows.issue);
	}

	/** All agents but reaped ones, oldest first. */
	agents(input: MirrorViewInput, { project }: { project?: ProjectSlug | undefined } = {}): Agent[] {
		const shown = [...this.rows.agent.values()].filter(
			(agent) => (project === undefined || agent.project === project) && agent.reapedAt === null,
		);
		const schedule = shown.some((agent) => this.#isBusy(agent)) ? this.#schedule(input) : null;
		return shown.map((agent) => this.#agent(agent, input, schedule));
	}

	agent(id: AgentId, input: MirrorViewInput): Agent | undefined {
		const row = this.rows.agent.get(id);
		return row && this.#agent(row, input, this.#isBusy(row) ? this.#schedule(input) : null);
	}

	/** The agent's queue, the next prompt first. */
	queue(agent: AgentId): Prompt[] {
		return this.#queued(agent).map((prompt, at) => promptView(prompt, at + 1));
	}

	/** All mail that was not deleted, oldest first. */
	mail(agent: AgentId): Mail[] {
		return this.rows.mail.of(agent).map(mailView);
	}

	turns(agent: AgentId): Turn[] {
		return this.rows.turn.of(agent).map(turnView);
	}

	/** Pending approvals, oldest first. */
	approvals(): Approval[] {
		return [...this.rows.approval.values()].map((approval) =>
			approvalView(approval, this.#withSupervisors(approval.agent)),
		);
	}

	/** What needs a person; issues only of the boards that are shown. A caller may pass lists that it has. */
	inbox(
		input: MirrorViewInput,
		{ agents = this.agents(input), subscriptions = this.subscriptions(input) }: InboxLists = {},
	): Inbox {
		const boards = this.#shown.boards.filter((board) => this.rows.issue.of(board).some(needsPerson));
		const issues = boards.flatMap((board) => this.issues(board));
		return inboxOf({ approvals: this.approvals(), agents, issues, subscriptions, nodes: this.rows.node.values() });
	}

	/** The agents but reaped ones, each before those below it. */
	tree(input: MirrorViewInput, { project }: { project?: ProjectSlug | undefined } = {}): TreeRow[] {
		return treeOf(this.agents(input, { project }));
	}

	projects({ projectProblems }: Pick<Unjournaled, "projectProblems">): Project[] {
		const shown = [...this.rows.project.values()]
			.filter(({ removedAt }) => removedAt === null)
			.toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
		return shown.map((project) => projectView(project, projectProblems[project.slug] ?? null));
	}

	subscriptions(input: Pick<MirrorViewInput, "subscriptionProblems" | "monotonic">): Subscription[] {
		const { subscriptionProblems: problems, monotonic: now } = input;
		const shown = [...this.rows.subscription.values()]
			.filter(({ removedAt }) => removedAt === null)
			.toSorted((a, b) => (a.name < b.name ? -1 : 1));
		const leases = [...this.rows.turnLease.values()];
		return shown.map((each) => subscriptionView(each, { leases, now, problem: problems[each.name] ?? null }));
	}

	/** The issues of a project that were not deleted, oldest first. */
	issues(slug: ProjectSlug): Issue[] {
		const project = this.rows.project.get(slug);
		if (project === undefined || project.removedAt !== null) return [];
		const all = this.rows.issue.of(slug);
		if (all.length === 0) return [];
		const handles = new Map([...this.rows.agent.values()].map(({ id, handle }): [AgentId, Handle] => [id, handle]));
		return all
			.filter(({ deletedAt }) => deletedAt === null)
			.map((issue) => issueView(issue, { project, all, runs: this.rows.run.of(issue.id), handles }));
	}

	/** One with nothing to do looks the same until its row or its mail changes: that is most of many agents. */
	#agent(agent: AgentState, { phases, now }: MirrorViewInput, schedule: Schedule | null): Agent {
		const pending = this.#pendingWork(agent.id, now);
		if (isBusy(agent, pending)) return agentShown(agent, pending, { phases, now, schedule });
		const known = this.#idle.get(agent);
		if (known?.unreadMail === pending.unreadMail) return known;
		const made = agentShown(agent, pending, { phases, now, schedule });
		this.#idle.set(agent, made);
		return made;
	}

	#pendingWork(agent: AgentId, now: number): PendingWork {
		const queue = this.#queued(agent);
		const times = queue.flatMap(({ notBefore }) => notBefore ?? []);
		return {
			queueLength: queue.length,
			due: queue.filter(({ notBefore }) => notBefore === null || notBefore <= now).length,
			notBefore: times.length === 0 ? null : Math.min(...times),
			unreadMail: this.rows.mail.of(agent).filter(({ state }) => state !== "read").length,
			pendingApprovals: this.rows.approval.sizeOf(agent),
			wait: this.rows.wait.of(agent).at(-1) ?? null,
		};
	}

	#isBusy(agent: AgentState): boolean {
		const queued = this.rows.prompt.of(agent.id).filter(({ taken }) => taken === null);
		return isBusy(agent, { queueLength: queued.length });
	}

	#queued(agent: AgentId): PromptState[] {
		return this.rows.prompt
			.of(agent)
			.filter(({ taken }) => taken === null)
			.toSorted(byStart);
	}

	#schedule({ now, monotonic, turnsMax }: MirrorViewInput): Schedule {
		const { agent: agents, prompt, turnLease, wait, turn, subscription, project, node } = this.rows;
		const heads = [...agents.values()].flatMap((agent) => {
			const next = prompt.sizeOf(agent.id) === 0 ? undefined : nextDue(this.#queued(agent.id), now);
			if (next === undefined || !mayStart(agent, next)) return [];
			const { id, priority, manual, source, createdAt, notBefore } = next;
			return { agent, prompt: id, priority, manual, source, since: Math.max(createdAt, notBefore ?? 0) };
		});
		const waiters = [...wait.values()].flatMap((each) => {
			const [agent, open] = [each.agent === null ? undefined : agents.get(each.agent), turn.get(each.turn ?? 0)];
			if (each.ready === null || agent === undefined || open?.state !== "open") return [];
			return { agent, wait: each.id, subscription: open.subscription };
		});
		const served = new Map<ProjectSlug | null, number>();
		for (const { project: of, turnStartedAt } of agents.values())
			if (turnStartedAt !== null) served.set(of, Math.max(turnStartedAt, served.get(of) ?? 0));
		const capacity = {
			subscriptions: [...subscription.values()],
			projects: [...project.values()],
			leases: [...turnLease.values()],
			nodes: [...node.values()],
			turnsMax,
			now,
			monotonic,
		};
		return schedule({ ...capacity, heads, waiters, served });
	}

	/** The agent and its supervisors, nearest first. */
	#withSupervisors(id: AgentId): AgentState[] {
		const path: AgentState[] = [];
		for (
			let next = this.rows.agent.get(id);
			next !== undefined;
			next = next.supervisor === null ? undefined : this.rows.agent.get(next.supervisor)
		)
			path.push(next);
		return path;
	}
}

/** Also in their order: rows of one group are shown as they were inserted. */
function replace<V>(rows: Map<number, V>, others: ReadonlyMap<number, V>): void {
	for (const [id, row] of others) {
		rows.delete(id);
		rows.set(id, row);
	}
}
