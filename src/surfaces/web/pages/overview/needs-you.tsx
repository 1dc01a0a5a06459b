// What needs a person, before anything else.
import { inboxCount } from "#views/overviews.ts";
import { useSeen } from "../../store/hooks.ts";
import { ApprovalRow, OtherRows } from "../../ui/inbox-rows.tsx";
import { useSteadyRows } from "../../ui/use-steady-rows.ts";

export function NeedsYou() {
	const { inbox } = useSeen();
	const { approvals, ...others } = inbox;
	const count = inboxCount(inbox);
	const rows = useSteadyRows();
	return (
		<section ref={rows} className="panel" aria-labelledby="needs">
			<h2 id="needs" className="panel-title">
				Needs you <span className={count > 0 ? "panel-count tone-wait" : "panel-count"}>{count}</span>
			</h2>
			{count === 0 ? (
				<p className="panel-note meta">Nothing needs you.</p>
			) : (
				<ul className="rows">
					{approvals.map((approval) => (
						<ApprovalRow key={approval.id} approval={approval} />
					))}
					<OtherRows {...others} />
				</ul>
			)}
		</section>
	);
}
