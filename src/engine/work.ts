// One command's unit of work: the rows it read, the events it led to, and what they did to those rows.
// A row is read once, evolved in memory and written once.
import type { AgentFact, AgentState } from "#contract/agent.ts";
import type { ApprovalFact } from "#contract/approval.ts";
import type { Envelope } from "#contract/command.ts";
import type { WorkspaceFact } from "#contract/cycle.ts";
import type { Event, Fact, Happened } from "#contract/event.ts";
import type { AgentId, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { IssueFact, RunFact } from "#contract/issue.ts";
import type { MailFact } from "#contract/mail.ts";
import type { ProjectFact } from "#contract/project.ts";
import type { PromptFact, PromptState } from "#contract/prompt.ts";
import type { Subject } from "#contract/receipt.ts";
import type { SessionFact } from "#contract/session.ts";
import type { SubscriptionFact, SubscriptionState } from "#contract/subscription.ts";
import type { TurnFact } from "#contract/turn.ts";
import { UsageFact } from "#contract/usage.ts";
import type { WaitFact } from "#contract/wait.ts";
import { evolveAgent } from "#domain/agent/evolve.ts";
import { evolveApproval } from "#domain/approval.ts";
import type { Decision } from "#domain/decision.ts";
import { evolveIssue, evolveRun, noteOf, withRun } from "#domain/issue/evolve.ts";
import { evolveMail } from "#domain/mail.ts";
import { evolveProject } from "#domain/project.ts";
import { evolvePrompt } from "#domain/prompt.ts";
import { needsPlace } from "#domain/slots.ts";
import { evolveSubscription } from "#domain/subscription.ts";
import { evolveTurn } from "#domain/turn.ts";
import { withSpent, withUsage } from "#domain/usage.ts";
import { evolveWait } from "#domain/wait.ts";
import { Kept } from "./kept.ts";
import type { Answer, Tx } from "./ports.ts";

/** A decision and the noun that it is about. */
export interface Decided {
	decision: Decision;
	/** "the event" stands for whatever id the first event will get */
	subject: Subject | "the event";
}

export class Work {
	readonly tx: Tx;
	readonly envelope: Envelope;
	readonly #agents: Kept<AgentId, AgentState>;
	readonly #projects;
	readonly #turns;
	readonly #mails;
	readonly #approvals;
	readonly #waits;
	readonly #issues;
	readonly #runs;

	constructor(tx: Tx, envelope: Envelope) {
		this.tx = tx;
		this.envelope = envelope;
		this.#agents = new Kept(
			(id) => tx.agent(id),
			(state) => tx.putAgent(state),
		);
		this.#projects = new Kept(
			(slug: ProjectSlug) => tx.project(slug),
			(state) => tx.putProject(state),
		);
		this.#turns = new Kept(
			(id: number) => tx.turn(id),
			(state) => tx.putTurn(state),
		);
		this.#mails = new Kept(
			(id: number) => tx.mail(id),
			(state) => tx.putMail(state),
		);
		this.#approvals = new Kept(
			(id: number) => tx.approval(id),
			(state) => tx.putApproval(state),
		);
		this.#waits = new Kept(
			(id: number) => tx.wait(id),
			(state) => tx.putWait(state),
		);
		this.#issues = new Kept(
			(id: number) => tx.issue(id),
			(state) => tx.putIssue(state),
		);
		this.#runs = new Kept(
			(id: number) => tx.run(id),
			(state) => tx.putRun(state),
		);
	}

	async agent(id: AgentId): Promise<AgentState | undefined> {
		return await this.#agents.get(id);
	}

	async project(slug: ProjectSlug) {
		return await this.#projects.get(slug);
	}

	async subscription(name: SubscriptionName): Promise<SubscriptionState | undefined> {
		return (await this.tx.subscriptions()).find((each) => each.name === name);
	}

	async turn(id: number) {
		return await this.#turns.get(id);
	}

	async issue(id: number) {
		return await this.#issues.get(id);
	}

	/** Lets the facts happen: into the journal, and into the rows that they change. */
	async apply(facts: readonly Fact[]): Promise<Event[]> {
		const { actor, at } = this.envelope;
		// a new agent's row comes before the events that refer to it; nothing in it depends on their ids
		for (const fact of facts) {
			if (isOf<AgentFact>(fact, "agent.spawned")) this.#agents.set(fact.agent, evolveAgent(undefined, { ...fact, id: 0, actor, at }));
		}
		await this.#agents.write();
		const events = await this.tx.append(facts.map((fact) => this.#event(fact)));
		for (const [index, fact] of facts.entries()) await this.#change({ ...fact, id: events[index]?.id ?? 0, actor, at });
		for (const rows of [this.#agents, this.#projects, this.#turns, this.#mails, this.#approvals, this.#waits, this.#issues, this.#runs]) await rows.write();
		return events;
	}

	/** The noun that the command made or changed, as it is now. */
	async answer(subject: Subject): Promise<Answer> {
		const agent = subject.agent === undefined ? undefined : await this.agent(subject.agent);
		const project = subject.project === undefined ? undefined : await this.project(subject.project);
		const subscription = subject.subscription === undefined ? undefined : await this.subscription(subject.subscription);
		return {
			...(agent && { agent }),
			...(project && { project }),
			...(subscription && { subscription }),
			...(subject.event !== undefined && { event: subject.event }),
		};
	}

	/** What one event does to the rows. */
	async #change(event: Happened<Fact>): Promise<void> {
		if (isOf<AgentFact>(event, "agent.")) {
			if (event.kind !== "agent.spawned") this.#agents.set(event.agent, evolveAgent(await this.agent(event.agent), event));
		} else if (isOf<TurnFact>(event, "turn.")) {
			await this.#changeTurn(event);
		} else if (isOf<PromptFact>(event, "prompt.")) {
			await this.#changeQueue(event);
		} else if (isOf<MailFact>(event, "mail.")) {
			const id = event.kind === "mail.sent" ? event.id : event.data.mail;
			this.#mails.set(id, evolveMail(event.kind === "mail.sent" ? undefined : await this.#mails.get(id), event));
		} else if (isOf<ApprovalFact>(event, "approval.")) {
			await this.#changeApproval(event);
		} else if (isOf<WorkspaceFact>(event, "workspace.")) {
			this.#agents.set(event.agent, evolveAgent(await this.agent(event.agent), event));
			const turn = event.kind === "workspace.committed" && event.data.turn !== null ? await this.turn(event.data.turn) : undefined;
			if (turn !== undefined && event.kind === "workspace.committed") this.#turns.set(turn.id, { ...turn, commit: event.data.commit });
		} else if (isOf<WaitFact>(event, "wait.")) {
			await this.#changeWait(event);
		} else if (isOf<SubscriptionFact>(event, "subscription.")) {
			await this.tx.putSubscription(evolveSubscription(await this.subscription(event.data.name), event));
		} else if (isOf<IssueFact>(event, "issue.")) {
			await this.#changeIssue(event);
		} else if (isOf<RunFact>(event, "run.")) {
			await this.#changeRun(event);
		} else if (isOf<ProjectFact>(event, "project.")) {
			this.#projects.set(event.data.slug, evolveProject(await this.project(event.data.slug), event));
		} else if (isOf<SessionFact>(event, "session.")) {
			this.#agents.set(event.agent, evolveAgent(await this.agent(event.agent), event));
		} else if ("turn" in event && event.turn !== undefined) {
			await this.#changeByItem(event.turn, event);
		}
	}

	/** What an item of a turn does: the final one is remembered, and what was used is added up wherever that is asked for. */
	async #changeByItem(id: number, event: Happened<Fact>): Promise<void> {
		const turn = await this.turn(id);
		if (turn === undefined) return;
		if (event.kind === "final") this.#turns.set(id, { ...turn, finalItem: event.id });
		const used = event.kind === "usage" ? UsageFact.safeParse(event).data : undefined;
		// a hand that is not ours may have written something else there
		if (used === undefined) return;
		this.#turns.set(id, { ...turn, usage: withUsage(turn.usage, used.data) });
		this.#agents.set(turn.agent, evolveAgent(await this.agent(turn.agent), { ...used, agent: turn.agent, id: event.id, at: event.at, actor: event.actor }));
		const paid = turn.subscription === null ? undefined : await this.subscription(turn.subscription);
		if (paid !== undefined) await this.tx.putSubscription({ ...paid, spent: withSpent(paid.spent, used.data) });
	}

	async #changeTurn(event: Happened<TurnFact & { agent: AgentId }>): Promise<void> {
		const agent = evolveAgent(await this.agent(event.agent), event);
		this.#agents.set(event.agent, agent);
		const id = event.kind === "turn.started" ? event.id : event.data.turn;
		const turn = evolveTurn(event.kind === "turn.started" ? undefined : await this.turn(id), event);
		this.#turns.set(id, turn);
		if (event.kind === "turn.started") await this.tx.takePrompt(event.data.prompt, event.id);
		if ((event.kind === "turn.started" || event.kind === "turn.continued") && needsPlace(agent))
			await this.tx.putLease({ turn: id, agent: agent.id, subscription: turn.subscription, at: event.at });
		if (event.kind !== "turn.ended") return;
		await this.tx.dropTaken(id);
		await this.tx.dropLease(id);
	}

	/** A turn that waits gives back its place and its slot with the event that says so. */
	async #changeWait(event: Happened<WaitFact & { agent: AgentId | null }>): Promise<void> {
		const id = event.kind === "wait.opened" ? event.id : event.data.wait;
		this.#waits.set(id, evolveWait(event.kind === "wait.opened" ? undefined : await this.#waits.get(id), event));
		if (event.kind === "wait.opened" && event.data.blocking && event.data.turn !== null) await this.tx.dropLease(event.data.turn);
	}

	async #changeIssue(event: Happened<IssueFact>): Promise<void> {
		const id = event.kind === "issue.added" ? event.id : event.data.issue;
		this.#issues.set(id, evolveIssue(event.kind === "issue.added" ? undefined : await this.issue(id), event));
		if (event.kind === "issue.commented" || event.kind === "issue.documented" || event.kind === "issue.messaged") await this.tx.putNote(noteOf(event));
		if (event.kind !== "issue.delivered") return;
		const told = (await this.tx.notes(id)).filter((note) => event.data.messages.includes(note.id));
		for (const note of told) await this.tx.putNote({ ...note, delivered: true });
	}

	/** The turn of a run started directly before it, in the same decision. */
	async #changeRun(event: Happened<RunFact & { agent: AgentId }>): Promise<void> {
		const id = event.kind === "run.started" ? event.id : event.data.run;
		const before = event.kind === "run.started" ? undefined : await this.#runs.get(id);
		this.#runs.set(id, evolveRun(before, event, (await this.agent(event.agent))?.turn?.id ?? 0));
		const issue = await this.issue(event.data.issue);
		if (issue !== undefined) this.#issues.set(issue.id, withRun(issue, event));
	}

	async #changeApproval(event: Happened<ApprovalFact & { agent: AgentId }>): Promise<void> {
		if (event.kind === "approval.answered") this.#agents.set(event.agent, evolveAgent(await this.agent(event.agent), event));
		const ids = event.kind === "approval.cancelled" ? event.data.approvals : [event.kind === "approval.asked" ? event.id : event.data.approval];
		for (const id of ids) this.#approvals.set(id, evolveApproval(event.kind === "approval.asked" ? undefined : await this.#approvals.get(id), event));
	}

	async #changeQueue(event: Happened<PromptFact & { agent: AgentId }>): Promise<void> {
		switch (event.kind) {
			case "prompt.queued": {
				await this.tx.putPrompt(evolvePrompt(undefined, event));
				const issue = event.data.source === "issue" ? await this.issue((await this.agent(event.agent))?.issue?.id ?? 0) : undefined;
				if (issue !== undefined) this.#issues.set(issue.id, { ...issue, prompt: event.id });
				const retried = event.data.retries && (await this.turn(event.data.retries.turn));
				if (retried !== undefined) this.#turns.set(retried.id, { ...retried, retriedAs: event.id });
				return;
			}
			case "prompt.edited":
				await this.tx.putPrompt(evolvePrompt(await this.tx.prompt(event.data.prompt), event));
				return;
			case "prompt.moved":
				for (const { prompt, ...place } of event.data.places) await this.#standing(prompt, place);
				return;
			case "prompt.cancelled":
				await this.tx.removePrompts(event.data.prompts);
				return;
			case "prompt.returned":
				// whoever wanted it at once no longer stands behind it
				await this.#standing(event.data.prompt, { position: event.data.position, manual: false });
				await this.tx.takePrompt(event.data.prompt, null);
		}
	}

	async #standing(id: number, place: Partial<PromptState>): Promise<void> {
		const prompt = await this.tx.prompt(id);
		if (prompt !== undefined) await this.tx.putPrompt({ ...prompt, ...place });
	}

	#event(fact: Fact): Omit<Event, "id"> {
		return {
			agent: fact.agent,
			turn: "turn" in fact ? (fact.turn ?? null) : null,
			kind: fact.kind,
			text: "text" in fact ? (fact.text ?? null) : null,
			data: "data" in fact ? (fact.data ?? null) : null,
			at: this.envelope.at,
			actor: this.envelope.actor,
			// what the daemon says to itself has no key; its own id says as well what was done together
			command: this.envelope.key ?? this.envelope.freshId,
		};
	}
}

/** Every noun's facts begin with its name; items have no dot and so belong to none. */
function isOf<F extends { kind: string }>(fact: Fact, noun: string): fact is Extract<Fact, F> {
	return fact.kind.startsWith(noun);
}
