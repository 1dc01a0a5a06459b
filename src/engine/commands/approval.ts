// Commands about what agents ask before they do it.
import { ApprovalAnswer, ApprovalAsk, ApprovalWithdraw } from "#contract/approval.ts";
import { decideAnswer, decideAsk, decideWithdraw, withinLimit } from "#domain/approval.ts";
import { onAgent } from "./on-agent.ts";

export const approvalDefinitions = {
	"approval.ask": onAgent({
		schema: ApprovalAsk,
		allowedActors: "daemon",
		startsWork: false,
		load: async ({ tx }, _, { agent, limits }) => ({
			pending: (await tx.pendingApprovals(agent.id)).length,
			pendingMax: limits.approvalsPendingMax,
		}),
		decide: (agent, command, limit) => withinLimit(agent, decideAsk(agent, command), limit),
		subject: "the event",
	}),
	"approval.answer": onAgent({
		schema: ApprovalAnswer,
		allowedActors: "people",
		startsWork: false,
		load: async ({ tx }, { agent, approval }) => ({
			approval: await tx.approval(approval),
			queue: await tx.queueEnds(agent),
		}),
		decide: (agent, command, { approval, queue }) => decideAnswer(agent, command, approval, queue),
	}),
	"approval.withdraw": onAgent({
		schema: ApprovalWithdraw,
		allowedActors: "daemon",
		startsWork: false,
		load: ({ tx }, { approval }) => tx.approval(approval),
		decide: (agent, _, approval) => decideWithdraw(agent, approval),
	}),
};
