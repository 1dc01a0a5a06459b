// Starts agents' programs. A program that does not stay up is started again after growing pauses, at most five times
// a minute.
import { setTimeout as pause } from "node:timers/promises";
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import { monotonicNow } from "#engine/ports/clock.ts";
import type { StartedProcess, TurnResult } from "#engine/ports/driver.ts";
import { secretsOf } from "../system/log.ts";
import { endAll, type Process } from "../system/processes.ts";
import { UnsupportedSetting } from "./acp/open.ts";
import { credentialsOf } from "./credential.ts";
import { variablesFor } from "./environment.ts";
import { type KeptProcess, launchSettings, type StartRequest, subscriptionIdentity } from "./kept-process.ts";
import { launchAgent } from "./launching.ts";
import type { DriverOptions } from "./options.ts";
import type { AgentProgram } from "./programs.ts";

const startsMax = 5;
const periodMs = 60_000;

interface ProcessStart {
	agent: AgentState;
	program: AgentProgram;
	request: StartRequest;
}

export class Starts {
	readonly #options: DriverOptions;
	/** the times of each agent's recent starts */
	readonly #recent = new Map<AgentId, number[]>();

	constructor(options: DriverOptions) {
		this.#options = options;
	}

	/** `keep` is called with the process once it is up; `find` lists what a failed attempt left running. */
	async start(
		{ agent, program, request }: ProcessStart,
		signal: AbortSignal,
		{ find, keep }: { find(): Process[]; keep(kept: KeptProcess): void },
	): Promise<StartedProcess> {
		const { subscription, mounts } = request;
		const credentials = credentialsOf(subscription, agent.type);
		// a retry would read the same file
		if (typeof credentials === "string") return failedStart(credentials);
		const asked = await this.#options.variablesOf(agent);
		if (typeof asked === "string") return failedStart(asked);
		for (const value of [...Object.values(credentials), ...secretsOf(asked)]) this.#options.log.hide(value);
		const variables = { ...variablesFor(program.environmentPattern, this.#options.environment), ...asked };
		for (let attempt = 0; !signal.aborted; attempt++) {
			if (!this.#take(agent.id))
				return failedStart(`Its process was started ${startsMax} times within a minute and did not stay up.`);
			const token = this.#options.issueToken(agent.id);
			try {
				const given = { agent, program, request, token, variables, credentials };
				const launched = await launchAgent(this.#options, given, signal);
				const settings = launchSettings(agent, program, request);
				keep({
					type: agent.type,
					program,
					launched,
					token,
					subscription: subscriptionIdentity(subscription),
					settings,
					mounts,
					programPids: null,
				});
				return { up: true, session: program.keepsSession === true ? launched.session : null };
			} catch (error) {
				this.#options.revokeToken(token);
				await endAll(find);
				if (attempt + 1 >= startsMax || error instanceof UnsupportedSetting)
					return failedStart(`Its process does not start: ${messageOf(error).replace(/\.$/, "")}.`);
				await pause(100 * 2 ** attempt, undefined, { signal }).catch(expected("it was cancelled"));
			}
		}
		return cancelledStart;
	}

	/** Counts a start; false if the limit is reached. */
	#take(agent: AgentId): boolean {
		const now = monotonicNow(this.#options.clock);
		const recent = (this.#recent.get(agent) ?? []).filter((at) => at > now - periodMs);
		if (recent.length >= startsMax) return false;
		this.#recent.set(agent, [...recent, now]);
		return true;
	}

	/** Forgets the starts of an agent whose program did not fail: we end it. */
	forget(agent: AgentId): void {
		this.#recent.delete(agent);
	}
}

const down = (end: TurnResult): StartedProcess => ({ up: false, end });
export const cancelledStart = down({ state: "interrupted", reason: "stopped before its process was up", text: null });
export const failedStart = (reason: string): StartedProcess =>
	down({ state: "failed", reason, text: null, holdsAgent: true });
