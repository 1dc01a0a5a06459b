// What needs a person, before anything else.
import { useSeen } from "../../store/hooks.ts";
import { ApprovalRow, ErrorRow, LimitRow, ReviewRow } from "../../ui/inbox-rows.tsx";

export function NeedsYou() {
	const { inbox } = useSeen();
	const { approvals, errors, reviews, limits } = inbox;
	const count = approvals.length + errors.length + reviews.length + limits.length;
	return (
		<section className="panel" aria-labelledby="needs">
			<h2 id="needs" className="panel-title">
				Needs you <span className={count > 0 ? "panel-count role-wait" : "panel-count"}>{count}</span>
			</h2>
			{count === 0 ? (
				<p className="panel-note meta">Nobody waits for you.</p>
			) : (
				<ul className="rows">
					{approvals.map((approval) => (
						<ApprovalRow key={approval.id} approval={approval} />
					))}
					{errors.map((agent) => (
						<ErrorRow key={agent.id} agent={agent} />
					))}
					{reviews.map((issue) => (
						<ReviewRow key={`${issue.project}#${issue.number}`} issue={issue} />
					))}
					{limits.map((subscription) => (
						<LimitRow key={subscription.name} subscription={subscription} />
					))}
				</ul>
			)}
		</section>
	);
}
