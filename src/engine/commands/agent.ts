// Commands about agents: their holds, settings and interruptions. How they come and go is in `spawn.ts` and `kill.ts`.
import { AgentEvent, noSettings, type Settings } from "#contract/agent.ts";
import {
	AgentConfigure,
	AgentFail,
	AgentInterrupt,
	AgentLeave,
	AgentLimit,
	AgentMove,
	AgentPause,
	AgentProvision,
	AgentReap,
	AgentRecover,
	AgentResume,
	AgentShare,
	AgentStop,
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
import { decideLeft, decideMove, decideShare, decideStop } from "#domain/agent/move.ts";
import { decideLimit } from "#domain/subscription.ts";
import { decideInterrupt } from "#domain/turn.ts";
import type { Reads } from "../ports/store.ts";
import { onAgent } from "./on-agent.ts";
import { othersInTree } from "./shared-tree.ts";

export const agentCommands = {
	"agent.provision": onAgent({ schema: AgentProvision, speakers: "daemon", decide: decideProvision }),
	"agent.fail": onAgent({ schema: AgentFail, speakers: "daemon", decide: decideFail }),
	"agent.pause": onAgent({ schema: AgentPause, speakers: "people", decide: decidePause }),
	"agent.resume": onAgent({ schema: AgentResume, speakers: "people", decide: decideResume }),
	"agent.recover": onAgent({ schema: AgentRecover, speakers: "people", decide: decideRecover }),
	"agent.reap": onAgent({ schema: AgentReap, speakers: "people", decide: decideReap }),
	"agent.stop": onAgent({
		schema: AgentStop,
		speakers: "daemon",
		decide: (agent, _, __, envelope) => decideStop(agent, envelope),
	}),
	"agent.share": onAgent({ schema: AgentShare, speakers: "daemon", decide: decideShare }),
	"agent.leave": onAgent({ schema: AgentLeave, speakers: "daemon", decide: decideLeft }),
	"agent.move": onAgent({
		schema: AgentMove,
		speakers: "people",
		load: async (work, { from }, { agent }) => ({
			from: await work.node(from.node),
			to: work.envelope.node === null ? undefined : await work.node(work.envelope.node),
			sharing: (await othersInTree(work.tx, agent)).length,
		}),
		decide: decideMove,
	}),
	"agent.limit": onAgent({
		schema: AgentLimit,
		speakers: "daemon",
		load: async ({ tx, envelope }) => ({
			subscriptions: await tx.subscriptions(),
			projects: await tx.projects(),
			now: envelope.monotonic,
		}),
		decide: (agent, _, loaded) => decideLimit(agent, loaded),
	}),
	"agent.configure": onAgent({
		schema: AgentConfigure,
		speakers: "people",
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
		speakers: "everyone",
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
