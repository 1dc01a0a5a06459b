// Runs the open turns: hands the prompt over, records the process's output, and ends the turn.
//
// The hand-over is recorded before it happens, and only once the process is up. So a turn without that record has done
// nothing, and its prompt goes back to the queue; a turn with it may have done anything, and only a person runs it
// again.
//
// That record is made once, on the row, and a prompt is given to a process only after it. Rows that were read before,
// and what this process remembers, may be out of date and decide nothing. Everything before the record is harmless if
// it is refused: commands name the turn, and are refused if it is over or handed over; the process of another turn is
// not touched.

import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { kindsOf } from "#contract/event-data.ts";
import type { AgentId } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import { promptForModel } from "#contract/quote.ts";
import type { Phases, TurnState } from "#contract/turn.ts";
import type { LookResult, Reactor } from "../loop/reactor.ts";
import type { CommandRequest, Dispatch } from "../ports/dispatch.ts";
import type { Driver, OpenSession, StartedProcess, TurnResult } from "../ports/driver.ts";
import { caught } from "../ports/log.ts";
import { StoreFault } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { drift, snapshotAfterTurn, tellOfCommits } from "../workspaces/around-turn.ts";
import { leaseBySystem, whileLeased } from "../workspaces/leased.ts";
import type { Sites } from "../workspaces/sites.ts";
import { catchUp, itemsBetweenTurns } from "./catch-up.ts";
import { startProcess } from "./start-process.ts";
import { untrustedFiles } from "./trust.ts";
import { failure, TurnCommands } from "./turn-commands.ts";
import { TurnRecorder, type TurnRecorderParts } from "./turn-recorder.ts";

interface Parts extends TurnRecorderParts {
	dispatch: Dispatch;
	driver: Driver;
	workspaces: Workspaces | null;
	sites: Pick<Sites, "settingsProblem"> | null;
	/** this node: only what belongs to it is acted on; everything, if null */
	node: NodeEpoch | null;
}

interface Running {
	agent: AgentId;
	stop: AbortController;
	over: Promise<void>;
	/** null for a human agent's turn, which may be silent for any time */
	recorder: TurnRecorder | null;
}

const wakers = kindsOf({ turn: ["started", "stopping", "ended"], agent: ["moved"] });

export class TurnRunner implements Reactor {
	readonly name = "run turns";
	readonly #parts: Parts;
	readonly #running = new Map<number, Running>();
	#draining = false;
	readonly #commands: TurnCommands;

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#commands = new TurnCommands(parts);
	}

	wakes(event: { kind: string; data: unknown }): boolean {
		return wakers.has(event.kind) || (event.kind === "mail.sent" && event.data !== null);
	}

	async look(signal: AbortSignal): Promise<LookResult> {
		const { reads } = this.#parts;
		const [all, beginners, urgently] = await Promise.all([
			reads.openTurns(),
			reads.agentsAboutToBegin(),
			reads.agentsWithUrgentMail(),
		]);
		const open = all.filter((turn) => isOwn(this.#parts.node, turn));
		const ids = new Set(open.map((turn) => turn.id));
		const stopping = new Set(open.filter((turn) => turn.stoppingAt !== null).map((turn) => turn.id));
		// a turn that was stopped or ended must not continue in its process
		for (const [id, { stop }] of this.#running) if (!ids.has(id) || stopping.has(id)) stop.abort();
		if (signal.aborted) return "done";
		for (const turn of open) {
			if (this.#running.has(turn.id)) continue;
			// the agents were read at the same time as the turns, and may be older than this turn
			const agent = beginners.find((each) => each.turn?.id === turn.id) ?? (await reads.agent(turn.agent));
			if (agent === undefined || this.#running.has(turn.id)) continue;
			if (turn.handedAt === null || isHumanAgent(agent)) this.#begin(turn, agent);
			// handed over, open, and not running here: its end could not be recorded. The check keeps it from ending twice
			else if (agent.turn?.id === turn.id)
				await this.#commands.end(turn, { state: "failed", reason: "its end could not be recorded", text: null });
		}
		const urgent = new Set(urgently);
		for (const turn of open) if (urgent.has(turn.agent)) await this.#running.get(turn.id)?.recorder?.yield();
		return "done";
	}

	phases(): Phases {
		return Object.fromEntries([...this.#running].map(([id, { recorder }]) => [id, recorder?.phase ?? "wait"]));
	}

	/** What the turns of these agents have produced that is not recorded yet. */
	partials(agents: readonly AgentId[]): NonNullable<CommandRequest["partials"]> {
		const found = [...this.#running].filter(([, { agent }]) => agents.includes(agent));
		return Object.fromEntries(found.map(([turn, { recorder }]) => [turn, recorder?.partials ?? []]));
	}

	/** Lets the running turns end until `grace` is over, then ends them as interrupted, without a hold. */
	async drain(grace: Promise<unknown>): Promise<void> {
		this.#draining = true;
		const running = [...this.#running.values()];
		const ending = running.filter(({ recorder }) => recorder !== null);
		await Promise.race([Promise.allSettled(ending.map(({ over }) => over)), grace]);
		for (const { stop } of this.#running.values()) stop.abort();
		await Promise.allSettled(running.map(({ over }) => over));
		// turns that were started after the last look: nothing of them has run
		for (const turn of await this.#parts.reads.openTurns())
			if (turn.handedAt === null && isOwn(this.#parts.node, turn))
				await this.#commands.send(turn, { type: "prompt.return", reason: "shutdown" });
	}

	#begin(turn: TurnState, agent: AgentState): void {
		const stop = new AbortController();
		const recorder = new TurnRecorder(turn, this.#parts, (command) => this.#commands.send(turn, command), stop.signal);
		const over = this.#carryOut(turn, agent, recorder, stop.signal).finally(() => {
			recorder[Symbol.dispose]();
			this.#running.delete(turn.id);
		});
		// if its end cannot be recorded, the next look or the next daemon ends it
		over.catch(this.#caught("The end of a turn could not be recorded", turn));
		if (isHumanAgent(agent)) recorder[Symbol.dispose]();
		this.#running.set(turn.id, { agent: agent.id, stop, over, recorder: isHumanAgent(agent) ? null : recorder });
	}

	async #carryOut(turn: TurnState, agent: AgentState, recorder: TurnRecorder, signal: AbortSignal): Promise<void> {
		// a person who has had the prompt since before the daemon started does not get it again
		const item =
			turn.handedAt !== null && isHumanAgent(agent)
				? { text: null, data: null }
				: await this.#handOver(turn, agent, recorder, signal);
		if (item === null) return;
		try {
			await this.#run(turn, agent, { text: item.text ?? "", recorder }, signal);
		} catch (error) {
			if (isStoreBroken(error)) throw error;
			this.#caught("A turn failed inside the daemon", turn)(error);
			await this.#commands.end(turn, failure(error));
		}
	}

	/**
	 * Starts the process, then records the hand-over. Null if there is nothing to run: the process is not up, or the turn
	 * is over or was handed over.
	 */
	async #handOver(
		turn: TurnState,
		agent: AgentState,
		recorder: TurnRecorder,
		signal: AbortSignal,
	): Promise<{ text: string | null } | null> {
		const { driver, reads } = this.#parts;
		const failed = await this.#startProblem(turn, agent, recorder);
		if (failed !== null) return await this.#commands.giveBack(turn, failed, signal);
		// read early: usually the program is up, and nothing else takes time
		const since = driver.keepsSession(agent)
			? itemsBetweenTurns(reads, agent, agent.turnEndedIn ?? 0)
			: Promise.resolve([]);
		since.catch(expected("it is awaited below"));
		const prepared = await startProcess(this.#parts, turn, agent, signal).catch((error: unknown): StartedProcess => {
			this.#caught("The process of an agent could not be started", turn)(error);
			// a retry would fail the same way, for ever
			return { up: false, end: { ...failure(error), holdsAgent: !(error instanceof StoreFault) } };
		});
		if (!prepared.up) return await this.#commands.giveBack(turn, prepared.end, signal);
		let item: Pick<Event, "text" | "data"> | null = null;
		try {
			const missed = prepared.session && (await this.#catchUp(turn, agent, prepared.session, since));
			item = await this.#commands.handOver(turn);
			return item && { text: missed === null ? item.text : `${missed}${promptForModel(item)}` };
		} catch (error) {
			if (isStoreBroken(error)) throw error;
			this.#caught("A turn could not be begun", turn)(error);
			return await this.#commands.giveBack(turn, failure(error), signal);
		} finally {
			if (item === null) await this.#dismiss(turn);
		}
	}

	/** The process is not needed now; that of an agent that has ended is stopped. */
	async #dismiss(turn: TurnState): Promise<void> {
		const { driver, reads } = this.#parts;
		driver.dismiss(turn.agent, turn.id);
		const agent = await reads.agent(turn.agent);
		if (agent?.life === "ended")
			await driver.end(turn.agent).catch(this.#caught("The processes of an agent could not be ended", turn));
	}

	async #run(
		turn: TurnState,
		agent: AgentState,
		{ text, recorder }: { text: string; recorder: TurnRecorder },
		signal: AbortSignal,
	): Promise<void> {
		const end = await this.#parts.driver.run({ agent, turn: turn.id, text }, recorder, signal).catch(failure);
		// a human agent's turn continues when the daemon is back
		if (this.#draining && isHumanAgent(agent)) return;
		const last = end.last ?? [];
		// keeping the files takes a while; until then the last items are visible
		if (agent.workspace !== null && last.length > 0) await recorder.items(last);
		await this.#settle(agent, turn);
		await this.#commands.end(
			turn,
			signal.aborted ? await this.#commands.stopped(turn) : end,
			agent.workspace === null ? await recorder.storable(last) : [],
			recorder,
		);
	}

	/** The text that its program needs before the prompt; records the session. */
	async #catchUp(
		turn: TurnState,
		agent: AgentState,
		opened: OpenSession,
		since: ReturnType<typeof itemsBetweenTurns>,
	): Promise<string> {
		const { text, how, note } = await catchUp(this.#parts.reads, agent, turn, opened, since);
		const { sessionId, folder, capabilities, programVersion } = opened;
		if (how !== null)
			await this.#commands.send(turn, {
				type: "session.open",
				opened: { sessionId, type: agent.type, folder, capabilities: [...capabilities], programVersion, how },
				note,
			});
		return text ?? "";
	}

	/** Why the turn cannot start, or null. */
	async #startProblem(turn: TurnState, agent: AgentState, recorder: TurnRecorder): Promise<TurnResult | null> {
		try {
			return (await this.#workspaceProblem(turn, agent)) ?? (await untrustedFiles(this.#parts, agent, recorder));
		} catch (error) {
			if (isStoreBroken(error)) throw error;
			// without a hold it would be tried again at once, for ever
			return { ...failure(error), holdsAgent: true, step: "trust" };
		}
	}

	async #workspaceProblem({ id: turn }: TurnState, agent: AgentState): Promise<TurnResult | null> {
		if (isHumanAgent(agent)) return null;
		try {
			const unknown = agent.project === null ? null : await this.#parts.sites?.settingsProblem(agent.project);
			if (unknown != null)
				return { state: "failed", reason: unknown.message, text: null, holdsAgent: true, step: "workspace" };
			if (agent.workspace === null) return null;
			const reason = await drift(this.#parts, agent, { turn });
			if (reason !== null) return { state: "failed", reason, text: null };
		} catch (error) {
			// without a hold a workspace that cannot be read would be tried again at once, for ever
			return { ...failure(error), holdsAgent: true, step: "workspace" };
		}
		await tellOfCommits(this.#parts, agent, { turn }).catch(
			this.#caught("Commits of others could not be looked up", { agent: agent.id }),
		);
		return null;
	}

	/** Keeps the files before the turn's end is visible. A failure does not keep the turn open. */
	async #settle(agent: AgentState, turn: TurnState): Promise<void> {
		if (agent.workspace === null || this.#parts.workspaces === null) return;
		const settling = await this.#commands.send(turn, { type: "turn.settle" });
		// the turn was ended elsewhere: others may use the workspace, so its files are kept only under a lease
		if ("refused" in settling) return await this.#keepAfterwards(agent, turn);
		await snapshotAfterTurn(this.#parts, agent, turn.id).catch(async (error: unknown) => {
			const text = `No snapshot of this turn's files could be taken: ${failure(error).reason}`;
			await this.#commands.send(turn, {
				type: "turn.append",
				items: [{ kind: "system", text: text.slice(0, 10_000) }],
			});
		});
	}

	async #keepAfterwards({ id }: AgentState, turn: TurnState): Promise<void> {
		await whileLeased(this.#parts, leaseBySystem({ agent: id, step: "snapshot" }), async (refused) => {
			const now = refused === null ? await this.#parts.reads.agent(id) : undefined;
			if (now !== undefined)
				await snapshotAfterTurn(this.#parts, now, turn.id).catch(
					this.#caught("No snapshot of a turn's files could be taken", turn),
				);
		});
	}

	#caught(text: string, { id, agent }: { id?: number; agent: AgentId }): (error: unknown) => void {
		return caught(this.#parts.log, "turns", text, { agent, ...(id !== undefined && { turn: id }) });
	}
}

/** A human agent stands for a person: its turn has no process, and continues after a restart of the daemon. */
const isHumanAgent = ({ type }: AgentState): boolean => type === "human";

const isStoreBroken = (error: unknown): boolean => error instanceof StoreFault && error.kind === "broken";
