import type { Agent } from "#contract/wire.ts";
import { useSeen } from "../../store/hooks.ts";
import { ApprovalCard } from "../../ui/approval-card.tsx";
import { useSteadyRows } from "../../ui/use-steady-rows.ts";

/** The pending approvals of this agent, above the prompt box. */
export function AgentApprovals({ agent }: { agent: Agent }) {
	const approvals = useSeen().approvalsOf(agent.id);
	const rows = useSteadyRows();
	return (
		<div ref={rows}>
			{approvals.map((approval) => (
				<ApprovalCard key={approval.id} approval={approval} isCurrent={false} />
			))}
		</div>
	);
}
