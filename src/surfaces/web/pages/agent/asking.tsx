import type { Agent } from "#contract/wire.ts";
import { useSeen } from "../../store/hooks.ts";
import { ApprovalCard } from "../../ui/approval-card.tsx";

/** The questions of this agent, above the prompt box. */
export function Asking({ agent }: { agent: Agent }) {
	const approvals = useSeen().approvalsOf(agent.id);
	return approvals.map((approval) => <ApprovalCard key={approval.id} approval={approval} isCurrent={false} />);
}
