// All rows at one moment, as views. Each view is computed when it is first asked for.

import type { Lost } from "#client/lost.ts";
import type { Mirror } from "#client/mirror.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { isActive } from "#contract/node.ts";
import type { Inbox, TreeRow } from "#contract/overviews.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { Agent, Approval, Mail, Project, Prompt, Subscription, Turn } from "#contract/wire.ts";
import { type MoveInput, whyNoMove, whyNoStart } from "#views/issue-moves.ts";
import type { MirrorViewInput } from "#views/mirrored.ts";
import { nextIssueText } from "#views/next-issue.ts";
import { nodeName } from "#views/node-name.ts";
import { type NodeRow, nodeRows } from "#views/nodes.ts";
import { treeOf } from "#views/overviews.ts";
import { type PresetBoard, presetBoards } from "#views/preset-boards.ts";
import { localNow } from "./connection.ts";

export type Connection =
	| { state: "connecting" }
	| { state: "live" }
	| ({ state: "lost" } & Lost)
	| { state: "refused"; refusal: Refusal };

export class Seen {
	readonly connection: Connection;
	readonly #mirror: Mirror;
	readonly #viewInput: MirrorViewInput;
	readonly #made: number;
	#agents: Agent[] | null = null;
	#byId: ReadonlyMap<AgentId, Agent> | null = null;
	#tree: TreeRow[] | null = null;
	#inbox: Inbox | null = null;
	#subscriptions: Subscription[] | null = null;

	constructor(mirror: Mirror, connection: Connection) {
		this.#mirror = mirror;
		this.#viewInput = mirror.viewInput;
		this.#made = localNow();
		this.connection = connection;
	}

	/** whether rows have been loaded at all */
	get isLoaded(): boolean {
		return this.#mirror.view.rows.agent.size > 0;
	}

	/** the daemon's clock */
	get now(): number {
		return this.#viewInput.now;
	}

	/** how far the daemon's clock is ahead of this machine's */
	get ahead(): number {
		return this.#viewInput.now - this.#made;
	}

	get at(): number {
		return this.#mirror.at;
	}

	/** Oldest first, without reaped ones. */
	get agents(): readonly Agent[] {
		this.#agents ??= this.#mirror.view.agents(this.#viewInput);
		return this.#agents;
	}

	agent(id: AgentId): Agent | undefined {
		this.#byId ??= new Map(this.agents.map((agent) => [agent.id, agent]));
		// a reaped one is not in the list
		return this.#byId.get(id) ?? this.#mirror.view.agent(id, this.#viewInput);
	}

	get tree(): readonly TreeRow[] {
		this.#tree ??= treeOf(this.agents);
		return this.#tree;
	}

	get inbox(): Inbox {
		this.#inbox ??= this.#mirror.view.inbox(this.#viewInput, {
			agents: this.agents,
			subscriptions: [...this.subscriptions],
		});
		return this.#inbox;
	}

	/** The name of an agent's node, where there are several. */
	nodeOf(agent: Agent): string | null {
		return nodeName(agent, this.#mirror.view.rows.node.values());
	}

	/** By its id, also where there is only one. */
	nodeName(id: string): string | undefined {
		return this.#mirror.view.rows.node.values().find((node) => node.id === id)?.name;
	}

	/** Empty where there is only one. */
	get nodes(): readonly NodeRow[] {
		const { node, turnLease } = this.#mirror.view.rows;
		return nodeRows(node.values(), turnLease.values(), this.agents);
	}

	approvalsOf(agent: AgentId): readonly Approval[] {
		return this.inbox.approvals.filter((approval) => approval.agent === agent);
	}

	get subscriptions(): readonly Subscription[] {
		this.#subscriptions ??= this.#mirror.view.subscriptions(this.#viewInput);
		return this.#subscriptions;
	}

	get projects(): readonly Project[] {
		return this.#mirror.view.projects(this.#viewInput);
	}

	issues(project: ProjectSlug): readonly Issue[] {
		return this.#mirror.view.issues(project);
	}

	boards(slug: ProjectSlug): readonly PresetBoard[] {
		const project = this.#mirror.view.rows.project.get(slug);
		return project === undefined ? [] : presetBoards(this.issues(slug), project);
	}

	/** What automatic work on a project's issues does next, in words. */
	nextIssueText(slug: ProjectSlug): string {
		const { rows } = this.#mirror.view;
		const project = rows.project.get(slug);
		if (project === undefined) return "";
		return nextIssueText({
			project,
			issues: rows.issue.of(slug),
			agents: [...rows.agent.values()].filter((agent) => agent.project === slug && agent.life !== "ended"),
			subscribed: [...rows.subscription.values()].map(({ type }) => type),
			now: this.#viewInput.monotonic,
		});
	}

	/** Another text after each turn, git step and commit of an agent, or of those on an issue's branch. */
	workOn(subject: AgentId | Pick<Issue, "project" | "branch">): string {
		return [...this.#mirror.view.rows.agent.values()]
			.filter(({ id, project, workspace }) =>
				typeof subject === "string"
					? id === subject
					: project === subject.project && workspace !== null && workspace.branch === subject.branch,
			)
			.map(({ seenCommit, turn, lease, lastActiveAt }) => [seenCommit, turn?.id, lease?.step, lastActiveAt].join(" "))
			.join();
	}

	/** Why the work on an issue cannot begin now; null if it can. */
	whyNoStart(issue: Issue): string | null {
		const input = this.#moveInput(issue);
		return input === null ? null : whyNoStart(input);
	}

	/** Why an issue cannot be moved to a stage by hand; null if it can. */
	whyNoMove(issue: Issue, stage: string): string | null {
		const input = this.#moveInput(issue);
		return input === null ? null : whyNoMove(input, stage);
	}

	#moveInput({ project: slug, number }: Issue): MoveInput | null {
		const { rows } = this.#mirror.view;
		const project = rows.project.get(slug);
		const all = rows.issue.of(slug);
		const issue = all.find((each) => each.number === number);
		return project === undefined || issue === undefined ? null : { issue, project, all };
	}

	queue(agent: AgentId): readonly Prompt[] {
		return this.#mirror.view.queue(agent);
	}

	mail(agent: AgentId): readonly Mail[] {
		return this.#mirror.view.mail(agent);
	}

	/** Only of agents whose conversation is shown. */
	turns(agent: AgentId): readonly Turn[] {
		return this.#mirror.view.turns(agent);
	}

	/** The turns at work, and how many may be: at all nodes that are active. */
	get places(): { used: number; max: number } {
		const { node, turnLease } = this.#mirror.view.rows;
		const limits = [...node.values()].filter(isActive).map(({ turnsMax }) => turnsMax);
		const max = limits.reduce((sum, limit) => sum + limit, 0);
		return { used: turnLease.size, max: limits.length === 0 ? this.#viewInput.turnsMax : max };
	}
}
