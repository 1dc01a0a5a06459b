// What every handler needs: finding the agent, dispatching a command for the caller, and answering with a noun.
import type { z } from "zod";
import { type AgentState, noAgent } from "#contract/agent.ts";
import type { Browser } from "#contract/browser.ts";
import type { CommandInput, CommandWithout } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import { type Actor, AgentId, agentOf, Handle, type IdempotencyKey, ProjectSlug } from "#contract/ids.ts";
import type { NodeId } from "#contract/node.ts";
import type { Paged, PageRequest } from "#contract/page.ts";
import { noPendingWork, type PendingWork } from "#contract/pending-work.ts";
import type { PersonRole } from "#contract/person.ts";
import { noProject, type ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { AgentCommand, Route, RouteName, Routes } from "#contract/routes.ts";
import type { Agent, Item, Project } from "#contract/wire.ts";
import type { Engine } from "#engine/engine.ts";
import type { PageText } from "#engine/loop/context-pages.ts";
import { until } from "#engine/loop/until.ts";
import type { Answer } from "#engine/ports/dispatch.ts";
import type { Reads } from "#engine/ports/store.ts";
import type { SpawnRequest } from "#engine/workspaces/forking.ts";
import type { Requester } from "#engine/workspaces/steps.ts";
import { agentShown, isBusy } from "#views/agents.ts";
import { agentView, eventView, projectView } from "#views/wire.ts";
import { defaultType } from "./default-type.ts";
import { findNode } from "./find-node.ts";
import type { PriorReceipt } from "./idempotency.ts";

/** A request after it was parsed. */
export interface RouteRequest<N extends RouteName> {
	params: Readonly<Record<string, string>>;
	query: Routes[N] extends { query: infer Q extends z.ZodType } ? z.infer<Q> : object;
	body: Routes[N] extends { body: infer B extends z.ZodType } ? z.infer<B> : object;
	/** of a list */
	page: PageRequest;
	actor: Actor;
	/** null for an agent */
	role: PersonRole | null;
	/** the caller's, if it is one */
	browser: Browser["id"] | null;
	/** null if the caller sent none: then nothing is remembered */
	key: IdempotencyKey | null;
	/** of the whole request; absent without a key */
	fingerprint?: string | undefined;
	/** the receipt of the first attempt under this key, if its answer was lost */
	earlier: PriorReceipt;
	/** aborted when the caller closes the connection */
	gone?: AbortSignal;
}

/** A list that is read is answered one page at a time, so that no handler reads more of it than the page. */
type Result<R extends Route> = R extends { method: "get"; answer: z.ZodArray<infer T> }
	? Paged<z.infer<T>> | PageText
	: z.infer<R["answer"]>;

export type Handler<N extends RouteName> = (request: RouteRequest<N>) => Promise<Result<Routes[N]> | Refusal>;
/** The routes that dispatch one command to the agent of their path; all others have a handler. */
export type CommandRoute = { [N in RouteName]: Routes[N] extends { command: AgentCommand } ? N : never }[RouteName];
export type HandledRoute = Exclude<RouteName, CommandRoute>;
export type Handlers = { [N in HandledRoute]: Handler<N> };

type Caller = Pick<RouteRequest<RouteName>, "actor" | "role" | "key" | "fingerprint" | "earlier" | "gone">;

/** A request whose path names an agent or an issue, which is looked for in the project of its query. */
export interface ScopedRequest extends Caller {
	params: Readonly<Record<string, string>>;
	query: { project?: ProjectSlug | undefined };
}

/** What a command did; `event` is 0 if it recorded no event of its own. */
type Done = Answer & { event: number; events: readonly Event[] };

interface SpawnParams extends Omit<SpawnRequest["command"], "type" | "node"> {
	wait: boolean;
	/** by name or id */
	node?: string | undefined;
}

interface ContextParts {
	types: readonly string[];
	blockingTypes: readonly string[];
	/** why agents of this type cannot start here: their program is not installed */
	missing?(agent: { type: string; program: string | null }): Refusal | null;
}

export class RequestContext {
	readonly engine: Engine;
	/** the agent types that can be started here */
	readonly types: readonly string[];
	/** those whose programs can wait inside a turn; the others end their turn and are continued */
	readonly blockingTypes: readonly string[];
	readonly #missing: ContextParts["missing"];

	constructor(engine: Engine, { types, blockingTypes, missing = () => null }: ContextParts) {
		this.engine = engine;
		this.#missing = missing;
		this.types = types;
		this.blockingTypes = blockingTypes;
	}

	get reads(): Reads {
		return this.engine.reads;
	}

	/** Refuses a cursor beyond the end of the journal: a reader that starts there would miss events. */
	async cursorRefusal(after: number): Promise<Refusal | null> {
		const last = after === 0 ? 0 : await this.reads.lastEvent();
		if (after <= last) return null;
		const words = `The journal ends at event ${last}: there is no event ${after} to read on from. It may be of another store.`;
		return refuse("VALIDATION_ERROR", words, {
			details: { after, last },
			suggestions: [`brood events --after ${last}`],
		});
	}

	async dispatch({ actor, key, fingerprint }: Caller, command: CommandInput): Promise<Done | Refusal> {
		const outcome = await this.engine.dispatch({ actor, key, command, fingerprint });
		return "refused" in outcome ? outcome.refused : { event: 0, ...outcome.done, events: outcome.events };
	}

	/** The caller of a git step, and what the same request began before a crash. */
	requester({ actor, key, fingerprint, earlier }: Caller): Requester {
		if (key === null || fingerprint === undefined) return { actor };
		const begun = earlier !== null && "begun" in earlier.outcome ? earlier.outcome.begun : null;
		return { actor, key, fingerprint, begun };
	}

	/** Refuses an agent that has no open turn, before it learns anything else. */
	async outsideTurn(actor: Actor): Promise<Refusal | null> {
		const caller = agentOf(actor);
		return caller === null ? null : this.engine.queries.outsideTurn(caller);
	}

	/** The project of an agent that calls; null for people and for agents without one. */
	async projectOf(actor: Actor): Promise<ProjectSlug | null> {
		const caller = agentOf(actor);
		return caller === null ? null : ((await this.reads.agent(caller))?.project ?? null);
	}

	/** Runs `work` on the agent that the path names, if there is exactly one. */
	async withAgent<T extends object>(
		{ params, query, actor }: ScopedRequest,
		work: (id: AgentId) => Promise<T | Refusal>,
	): Promise<T | Refusal> {
		// an agent names itself without knowing its handle
		const caller = agentOf(actor);
		if (params["agent"] === "self" && caller !== null) return await work(caller);
		const project = query.project ?? (await this.projectOf(actor));
		const found = await this.engine.queries.resolve(params["agent"] ?? "", project);
		return isRefusal(found) ? found : await work(found.id);
	}

	/**
	 * The same for commands that look for their agent themselves: an id is tried as it is before it is taken for a name.
	 */
	async withAgentOrId<T extends object>(
		request: ScopedRequest,
		work: (id: AgentId) => Promise<T | Refusal>,
	): Promise<T | Refusal> {
		const id = AgentId.safeParse(request.params["agent"]);
		// what may be a handle is looked up first: the refusal of a command is remembered under its key
		const result = id.success && !Handle.safeParse(id.data).success ? await work(id.data) : null;
		const unknown = result === null || (isRefusal(result) && result.code === "AGENT_NOT_FOUND");
		return unknown ? await this.withAgent(request, work) : result;
	}

	/** Dispatches a command to the agent of the path and answers with that agent. */
	async agentCommand(
		request: ScopedRequest,
		command: CommandWithout<"agent"> | ((agent: AgentId) => CommandInput),
	): Promise<Agent | Refusal> {
		return await this.withAgent(request, async (agent) => {
			const whole = typeof command === "function" ? command(agent) : { ...command, agent };
			const done = await this.dispatch(request, whole);
			return isRefusal(done) ? done : await this.agent(agent);
		});
	}

	/** The same for a route that has no handler: its body has the command's other fields. */
	async routeCommand(request: RouteRequest<CommandRoute>, command: AgentCommand): Promise<Agent | Refusal> {
		const type = command.shape.type.value;
		return await this.agentCommand(request, (agent) => command.parse({ ...request.body, type, agent }));
	}

	/** Dispatches a command that writes an item and answers with the item. */
	async itemCommand(request: ScopedRequest, command: CommandWithout<"agent">): Promise<Item | Refusal> {
		return await this.withAgent(request, async (agent) => {
			const done = await this.dispatch(request, { ...command, agent });
			if (isRefusal(done)) return done;
			const event = await this.reads.event(done.event);
			return event === undefined ? refuse("NOT_FOUND", "Nothing was written.") : eventView(event);
		});
	}

	project(state: ProjectState): Project {
		return projectView(state, this.engine.problems.of(state.slug));
	}

	async agent(id: AgentId): Promise<Agent | Refusal> {
		const state = await this.reads.agent(id);
		return state === undefined ? noAgent(id) : await this.shown(state);
	}

	/** Without this, a list would be empty for a mistyped project. A removed project still has its lists. */
	async unknownProject(slug: ProjectSlug | undefined): Promise<Refusal | null> {
		return slug === undefined || (await this.reads.project(slug)) !== undefined ? null : noProject(slug);
	}

	/** Makes an agent and answers at once or, with `wait`, when the agent is ready or has failed. */
	async spawn(caller: Caller, { wait, node: named, ...command }: SpawnParams): Promise<Agent | Refusal> {
		const node = named === undefined ? undefined : await findNode(this.reads, named);
		if (node !== undefined && isRefusal(node)) return node;
		const agentType = command.agentType ?? (await defaultType(this, command));
		if (typeof agentType === "object") return agentType;
		const unknown = agentType === undefined ? null : this.unknownType(agentType);
		if (unknown) return unknown;
		const { actor, key, fingerprint, earlier, gone } = caller;
		const missing =
			agentType === undefined || earlier !== null
				? null
				: this.#missing?.({ type: agentType, program: command.program ?? null });
		// another node that was named is judged by what it said of itself
		const isNamed = node !== undefined && node.id !== this.engine.node?.node;
		if (missing && !isNamed && !(await this.#isElsewhere(agentType, node?.id))) return missing;
		const typed = {
			...command,
			...(node !== undefined && { node: node.id }),
			...(missing && { notHere: true as const }),
			...(agentType !== undefined && { agentType }),
		};
		const request = { actor, key, fingerprint, gone, command: { type: "agent.spawn" as const, ...typed } };
		// the child of an earlier attempt has its files already
		const outcome = earlier === null ? await this.engine.spawn(request) : await this.engine.dispatch(request);
		if ("refused" in outcome) return outcome.refused;
		const { agent } = outcome.done;
		if (agent === undefined) return refuse("INTERNAL_ERROR", "The command returned no agent.");
		// nothing else can have been queued or sent to it yet
		const queueLength = outcome.events.filter((event) => event.kind === "prompt.queued").length;
		const ready = wait ? await this.ready(agent) : agent;
		return outcome.replayed
			? await this.shown(ready)
			: agentView(ready, { queueLength, unreadMail: 0, phase: "model" });
	}

	/** Whether another node has the program: the decision then chooses that node, or says why not. */
	async #isElsewhere(type: string | undefined, named: NodeId | undefined): Promise<boolean> {
		const others = (await this.reads.nodes()).filter(
			({ id, state }) => id !== this.engine.node?.node && state === "up",
		);
		return others.some(({ id, types }) => type !== undefined && types.includes(type) && (named ?? id) === id);
	}

	unknownType(type: string): Refusal | null {
		if (this.types.includes(type)) return null;
		return refuse("VALIDATION_ERROR", `There is no agent type ${type}; there are ${this.types.join(", ")}.`, {
			details: { types: [...this.types] },
		});
	}

	async projectNamed(name: string | undefined): Promise<ProjectState | Refusal> {
		const slug = ProjectSlug.safeParse(name);
		const project = slug.success ? await this.reads.project(slug.data) : undefined;
		return project === undefined || project.removedAt !== null ? noProject(name) : project;
	}

	/** Agents as they are shown: what waits for each, and how many are ahead of those that wait. */
	async agents(states: readonly AgentState[]): Promise<Agent[]> {
		const now = this.engine.now();
		const ids = states.map(({ id }) => id);
		const pending = await this.reads.pendingWork(ids, now);
		const pendingOf = ({ id }: AgentState): PendingWork => pending.get(id) ?? noPendingWork;
		const busy = states.some((agent) => isBusy(agent, pendingOf(agent)));
		const schedule = busy ? await this.engine.scheduler.outlook() : null;
		const input = { now, phases: this.engine.reportedPhases(), schedule };
		return states.map((agent) => agentShown(agent, pendingOf(agent), input));
	}

	async shown(state: AgentState): Promise<Agent> {
		const [agent] = await this.agents([state]);
		if (agent === undefined) throw new Error("an agent was not shown");
		return agent;
	}

	/** When it is ready, or has failed. */
	async ready(agent: AgentState): Promise<AgentState> {
		if (agent.life !== "provisioning") return agent;
		const ready = async (): Promise<AgentState | null> => {
			const now = (await this.reads.agent(agent.id)) ?? agent;
			return now.life === "provisioning" && now.holds.length === 0 ? null : now;
		};
		return (await until(this.engine.publisher, ready)) ?? agent;
	}
}

/** A number in the path; 0, which no row has, if it is not one. */
export const numberIn = ({ params }: { params: Readonly<Record<string, string>> }, name: string): number =>
	Number(/^\d{1,15}$/.exec(params[name] ?? "")?.[0] ?? 0);
