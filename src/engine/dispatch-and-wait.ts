// Commands whose answer has to wait for the world: a kill is answered when the processes have ended, an interrupt when
// the turn is over, a fork when the parent was between two tool calls.
import type { Event } from "#contract/event.ts";
import { AgentId, agentOf } from "#contract/ids.ts";
import { isActive } from "#contract/node.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Assembled } from "./assemble.ts";
import { until } from "./loop/until.ts";
import type { EngineDependencies } from "./parts.ts";
import type { CommandRequest, Outcome } from "./ports/dispatch.ts";
import { caught, type Log } from "./ports/log.ts";
import { dispatchWithKeptOutput, dropUsed, keptOutput, type Output } from "./turns/kept-output.ts";
import { forkWithFiles, isForkBusy, type SpawnRequest, untilFree } from "./workspaces/forking.ts";

/** a stopped process normally ends long before this; its files are snapshotted after that */
const stopTimeoutMs = 60_000;

export class DispatchAndWait {
	readonly #parts: EngineDependencies & { log: Log };
	readonly #made: Assembled;

	constructor(parts: EngineDependencies & { log: Log }, made: Assembled) {
		this.#parts = parts;
		this.#made = made;
	}

	/** Makes an agent, with its parent's files if the fork takes them along. */
	async spawn(request: SpawnRequest): Promise<Outcome> {
		const { store, driver, workspaces = null, log } = this.#parts;
		const { publisher, dispatcher } = this.#made;
		const dispatch = (each: CommandRequest): Promise<Outcome> => dispatcher.dispatch(each);
		const context = { reads: store.reads, dispatch, publisher, driver, workspaces, log };
		const forked = await forkWithFiles(context, request);
		const { gone, ...command } = request;
		return forked ?? (await this.dispatch(command, gone));
	}

	/** A fork is given up when its caller is `gone`. */
	async dispatch(request: CommandRequest, gone?: AbortSignal): Promise<Outcome> {
		const { own, kept } = await this.#outputOf(request);
		const answered = this.#dispatchOnceFree({ ...request, partials: { ...kept, ...own } }, gone);
		this.#made.scheduler.startAtOnce(request, (each) => this.#made.dispatcher.dispatch(each));
		const outcome = await answered;
		await dropUsed(this.#outputParts, kept, outcome);
		const { driver } = this.#parts;
		if ("refused" in outcome || outcome.replayed || driver === null) return outcome;
		const { command } = request;
		// its turn may have been stopping for a while, with time to stop by itself
		const forced = command.type === "agent.interrupt" && command.force === true ? AgentId.parse(command.agent) : null;
		if (forced !== null) await driver.end(forced).then(() => this.#turnOver(forced));
		for (const event of outcome.events) if (event.kind === "turn.stopping") await this.#turnOver(event.agent);
		const caller = agentOf(request.actor);
		const ended = outcome.events.flatMap((event) =>
			event.kind === "agent.ended" && event.agent !== null ? event.agent : [],
		);
		const ends = ended.map((agent) => this.#end(agent, outcome.events));
		// an agent that ends itself cannot wait for its own end
		if (caller === null || !ended.includes(caller)) await Promise.all(ends);
		else
			for (const end of ends)
				end.catch(
					caught(this.#parts.log, "processes", "The processes of an agent could not be ended", { agent: caller }),
				);
		return outcome;
	}

	/** Ends its processes, or waits until its own node has. */
	async #end(id: AgentId, events: readonly Event[]): Promise<void> {
		const { driver, store } = this.#parts;
		const { node: me } = this.#made;
		const agent = await store.reads.agent(id);
		if (agent === undefined || me === null || agent.node === null || agent.node === me.node)
			return await driver?.end(id);
		const after = events[0]?.id ?? 0;
		const there = await store.reads.node(agent.node);
		const haveEnded = async (): Promise<true | null> => {
			const now = agent.node === null ? undefined : await store.reads.node(agent.node);
			// the processes of a daemon end with it
			if (now === undefined || !isActive(now) || now.epoch !== there?.epoch) return true;
			const stopped = await store.reads.newestOfKind(id, "agent.processesEnded", Number.MAX_SAFE_INTEGER);
			return stopped !== undefined && stopped.id > after ? true : null;
		};
		await until(this.#made.publisher, haveEnded, { timeoutMs: stopTimeoutMs });
	}

	/** What the turns that a kill ends have produced so far is recorded with their end: here, and at other nodes. */
	async #outputOf({ command }: CommandRequest): Promise<{ own: Output; kept: Output }> {
		const { runner } = this.#made;
		const target = command.type === "agent.kill" ? AgentId.safeParse(command.agent).data : undefined;
		if (command.type !== "agent.kill" || target === undefined) return { own: {}, kept: {} };
		const below = command.cascade === true ? await this.#parts.store.reads.descendants(target) : [];
		const agents = [target, ...below.map(({ id }) => id)];
		const own = runner?.partials(agents) ?? {};
		const isElsewhere = ({ id, agent }: TurnState): boolean => agents.includes(agent) && !(id in own);
		return { own, kept: await keptOutput(this.#outputParts, isElsewhere) };
	}

	get #outputParts() {
		const { store, partials = null, log } = this.#parts;
		return { reads: store.reads, partials, log };
	}

	/** Resolves when the agent has no open turn; its driver ends it within seconds. */
	async #turnOver(id: AgentId | null): Promise<void> {
		const { reads } = this.#parts.store;
		const over = async (): Promise<true | null> => (id !== null && (await reads.agent(id))?.turn ? null : true);
		await until(this.#made.publisher, over, { timeoutMs: stopTimeoutMs });
	}

	/** A fork of a parent with an open tool call waits for the end of the call. */
	async #dispatchOnceFree(request: CommandRequest, gone?: AbortSignal): Promise<Outcome> {
		const { dispatcher, publisher } = this.#made;
		const first = await dispatchWithKeptOutput(this.#outputParts, (each) => dispatcher.dispatch(each))(request);
		if (!isForkBusy(first)) return first;
		const again = async (): Promise<Outcome | null> => {
			const outcome = await dispatcher.dispatch(request);
			return isForkBusy(outcome) ? null : outcome;
		};
		return (await untilFree(publisher, again, gone)) ?? first;
	}
}
