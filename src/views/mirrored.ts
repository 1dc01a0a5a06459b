// The rows of a screen, and everything that it shows of them: exactly what the server's routes answer, from the same
// functions.
//
// The server builds one of these for a request, from one snapshot of the store; a client keeps one and folds events
// into it.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import type { IssueState, NoteState, RunState } from "#contract/issue.ts";
import type { Issue } from "#contract/issue-wire.ts";
import type { MailState } from "#contract/mail.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { MirroredRows, MirrorRequest, Unjournaled } from "#contract/rows.ts";
import type { Phase, TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";
import type { Agent, Approval, Mail, Project, Prompt, Subscription, Turn } from "#contract/wire.ts";
import { availableAt, isIdle, waitsElsewhere } from "#domain/availability.ts";
import type { Folded } from "#domain/fold/fold.ts";
import { asTheyStart, nextDue } from "#domain/prompt.ts";
import { type Schedule, schedule } from "#domain/schedule.ts";
import { Grouped } from "./grouped.ts";
import { issueView } from "./issue.ts";
import { foldInto, noRows } from "./rows.ts";
import { agentView, approvalView, mailView, projectView, promptView, subscriptionView, turnView } from "./wire.ts";

/** What no row says: the time, how many turns the machine carries, and what the daemon told beside the journal. */
export interface Surroundings extends Unjournaled {
	now: number;
	/** the time by which cool-downs go */
	monotonic: number;
	turnsMax: number;
}

export interface Inbox {
	approvals: Approval[];
	errors: Agent[];
	reviews: Issue[];
	limits: Subscription[];
}

export class Mirrored {
	readonly rows;

	constructor(
		{
			agents,
			projects,
			subscriptions,
			leases,
			prompts,
			turns,
			approvals,
			waits,
			mails,
			issues,
			runs,
		}: Omit<MirroredRows, "last" | "items">,
		{ boards, threads }: Pick<MirrorRequest, "boards" | "threads">,
	) {
		const open = (agent: AgentId): boolean => threads.includes(agent);
		const board = new Grouped<number, IssueState, ProjectSlug>(
			({ project }) => project,
			({ project }) => boards.includes(project),
		);
		this.rows = {
			...noRows(),
			prompt: new Grouped<number, PromptState, AgentId>(({ agent }) => agent),
			mail: new Grouped<number, MailState, AgentId>(
				({ to }) => to,
				({ to, state, deletedAt }) => deletedAt === null && (state !== "read" || open(to)),
			),
			turn: new Grouped<number, TurnState, AgentId>(
				({ agent }) => agent,
				({ agent, state }) => state === "open" || open(agent),
			),
			approval: new Grouped<number, ApprovalState, AgentId>(
				({ agent }) => agent,
				({ state }) => state === "pending",
			),
			wait: new Grouped<number, WaitState, AgentId | null>(
				({ agent }) => agent,
				({ state }) => state === "open",
			),
			issue: board,
			run: new Grouped<number, RunState, number>(
				({ issue }) => issue,
				({ issue }) => board.has(issue),
			),
			note: new Grouped<number, NoteState, number>(
				({ issue }) => issue,
				() => false,
			),
		};
		const { rows } = this;
		for (const row of agents) rows.agent.set(row.id, row);
		for (const row of projects) rows.project.set(row.slug, row);
		for (const row of subscriptions) rows.subscription.set(row.name, row);
		for (const row of leases) rows.lease.set(row.turn, row);
		for (const row of prompts) rows.prompt.set(row.id, row);
		for (const row of turns) rows.turn.set(row.id, row);
		for (const row of approvals) rows.approval.set(row.id, row);
		for (const row of waits) rows.wait.set(row.id, row);
		for (const row of mails) rows.mail.set(row.id, row);
		for (const row of issues) rows.issue.set(row.id, row);
		for (const row of runs) rows.run.set(row.id, row);
	}

	/** Costs what the event changes, however many rows there are. */
	fold(event: Folded): void {
		foldInto(this.rows, event);
	}

	/** All agents, oldest first; those that were reaped only if asked for. */
	agents(
		seen: Surroundings,
		{ project, reaped = false }: { project?: ProjectSlug | undefined; reaped?: boolean } = {},
	): Agent[] {
		const shown = [...this.rows.agent.values()].filter(
			(agent) => (project === undefined || agent.project === project) && (reaped || agent.reapedAt === null),
		);
		const plan = shown.some((agent) => this.#isBusy(agent)) ? this.#plan(seen) : null;
		return shown.map((agent) => this.#agent(agent, seen, plan));
	}

	agent(id: AgentId, seen: Surroundings): Agent | undefined {
		const row = this.rows.agent.get(id);
		return row && this.#agent(row, seen, this.#isBusy(row) ? this.#plan(seen) : null);
	}

	/** Its queue, the next one first. */
	queue(agent: AgentId): Prompt[] {
		return this.#queued(agent).map((prompt, at) => promptView(prompt, at + 1));
	}

	/** What was not deleted, oldest first. */
	mail(agent: AgentId): Mail[] {
		return this.rows.mail.of(agent).map(mailView);
	}

	turns(agent: AgentId): Turn[] {
		return this.rows.turn.of(agent).map(turnView);
	}

	/** Those that nobody has answered, oldest first. */
	approvals(): Approval[] {
		return [...this.rows.approval.values()].map((approval) => approvalView(approval, this.#path(approval.agent)));
	}

	/**
	 * What needs a person: approvals, agents with trouble, issues to be looked at or approved (of the boards that are
	 * shown), and limits.
	 */
	inbox(seen: Surroundings): Inbox {
		const held = this.agents(seen).filter(({ label, life }) => label === "error" && life !== "ended");
		const issues = [...this.rows.project.keys()].flatMap((slug) => this.issues(slug));
		return {
			approvals: this.approvals(),
			errors: held,
			reviews: issues.filter(({ attention, waiting }) => attention !== null || waiting === "approval"),
			limits: this.subscriptions(seen).filter(({ coolingUntil }) => coolingUntil !== null),
		};
	}

	/** An agent's children, or those that nobody supervises; in the order in which they were made. */
	children(supervisor: AgentId | null): AgentState[] {
		return [...this.rows.agent.values()].filter((agent) => agent.supervisor === supervisor);
	}

	/** The issues of a project by stage. */
	board(slug: ProjectSlug): Map<string, Issue[]> {
		return Map.groupBy(this.issues(slug), ({ stage }) => stage);
	}

	projects({ projects }: Pick<Unjournaled, "projects">): Project[] {
		const shown = [...this.rows.project.values()]
			.filter(({ removedAt }) => removedAt === null)
			.toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
		return shown.map((project) => projectView(project, projects[project.slug] ?? null));
	}

	subscriptions({ subscriptions, monotonic: now }: Pick<Surroundings, "subscriptions" | "monotonic">): Subscription[] {
		const shown = [...this.rows.subscription.values()]
			.filter(({ removedAt }) => removedAt === null)
			.toSorted((a, b) => (a.name < b.name ? -1 : 1));
		const leases = [...this.rows.lease.values()];
		return shown.map((each) => subscriptionView(each, { leases, now, problem: subscriptions[each.name] ?? null }));
	}

	/** The issues of a project that were not deleted, oldest first. */
	issues(slug: ProjectSlug): Issue[] {
		const project = this.rows.project.get(slug);
		if (project === undefined) return [];
		const all = this.rows.issue.of(slug);
		const handles = new Map([...this.rows.agent.values()].map(({ id, handle }): [AgentId, Handle] => [id, handle]));
		const extras = { project, all, runs: [...this.rows.run.values()], handles };
		return all.filter(({ deletedAt }) => deletedAt === null).map((issue) => issueView(issue, extras));
	}

	#agent(agent: AgentState, seen: Surroundings, plan: Schedule | null): Agent {
		const queue = this.#queued(agent.id);
		const queueLength = queue.length;
		const unreadMail = this.rows.mail.of(agent.id).filter(({ state }) => state !== "read").length;
		const due = nextDue(queue, seen.now) !== undefined;
		const times = queue.flatMap(({ notBefore }) => notBefore ?? []);
		const waiting = plan?.waits.get(agent.id) ?? (queueLength === 0 ? null : waitsElsewhere(agent, due, times));
		const availability = plan && {
			waitingFor: waiting?.why ?? null,
			ahead: waiting?.ahead ?? 0,
			availableAt: availableAt(agent, queueLength, seen.now),
		};
		return agentView(agent, {
			queueLength,
			unreadMail,
			phase: this.#phase(agent, seen),
			availability: this.#isBusy(agent) ? (availability ?? undefined) : undefined,
		});
	}

	#isBusy(agent: AgentState): boolean {
		return agent.turn !== null || this.rows.prompt.of(agent.id).some(({ taken }) => taken === null);
	}

	#queued(agent: AgentId): PromptState[] {
		return this.rows.prompt
			.of(agent)
			.filter(({ taken }) => taken === null)
			.toSorted(asTheyStart);
	}

	/** What its process said last, unless it waits for somebody. */
	#phase({ id, turn }: AgentState, { heard }: Unjournaled): Phase {
		if (turn === null) return "model";
		const wait = this.rows.wait.of(id).at(-1);
		if (wait !== undefined) return wait.ready === null ? "wait" : "slot";
		return this.rows.approval.sizeOf(id) > 0 ? "approval" : (heard[turn.id] ?? "model");
	}

	#plan({ now, monotonic, turnsMax }: Surroundings): Schedule {
		const { agent: agents, prompt, lease, wait, turn, subscription, project } = this.rows;
		const heads = [...agents.values()].flatMap((agent) => {
			const next = prompt.sizeOf(agent.id) === 0 ? undefined : nextDue(this.#queued(agent.id), now);
			if (next === undefined || !isIdle(agent) || !(next.manual || agent.holds.length === 0)) return [];
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
			leases: [...lease.values()],
			turnsMax,
			now,
			monotonic,
		};
		return schedule({ ...capacity, heads, waiters, served });
	}

	/** The agent and those above it, nearest first. */
	#path(id: AgentId): AgentState[] {
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
