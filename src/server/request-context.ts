// What every handler needs: to resolve the agent, to dispatch a command for the caller, and to answer with a noun.

import type { z } from "zod";
import type { AgentState } from "#contract/agent.ts";
import type { CommandInput, CommandWithout } from "#contract/command.ts";
import { type Actor, AgentId, agentOf, Handle, type Key, ProjectSlug } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import { noProject } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { AgentCommand, RouteName, Routes } from "#contract/routes.ts";
import type { Phase } from "#contract/turn.ts";
import type { Agent, Item, Project } from "#contract/wire.ts";
import type { Engine } from "#engine/engine.ts";
import { until } from "#engine/loop/until.ts";
import type { Outcome } from "#engine/ports/dispatch.ts";
import type { Reads } from "#engine/ports/store.ts";
import type { SpawnRequest } from "#engine/workspaces/forking.ts";
import type { Requester } from "#engine/workspaces/steps.ts";
import { agentView, itemView, projectView } from "#views/wire.ts";
import type { PriorReceipt } from "./idempotency.ts";

/** A request after it was parsed. */
export interface RouteRequest<N extends RouteName> {
	params: Readonly<Record<string, string>>;
	query: Routes[N] extends { query: infer Q extends z.ZodType } ? z.infer<Q> : object;
	body: Routes[N] extends { body: infer B extends z.ZodType } ? z.infer<B> : object;
	actor: Actor;
	/** null for what cannot be sent again: then nothing is remembered */
	key: Key | null;
	/** of the request; absent where a receipt of an earlier release is about the command */
	fingerprint?: string | undefined;
	/** what the first attempt under this key left behind, if its answer was lost */
	earlier: PriorReceipt;
}

export type Handler<N extends RouteName> = (asked: RouteRequest<N>) => Promise<z.infer<Routes[N]["answer"]> | Refusal>;
/** The routes that say one command to the agent of their path; all others have a handler. */
export type Said = { [N in RouteName]: Routes[N] extends { command: AgentCommand } ? N : never }[RouteName];
export type Handled = Exclude<RouteName, Said>;
export type Handlers<N extends RouteName = Handled> = { [K in N]: Handler<K> };

interface Caller {
	actor: Actor;
	key: Key | null;
	fingerprint?: string | undefined;
	earlier: PriorReceipt;
}

interface AgentRouteRequest extends Caller {
	params: Readonly<Record<string, string>>;
	query: { project?: ProjectSlug | undefined };
}

interface SpawnParams extends Omit<SpawnRequest["command"], "type"> {
	wait: boolean;
}

export class RequestContext {
	readonly engine: Engine;
	/** the agent types that can be started here */
	readonly types: readonly string[];
	/** those whose programs can wait inside a turn; any other is told to end its turn and is continued */
	readonly blockingTypes: readonly string[];

	constructor(
		engine: Engine,
		{ types, blockingTypes }: { types: readonly string[]; blockingTypes: readonly string[] },
	) {
		this.engine = engine;
		this.types = types;
		this.blockingTypes = blockingTypes;
	}

	get reads(): Reads {
		return this.engine.reads;
	}

	/** Refuses a cursor beyond the end of the journal: a reader that starts there would miss events. */
	async beyondTheEnd(after: number): Promise<Refusal | null> {
		const last = after === 0 ? 0 : await this.reads.lastEvent();
		if (after <= last) return null;
		const words = `The journal ends at event ${last}: there is no event ${after} to read on from. It may be of another store.`;
		return refuse("VALIDATION_ERROR", words, {
			details: { after, last },
			suggestions: [`brood events --after ${last}`],
		});
	}

	async say({ actor, key, fingerprint }: Caller, command: CommandInput): Promise<Outcome> {
		return await this.engine.dispatch({ actor, key, command, fingerprint });
	}

	/** Who asks for a step of git's, and what the same request began before a crash. */
	by({ actor, key, fingerprint, earlier }: Caller): Requester {
		if (key === null || fingerprint === undefined) return { actor };
		return {
			actor,
			key,
			fingerprint,
			begun: earlier !== null && "begun" in earlier.answer ? earlier.answer.begun : null,
		};
	}

	/** An agent that has no open turn is told so before it learns anything else. */
	async speaks(actor: Actor): Promise<Refusal | null> {
		const caller = agentOf(actor);
		return caller === null ? null : this.engine.outsideTurn(caller);
	}

	/** Does something with the agent that the path names, if there is exactly one. */
	async about<T extends object>(
		asked: AgentRouteRequest,
		work: (id: AgentId) => Promise<T | Refusal>,
	): Promise<T | Refusal> {
		const caller = agentOf(asked.actor);
		const home = caller === null ? null : ((await this.reads.agent(caller))?.project ?? null);
		const meant = await this.engine.resolve(asked.params["agent"] ?? "", asked.query.project ?? home);
		return isRefusal(meant) ? meant : await work(meant.id);
	}

	/**
	 * The same for commands that look for their agent themselves: an id is tried as it is before it is taken for a name.
	 */
	async aboutWhom<T extends object>(
		asked: AgentRouteRequest,
		work: (id: AgentId) => Promise<T | Refusal>,
	): Promise<T | Refusal> {
		const id = AgentId.safeParse(asked.params["agent"]);
		// what may be a name is looked up first: the refusal of a command is remembered under its key
		const straight = id.success && !Handle.safeParse(id.data).success ? await work(id.data) : null;
		const unknown = straight === null || (isRefusal(straight) && straight.code === "AGENT_NOT_FOUND");
		return unknown ? await this.about(asked, work) : straight;
	}

	/** A command to one agent, answered with that agent. */
	async tell(asked: AgentRouteRequest, command: CommandWithout<"agent">): Promise<Agent | Refusal> {
		return await this.about(asked, async (agent) => {
			const outcome = await this.say(asked, { ...command, agent });
			return "refused" in outcome ? outcome.refused : await this.agent(agent);
		});
	}

	/** The command of a route that has no handler, with what was asked for. */
	async carry(asked: RouteRequest<Said>, command: AgentCommand): Promise<Agent | Refusal> {
		return await this.about(asked, async (agent) => {
			const outcome = await this.say(asked, command.parse({ ...asked.body, type: command.shape.type.value, agent }));
			return "refused" in outcome ? outcome.refused : await this.agent(agent);
		});
	}

	/** A command to one agent that writes an item, answered with the item. */
	async write(asked: AgentRouteRequest, command: CommandWithout<"agent">): Promise<Item | Refusal> {
		return await this.about(asked, async (agent) => {
			const outcome = await this.say(asked, { ...command, agent });
			if ("refused" in outcome) return outcome.refused;
			const event = await this.reads.event(outcome.done.event ?? 0);
			return event === undefined ? refuse("NOT_FOUND", "Nothing was written.") : itemView(event);
		});
	}

	project(state: ProjectState): Project {
		return projectView(state, this.engine.problems.of(state.slug));
	}

	async agent(id: AgentId): Promise<Agent | Refusal> {
		const state = await this.reads.agent(id);
		return state === undefined
			? refuse("AGENT_NOT_FOUND", `There is no agent ${id}.`, { suggestions: ["brood agent list"] })
			: await this.counted(state);
	}

	/** A list of what a project has would be empty for a mistyped one; of one that was removed it still says what was. */
	async unknownProject(slug: ProjectSlug): Promise<Refusal | null> {
		return (await this.reads.project(slug)) === undefined ? noProject(slug) : null;
	}

	/** A new agent, answered when it is ready or has failed, or at once. */
	async spawned(caller: Caller, { wait, ...command }: SpawnParams): Promise<Agent | Refusal> {
		const agentType = command.agentType ?? (await this.#defaultType(command));
		if (typeof agentType === "object") return agentType;
		if (agentType !== undefined && !this.types.includes(agentType)) {
			return refuse("VALIDATION_ERROR", `There is no agent type ${agentType}; there are ${this.types.join(", ")}.`, {
				details: { types: [...this.types] },
			});
		}
		const { actor, key, fingerprint, earlier } = caller;
		const typed = { ...command, ...(agentType !== undefined && { agentType }) };
		const request = { actor, key, fingerprint, command: { type: "agent.spawn" as const, ...typed } };
		// a child that was made has its files already
		const outcome = earlier === null ? await this.engine.spawn(request) : await this.engine.dispatch(request);
		if ("refused" in outcome) return outcome.refused;
		const { agent } = outcome.done;
		if (agent === undefined) return refuse("INTERNAL_ERROR", "A spawn answered no agent.");
		// nobody can have queued or sent it anything else yet
		const first = outcome.events.filter((event) => event.kind === "prompt.queued").length;
		const ready = wait ? await this.#ready(agent) : agent;
		return outcome.replayed
			? await this.counted(ready)
			: agentView(ready, { queueLength: first, unreadMail: 0, phase: "model" });
	}

	/** A fork has its parent's type. Agent 0 has none to give: its children get the project's, or have to be told. */
	async #defaultType({ by, project }: Pick<SpawnParams, "by" | "project">): Promise<string | Refusal | undefined> {
		if (by !== this.engine.agentZero.id) return undefined;
		const slug = ProjectSlug.safeParse(project);
		const row = slug.success ? await this.reads.project(slug.data) : undefined;
		// a project that does not exist is refused as such
		if (row === undefined && project !== undefined) return undefined;
		return (
			row?.agentType ??
			refuse("VALIDATION_ERROR", `Which agent? Its type is missing; there are ${this.types.join(", ")}.`, {
				details: { types: [...this.types] },
				suggestions: ["brood agent add --type claude", "brood project configure PROJECT --agent-type claude"],
			})
		);
	}

	async projectNamed(name: string | undefined): Promise<ProjectState | Refusal> {
		const slug = ProjectSlug.safeParse(name);
		const project = slug.success ? await this.reads.project(slug.data) : undefined;
		return project === undefined || project.removedAt !== null ? noProject(name) : project;
	}

	async counted(state: AgentState): Promise<Agent> {
		const [queue, unreadMail, phases] = await Promise.all([
			this.reads.queue(state.id),
			this.reads.unreadMail(state.id),
			this.#phases(state),
		]);
		const counts = { queueLength: queue.length, unreadMail };
		const availability = (await this.engine.scheduler.availability([state], new Map([[state.id, counts]]))).get(
			state.id,
		);
		return agentView(state, { ...counts, availability, phase: phases?.get(state.id) ?? "model" });
	}

	/** Only of an agent that has a turn is it asked what the turn is doing. */
	async #phases({ turn }: AgentState): Promise<ReadonlyMap<AgentId, Phase> | null> {
		return turn === null ? null : await this.engine.phases();
	}

	async #ready(agent: AgentState): Promise<AgentState> {
		if (agent.life !== "provisioning") return agent;
		const ready = async (): Promise<AgentState | null> => {
			const now = (await this.reads.agent(agent.id)) ?? agent;
			return now.life === "provisioning" && now.holds.length === 0 ? null : now;
		};
		return (await until(this.engine.publisher, ready)) ?? agent;
	}
}

/** A number in the path; 0, which nothing has, if it is none. */
export const numberIn = ({ params }: { params: Readonly<Record<string, string>> }, name: string): number =>
	Number(/^\d{1,15}$/.exec(params[name] ?? "")?.[0] ?? 0);
