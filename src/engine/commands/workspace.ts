// Commands about an agent's workspace and its program's session.
import { SessionOpen } from "#contract/session.ts";
import {
	WorkspaceConfirm,
	WorkspaceCrash,
	WorkspaceDrift,
	WorkspaceFree,
	WorkspaceLease,
	WorkspaceRecord,
} from "#contract/workspace-step.ts";
import { decideOpenSession } from "#domain/session.ts";
import { refusedIfTurnHandedOver } from "#domain/turn-end.ts";
import {
	decideConfirm,
	decideDrift,
	decideFree,
	decideLease,
	decideLeaseCrash,
	decideRecord,
} from "#domain/workspace.ts";
import { onAgent } from "./on-agent.ts";
import { othersInWorkspace } from "./shared-workspace.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export const workspaceDefinitions = {
	"workspace.lease": onAgent({
		schema: WorkspaceLease,
		allowedActors: "everyone",
		startsWork: true,
		load: (work, _, { agent }) => othersInWorkspace(work.tx, agent),
		decide: decideLease,
	}),
	"workspace.free": onAgent({
		schema: WorkspaceFree,
		allowedActors: "everyone",
		startsWork: false,
		load: (work, _, { agent }) => othersInWorkspace(work.tx, agent),
		decide: (agent, _, others) => decideFree(agent, others),
	}),
	"workspace.record": onAgent({
		schema: WorkspaceRecord,
		allowedActors: "everyone",
		startsWork: false,
		load: async (work, { turn }, { agent }) => ({
			turn: await turnOf(work, turn),
			others: await othersInWorkspace(work.tx, agent),
		}),
		decide: (agent, command, { turn, others }, envelope) =>
			refusedIfTurnHandedOver(agent, command.turn, turn) ?? decideRecord(agent, command, others, envelope),
	}),
	"workspace.drift": onAgent({
		schema: WorkspaceDrift,
		allowedActors: "daemon",
		startsWork: false,
		load: (work, { turn }) => turnOf(work, turn),
		decide: (agent, command, turn) => refusedIfTurnHandedOver(agent, command.turn, turn) ?? decideDrift(agent, command),
	}),
	"workspace.confirm": onAgent({
		schema: WorkspaceConfirm,
		allowedActors: "people",
		startsWork: false,
		decide: decideConfirm,
	}),
	"workspace.crash": onAgent({
		schema: WorkspaceCrash,
		allowedActors: "daemon",
		startsWork: false,
		decide: decideLeaseCrash,
	}),
	"session.open": onAgent({
		schema: SessionOpen,
		allowedActors: "daemon",
		startsWork: false,
		load: (work, { turn }) => turnOf(work, turn),
		decide: (agent, command, turn) =>
			refusedIfTurnHandedOver(agent, command.turn, turn) ?? decideOpenSession(agent, command),
	}),
};

const turnOf = async (work: UnitOfWork, id: number | undefined) => (id === undefined ? undefined : await work.turn(id));
