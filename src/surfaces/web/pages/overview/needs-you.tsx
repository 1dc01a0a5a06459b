// What needs a person, before anything else. Each row can be settled here or leads to where it can.
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Agent, Approval } from "#contract/wire.ts";
import { verbThatContinues, whyNot } from "#views/agent-actions.ts";
import { stateOf } from "#views/agent-text.ts";
import { paths } from "../../paths.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { Age, clockOf } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";

export function NeedsYou() {
	const { inbox } = useSeen();
	const count = inbox.approvals.length + inbox.errors.length + inbox.reviews.length + inbox.limits.length;
	return (
		<section className="panel" aria-labelledby="needs">
			<h2 id="needs" className="panel-title">
				Needs you <span className={count > 0 ? "panel-count role-wait" : "panel-count"}>{count}</span>
			</h2>
			{count === 0 ? (
				<p className="panel-note meta">Nobody waits for you.</p>
			) : (
				<ul className="rows">
					{inbox.approvals.map((approval) => (
						<ApprovalRow key={approval.id} approval={approval} />
					))}
					{inbox.errors.map((agent) => (
						<ErrorRow key={agent.id} agent={agent} />
					))}
					{inbox.reviews.map((issue) => (
						<Row
							key={`${issue.project}#${issue.number}`}
							glyph="▤"
							tone="wait"
							name={`${issue.project}#${issue.number}`}
							href={paths.issue(issue.project, issue.number)}
							text={issue.attention?.reason ?? `review: ${issue.title}`}
						>
							<Link className="button" href={paths.reviewIssue(issue.project, issue.number)}>
								Review
							</Link>
						</Row>
					))}
					{inbox.limits.map(({ name, coolingUntil }) => (
						<Row key={name} glyph="‖" tone="wait" name={name} href={paths.subscriptions()} text="usage limit reached">
							<span className="meta">{coolingUntil !== null && `until ${clockOf(coolingUntil)}`}</span>
						</Row>
					))}
				</ul>
			)}
		</section>
	);
}

function ApprovalRow({ approval }: { approval: Approval }) {
	const act = useAct();
	const answer = (allow: boolean) =>
		act("approvalAnswer", { params: { approval: String(approval.id) }, body: { allow } });
	const name = approval.path.at(-1) ?? "";
	return (
		<Row glyph="◆" tone="wait" name={name} href={paths.inbox()} text={approval.title} mono>
			<Age at={approval.askedAt} />
			<Button kind="primary" label={`Allow ${name}`} onClick={() => answer(true)}>
				Allow
			</Button>
			<Button label={`Deny ${name}`} onClick={() => answer(false)}>
				Deny
			</Button>
		</Row>
	);
}

function ErrorRow({ agent }: { agent: Agent }) {
	const act = useAct();
	const verb = verbThatContinues(agent);
	return (
		<Row glyph="✗" tone="bad" name={agent.handle} href={paths.agent(agent.id)} text={stateOf(agent)}>
			<Age at={agent.holds[0]?.at ?? agent.lastActiveAt} />
			<Button
				label={`${verb} ${agent.handle}`}
				why={whyNot(agent, verb)}
				onClick={() => act(verb, { params: { agent: agent.id }, body: {} })}
			>
				{verb === "resume" ? "Resume" : "Recover"}
			</Button>
		</Row>
	);
}

interface RowProps {
	glyph: string;
	tone: "wait" | "bad";
	name: string;
	href: string;
	text: string;
	mono?: boolean;
	children: ReactNode;
}

function Row({ glyph, tone, name, href, text, mono = false, children }: RowProps) {
	return (
		<li className="row">
			<span className={`glyph role-${tone}`} aria-hidden="true">
				{glyph}
			</span>
			<Link href={href} className="row-name clip">
				{name}
			</Link>
			<span className={mono ? "row-line mono clip" : "row-line clip"} title={text}>
				{text}
			</span>
			<span className="row-actions">{children}</span>
		</li>
	);
}
