// Commands about agents: their holds, settings and interruptions. How they come and go is in `spawn.ts` and `kill.ts`.
import { AgentEvent, noSettings, type Settings } from "#contract/agent.ts";
import {
	AgentCheckLimit,
	AgentConfigure,
	AgentFail,
	AgentInterrupt,
	AgentMove,
	AgentPause,
	AgentProvision,
	AgentReap,
	AgentRecover,
	AgentReportProcessesEnded,
	AgentResume,
	AgentTrash,
	AgentUpload,
} from "#contract/agent-commands.ts";
import {
	decideConfigure,
	decideFail,
	decidePause,
	decideProvision,
	decideReap,
	decideRecover,
	decideResume,
} from "#domain/agent/decide.ts";
import { decideMove, decideProcessesEnded, decideTrash, decideUpload } from "#domain/agent/move.ts";
import { decideLimitHold } from "#domain/subscription.ts";
import { decideInterrupt } from "#domain/turn.ts";
import type { Reads } from "../ports/store.ts";
import { agentMoveFacts } from "./move-facts.ts";
import { onAgent } from "./on-agent.ts";

export const agentDefinitions = {
	"agent.provision": onAgent({
		schema: AgentProvision,
		allowedActors: "daemon",
		startsWork: false,
		decide: decideProvision,
	}),
	"agent.fail": onAgent({ schema: AgentFail, allowedActors: "daemon", startsWork: false, decide: decideFail }),
	"agent.pause": onAgent({ schema: AgentPause, allowedActors: "people", startsWork: false, decide: decidePause }),
	"agent.resume": onAgent({ schema: AgentResume, allowedActors: "people", startsWork: false, decide: decideResume }),
	"agent.recover": onAgent({ schema: AgentRecover, allowedActors: "people", startsWork: false, decide: decideRecover }),
	"agent.reap": onAgent({ schema: AgentReap, allowedActors: "people", startsWork: false, decide: decideReap }),
	"agent.reportProcessesEnded": onAgent({
		schema: AgentReportProcessesEnded,
		allowedActors: "daemon",
		startsWork: false,
		decide: (agent, _, __, envelope) => decideProcessesEnded(agent, envelope),
	}),
	"agent.upload": onAgent({ schema: AgentUpload, allowedActors: "daemon", startsWork: false, decide: decideUpload }),
	"agent.trash": onAgent({ schema: AgentTrash, allowedActors: "daemon", startsWork: false, decide: decideTrash }),
	"agent.move": onAgent({
		schema: AgentMove,
		allowedActors: "people",
		startsWork: false,
		load: async ({ tx, envelope }, _, { agent }) => await agentMoveFacts(tx, agent, envelope.node),
		decide: decideMove,
	}),
	"agent.checkLimit": onAgent({
		schema: AgentCheckLimit,
		allowedActors: "daemon",
		startsWork: false,
		load: async ({ tx, envelope }) => ({
			subscriptions: await tx.subscriptions(),
			projects: await tx.projects(),
			now: envelope.monotonic,
		}),
		decide: (agent, _, loaded) => decideLimitHold(agent, loaded),
	}),
	"agent.configure": onAgent({
		schema: AgentConfigure,
		allowedActors: "people",
		startsWork: false,
		texts: ({ systemPrompt, pinned, options }) => [
			[systemPrompt ?? "", ...(pinned ?? []), ...Object.entries(options ?? {}).flat()].join(),
		],
		load: async ({ tx }, { subscription }, { agent }) => ({
			current: await settingsOf(tx, agent.settings),
			subscriptions: subscription === undefined ? [] : await tx.subscriptions(),
		}),
		decide: (agent, command, { current, subscriptions }) => decideConfigure(agent, current, command, subscriptions),
	}),
	"agent.interrupt": onAgent({
		schema: AgentInterrupt,
		allowedActors: "everyone",
		startsWork: false,
		load: async (work, _, { agent: { id, turn } }) => ({
			turn: turn === null ? undefined : await work.turn(turn.id),
			above: await work.tx.above(id),
			approvals: (await work.tx.pendingApprovals(id)).map((approval) => approval.id),
		}),
		decide: decideInterrupt,
	}),
};

/** The settings that an event holds; none if the agent never had any. */
export async function settingsOf(reads: Reads, event: number | null): Promise<Settings> {
	const configured = event === null ? undefined : AgentEvent.safeParse(await reads.event(event)).data;
	if (configured?.kind !== "agent.configured") return noSettings;
	const { systemPrompt, pinned, options = {} } = configured.data;
	return { systemPrompt, pinned, options };
}
