// Gives a new agent its workspace. Every step can be repeated: if the daemon dies here, the next one continues. A
// failure leaves nothing on disk and holds the agent until `recover`; its conversation is not affected.

import type { AgentState } from "#contract/agent.ts";
import type { CommandInput } from "#contract/command.ts";
import { kindsOf } from "#contract/event-data.ts";
import { AgentId, type ProjectSlug } from "#contract/ids.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { errorRefusal } from "../loop/fault.ts";
import type { LookResult, Reactor } from "../loop/reactor.ts";
import { untilRecorded } from "../loop/retry.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";
import type { Provisioned, StepControl } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { approvedIn, checkoutOf, projectRepository } from "../workspaces/checkout.ts";
import { leaseBySystem, whileLeased } from "../workspaces/leased.ts";
import { trashNamesakes } from "../workspaces/namesake-folders.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	/** null where there is no git: then nothing has to be prepared */
	workspaces: Workspaces | null;
	log: Log;
	/** this node: only what belongs to it is acted on; everything, if null */
	node: NodeEpoch | null;
}

const wakers = kindsOf({ agent: ["spawned", "unheld", "provisioned", "failed", "ended"] });

/** More at once in one project only slow each other down. */
const atOnceMax = 8;
/** after which an agent that had to wait is looked at again */
const againMs = 1000;
const linesMax = 1000;
const itemLengthMax = 64 * 1024;
/** the output of a command beyond this is dropped */
const outputLengthMax = 2 * 1024 * 1024;

export class Provisioner implements Reactor {
	readonly name = "provision";
	readonly #parts: Parts;
	readonly #running = new Map<AgentId, { over: Promise<void>; project: ProjectSlug | null; stop: AbortController }>();
	readonly #stop = new AbortController();

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	wakes(event: { kind: string }): boolean {
		return wakers.has(event.kind);
	}

	async look(signal: AbortSignal): Promise<LookResult> {
		const all = await this.#parts.reads.agents({ life: "provisioning" });
		const waiting = all.filter((agent) => isOwn(this.#parts.node, agent));
		const due = waiting.filter(
			(agent) => !this.#running.has(agent.id) && !agent.holds.some((hold) => hold.kind === "error"),
		);
		const ids = new Set(waiting.map((agent) => agent.id));
		// an agent that was killed needs no workspace
		for (const [id, { stop }] of this.#running) if (!ids.has(id)) stop.abort();
		if (signal.aborted) return "done";
		let isFull = false;
		for (const agent of due) {
			const busy = [...this.#running.values()].filter(({ project }) => project === agent.project).length;
			if (busy >= atOnceMax) {
				isFull = true;
				continue;
			}
			const stop = new AbortController();
			const over = this.#provision(agent, stop.signal).finally(() => this.#running.delete(agent.id));
			over.catch(caught(this.#parts.log, "provision", "An agent could not be provisioned", { agent: agent.id }));
			this.#running.set(agent.id, { over, project: agent.project, stop });
		}
		// the end of one that was killed writes no event
		return isFull ? { inMs: againMs } : "done";
	}

	async drain(): Promise<void> {
		this.#stop.abort();
		for (const { stop } of this.#running.values()) stop.abort();
		await Promise.allSettled([...this.#running.values()].map(({ over }) => over));
	}

	async #provision(agent: AgentState, signal: AbortSignal): Promise<void> {
		const { workspacePlan: plan } = agent;
		const { workspaces } = this.#parts;
		if (plan === null) return await this.#send({ type: "agent.provision", agent: agent.id });
		// without git the agent waits for a daemon that has it
		if (workspaces === null) return;
		const made = await this.#make(agent, workspaces, signal).catch((error: unknown) =>
			error instanceof Error ? error : new Error(String(error)),
		);
		// while the daemon stops, the next one continues
		if (this.#stop.signal.aborted) return;
		if ((await this.#parts.reads.agent(agent.id))?.life === "ended") return await this.#removeUnused(agent, made);
		if (made instanceof Error) return await this.#failed(agent, errorRefusal(made));
		if (isRefusal(made)) return await this.#failed(agent, made);
		const missing = made.missing.slice(0, 20).map(({ path, reason }) => `${path} did not come along: ${reason}.`);
		for (const text of [...missing, ...made.notes])
			await this.#send({ type: "item.append", agent: agent.id, kind: "system", text });
		await this.#send({ type: "agent.provision", agent: agent.id, workspace: made.workspace, head: made.head });
	}

	/** Removes the unused workspace of an agent that ended meanwhile. */
	async #removeUnused(
		{ id, handle, project: slug, node }: AgentState,
		made: Provisioned | Refusal | Error,
	): Promise<void> {
		const project = slug === null ? undefined : await this.#parts.reads.project(slug);
		if (project === undefined || made instanceof Error || isRefusal(made) || made.workspace.kind === "main") return;
		const checkout = {
			project: projectRepository(project, node),
			agent: { id, handle },
			workspace: made.workspace,
		};
		await this.#parts.workspaces?.remove(checkout, { force: true, deleteBranch: true }).catch(
			caught(this.#parts.log, "provision", "The workspace of an agent that ended could not be removed", {
				agent: id,
			}),
		);
	}

	async #failed(agent: AgentState, { code, message }: Pick<Refusal, "code" | "message">): Promise<void> {
		await this.#send({ type: "agent.fail", agent: agent.id, code, step: "provision", reason: message.slice(0, 1000) });
	}

	async #make(agent: AgentState, workspaces: Workspaces, signal: AbortSignal): Promise<Provisioned | Refusal> {
		const { reads } = this.#parts;
		const project = agent.project === null ? undefined : await reads.project(agent.project);
		const { workspacePlan: plan, id, handle } = agent;
		if (project === undefined || plan === null) throw new Error("a workspace without a project");
		const request = { project: projectRepository(project, agent.node), agent: { id, handle }, kind: plan.kind };
		const inTheWay = await trashNamesakes({ ...this.#parts, workspaces }, agent);
		if (inTheWay !== null) return inTheWay;
		using lines = new Lines((text) => this.#send({ type: "item.append", agent: id, kind: "command", text }));
		const live: StepControl = {
			...{ line: (text) => lines.add(text), signal, approved: await approvedIn(reads, agent) },
			isUnused: async (former) => await isUnused(reads, former),
		};
		// a fork has its parent's files
		if (project.url !== null && plan.parent === null) await workspaces.refresh(project, { signal });
		const made = plan.parent === null ? null : await this.#fromParent(plan, request, workspaces, live);
		const result =
			made ?? (await workspaces.provision({ ...request, ...(plan.from !== null && { from: plan.from }) }, live));
		await lines.written();
		return result;
	}

	/**
	 * Copies the parent's tree if it is unused and unchanged since the fork was requested; else the snapshot of that
	 * moment.
	 */
	async #fromParent(
		{ parent: id, snapshot }: NonNullable<AgentState["workspacePlan"]>,
		request: Parameters<Workspaces["provision"]>[0],
		workspaces: Workspaces,
		live: StepControl,
	): Promise<Provisioned | Refusal | null> {
		const { reads } = this.#parts;
		const agent = id === null ? undefined : await reads.agent(id);
		const parent = agent === undefined ? null : await checkoutOf(reads, agent);
		if (parent === null) return null;
		return await whileLeased(this.#parts, leaseBySystem({ agent: parent.agent.id, step: "fork" }), async (refused) => {
			const unchanged = refused === null && (await isUnchanged(this.#parts.log, workspaces, parent, snapshot));
			return await workspaces.provisionFrom(
				{ ...request, parent, ...(snapshot !== null && { forkedAt: snapshot, ...(!unchanged && { snapshot }) }) },
				live,
			);
		});
	}

	async #send(command: CommandInput): Promise<void> {
		await untilRecorded(this.#parts.dispatch, bySystem(command), { signal: this.#stop.signal });
	}
}

/** Whether a workspace's marker names an agent that ended before it had the workspace. */
async function isUnused(reads: Reads, id: string): Promise<boolean> {
	const { data } = AgentId.safeParse(id);
	const agent = data === undefined ? undefined : await reads.agent(data);
	return agent?.life === "ended" && agent.workspace === null;
}

/** Whether the tree is unchanged since this snapshot. */
async function isUnchanged(
	log: Log,
	workspaces: Workspaces,
	checkout: Parameters<Workspaces["snapshots"]>[0],
	snapshot: string | null,
): Promise<boolean> {
	if (snapshot === null) return true;
	const taken = await workspaces
		.takeSnapshot(checkout, { reason: "fork" })
		.catch(caught(log, "provision", "No snapshot could be taken before a fork", { agent: checkout.agent.id }));
	return taken?.fresh === false && taken.snapshot.id === snapshot;
}

/** Records a command's output as items of several lines each. */
class Lines implements Disposable {
	readonly #write: (text: string) => Promise<void>;
	#waiting: string[] = [];
	#length = 0;
	#held = 0;
	#writing: Promise<void> = Promise.resolve();
	#timer: ReturnType<typeof setTimeout> | undefined;

	constructor(write: (text: string) => Promise<void>) {
		this.#write = write;
	}

	add(line: string): void {
		if (this.#length > outputLengthMax) return;
		const text = line.slice(0, 10_000);
		this.#length += text.length + 1;
		this.#held += text.length + 1;
		this.#waiting.push(
			this.#length > outputLengthMax ? "[truncated: the command printed more than is recorded]" : text,
		);
		if (this.#waiting.length >= linesMax || this.#held >= itemLengthMax) this.#flush();
		else this.#timer ??= setTimeout(() => this.#flush(), 200);
	}

	async written(): Promise<void> {
		this.#flush();
		await this.#writing;
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
	}

	#flush(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#held = 0;
		const text = this.#waiting.splice(0).join("\n");
		if (text !== "") this.#writing = this.#writing.then(() => this.#write(text));
	}
}
