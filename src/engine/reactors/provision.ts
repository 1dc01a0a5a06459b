// Gives a new agent its workspace. Every step of that can be begun again: a daemon that dies here leaves an agent that is still
// being provisioned, and the next one goes on. A failure leaves nothing on disk and holds the agent until somebody says
// `recover`; its conversation is there all the same.
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, system } from "#contract/ids.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { mayPass, patiently } from "../patience.ts";
import type { Dispatch, Reads } from "../ports.ts";
import type { Looked, Reactor } from "../reactor.ts";
import { approvedIn, stayOf } from "../stay.ts";
import type { Live, Provisioned, Workspaces } from "../workspaces.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	/** null where there is no git: then nothing has to be prepared */
	workspaces: Workspaces | null;
}

/** More at once only make each other slow. */
const atOnceMax = 8;
const linesMax = 100;

export class Provisioner implements Reactor {
	readonly name = "provision";
	readonly #parts: Parts;
	readonly #running = new Map<AgentId, Promise<void>>();
	readonly #stop = new AbortController();

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	wakes(event: { kind: string }): boolean {
		return ["agent.spawned", "agent.unheld", "agent.provisioned", "agent.failed", "agent.ended"].includes(event.kind);
	}

	async look(signal: AbortSignal): Promise<Looked> {
		const waiting = await this.#parts.reads.agents({ life: "provisioning" });
		const due = waiting.filter((agent) => !this.#running.has(agent.id) && !agent.holds.some((hold) => hold.kind === "error"));
		if (signal.aborted) return "done";
		for (const agent of due.slice(0, Math.max(0, atOnceMax - this.#running.size))) {
			const over = this.#provision(agent).finally(() => this.#running.delete(agent.id));
			over.catch(() => {});
			this.#running.set(agent.id, over);
		}
		return "done";
	}

	async drain(): Promise<void> {
		this.#stop.abort();
		await Promise.allSettled(this.#running.values());
	}

	async #provision(agent: AgentState): Promise<void> {
		const { plan } = agent;
		const { workspaces } = this.#parts;
		if (plan === null) return await this.#say({ type: "agent.provisioned", agent: agent.id });
		// without git it waits for a daemon that has it
		if (workspaces === null) return;
		const made = await this.#make(agent, workspaces).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
		// whoever stops us leaves it to the next daemon
		if (this.#stop.signal.aborted) return;
		if (made instanceof Error) return await this.#failed(agent, { code: "INTERNAL_ERROR", message: made.message });
		if (isRefusal(made)) return await this.#failed(agent, made);
		for (const { path, reason } of made.missing.slice(0, 20))
			await this.#say({ type: "item.append", agent: agent.id, kind: "system", text: `${path} did not come along: ${reason}.` });
		await this.#say({ type: "agent.provisioned", agent: agent.id, workspace: made.workspace, head: made.head });
	}

	async #failed(agent: AgentState, { code, message }: Pick<Refusal, "code" | "message">): Promise<void> {
		await this.#say({ type: "agent.fail", agent: agent.id, code, step: "provision", reason: message.slice(0, 1000) });
	}

	async #make(agent: AgentState, workspaces: Workspaces): Promise<Provisioned | Refusal> {
		const { reads } = this.#parts;
		const project = agent.project === null ? undefined : await reads.project(agent.project);
		const { plan, id, handle } = agent;
		if (project === undefined || plan === null) throw new Error("a workspace without a project");
		const tenant = { project: { slug: project.slug, path: project.path }, agent: { id, handle }, kind: plan.kind };
		using lines = new Lines((text) => this.#say({ type: "item.append", agent: id, kind: "command", text }));
		const live: Live = { line: (text) => lines.add(text), signal: this.#stop.signal, approved: await approvedIn(reads, agent) };
		const made = plan.parent === null ? null : await this.#fromParent(plan, tenant, workspaces, live);
		const result = made ?? (await workspaces.provision({ ...tenant, ...(plan.from !== null && { from: plan.from }) }, live));
		await lines.written();
		return result;
	}

	/** The parent's tree itself while nobody is at it and it is as it was when the fork was asked for; else the snapshot of that moment. */
	async #fromParent(
		{ parent: id, snapshot }: NonNullable<AgentState["plan"]>,
		tenant: Parameters<Workspaces["provision"]>[0],
		workspaces: Workspaces,
		live: Live,
	): Promise<Provisioned | Refusal | null> {
		const { reads, dispatch } = this.#parts;
		const agent = id === null ? undefined : await reads.agent(id);
		const parent = agent === undefined ? null : await stayOf(reads, agent);
		if (parent === null) return null;
		const leased = await dispatch({ actor: system, key: null, command: { type: "workspace.lease", agent: parent.agent.id, step: "fork" } });
		try {
			const still = "done" in leased && (await isStill(workspaces, parent, snapshot));
			return await workspaces.provisionFrom({ ...tenant, parent, ...(!still && snapshot !== null && { snapshot }) }, live);
		} finally {
			if ("done" in leased) await this.#say({ type: "workspace.free", agent: parent.agent.id });
		}
	}

	async #say(command: object): Promise<void> {
		await patiently(() => this.#parts.dispatch({ actor: system, key: null, command }), mayPass, this.#stop.signal);
	}
}

/** Nothing changed in the tree since this snapshot of it. */
async function isStill(workspaces: Workspaces, stay: Parameters<Workspaces["snapshots"]>[0], snapshot: string | null): Promise<boolean> {
	if (snapshot === null) return true;
	const taken = await workspaces.takeSnapshot(stay, { reason: "fork" }).catch(() => undefined);
	return taken === null && (await workspaces.snapshots(stay))[0]?.id === snapshot;
}

/** What a command prints, as items of several lines each. */
class Lines implements Disposable {
	readonly #write: (text: string) => Promise<void>;
	#waiting: string[] = [];
	#writing: Promise<void> = Promise.resolve();
	#timer: ReturnType<typeof setTimeout> | undefined;

	constructor(write: (text: string) => Promise<void>) {
		this.#write = write;
	}

	add(line: string): void {
		this.#waiting.push(line.slice(0, 10_000));
		if (this.#waiting.length >= linesMax) this.#flush();
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
		const text = this.#waiting.splice(0).join("\n");
		if (text !== "") this.#writing = this.#writing.then(() => this.#write(text));
	}
}
