// The rows of what needs a person; each can be settled in place or leads to where it can.
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Issue } from "#contract/issue-wire.ts";
import type { Inbox } from "#contract/overviews.ts";
import type { Agent, Approval, Subscription } from "#contract/wire.ts";
import { verbThatEndsHolds, whyNot } from "#views/agent-actions.ts";
import { isOneLine } from "#views/approval-text.ts";
import { fallenNodeHint } from "#views/overviews.ts";
import { useAct, useLastLine } from "../store/hooks.ts";
import { useLastLines } from "../store/lines.ts";
import { Age, momentOf } from "./age.tsx";
import { ApprovalCard, useAnswer } from "./approval-card.tsx";
import { Button } from "./button.tsx";
import { paths } from "./paths.ts";
import { stateText } from "./state.tsx";

/** What needs a person besides approvals. */
export const OtherRows = ({ errors, humanAgents, reviews, limits, nodes }: Omit<Inbox, "approvals">) => (
	<>
		{errors.map((agent) => (
			<ErrorRow key={agent.id} agent={agent} />
		))}
		{humanAgents.map((agent) => (
			<HumanAgentRow key={agent.id} agent={agent} />
		))}
		{reviews.map((issue) => (
			<ReviewRow key={`${issue.project}#${issue.number}`} issue={issue} />
		))}
		{limits.map((subscription) => (
			<LimitRow key={subscription.name} subscription={subscription} />
		))}
		{nodes.map((node) => (
			<NodeRow key={node.name} node={node} />
		))}
	</>
);

/** It can be allowed only where all of it is shown: a longer question is opened first. */
export function ApprovalRow({ approval }: { approval: Approval }) {
	const answer = useAnswer();
	const [isOpen, setOpen] = useState(false);
	const name = approval.handles.at(-1) ?? "";
	const row = { glyph: "◆", tone: "wait", name, href: paths.inbox(), text: approval.title } as const;
	if (isOpen)
		return (
			<li>
				<ApprovalCard approval={approval} isCurrent={false} />
			</li>
		);
	if (!isOneLine(approval))
		return (
			<Row {...row} mono>
				<Age at={approval.askedAt} />
				<Button about={name} onClick={() => setOpen(true)}>
					Show the whole question
				</Button>
			</Row>
		);
	return (
		<Row {...row} mono isWhole>
			<Age at={approval.askedAt} />
			<Button kind="primary" about={name} onClick={() => answer(approval, { allow: true })}>
				Allow
			</Button>
			<Button about={name} onClick={() => answer(approval, { allow: false })}>
				Deny
			</Button>
		</Row>
	);
}

function ErrorRow({ agent }: { agent: Agent }) {
	const act = useAct();
	const verb = verbThatEndsHolds(agent);
	return (
		<Row glyph="✗" tone="bad" name={agent.handle} href={paths.agent(agent.id)} text={stateText(agent)}>
			<Age at={agent.holds[0]?.at ?? agent.lastActiveAt} />
			<Button
				about={agent.handle}
				why={whyNot(agent, verb)}
				onClick={() => act(verb, { params: { agent: agent.id }, body: {} })}
			>
				{verb === "resume" ? "Resume" : "Recover"}
			</Button>
		</Row>
	);
}

function HumanAgentRow({ agent: { id, handle, turn } }: { agent: Agent }) {
	useLastLines([id]);
	const prompt = useLastLine(id);
	const text = prompt === null ? "waits for you" : `waits for you: ${prompt}`;
	return (
		<Row glyph="◆" tone="wait" name={handle} href={paths.agent(id)} text={text}>
			{turn !== null && <Age at={turn.startedAt} />}
			<Link className="button" href={paths.agentBox(id)} aria-label={`Answer for ${handle}`}>
				Answer
			</Link>
		</Row>
	);
}

function ReviewRow({ issue }: { issue: Issue }) {
	const { project, number, attention, title, waiting } = issue;
	const name = `${project}#${number}`;
	const isReview = waiting === "approval";
	return (
		<Row
			glyph="▤"
			tone="wait"
			name={name}
			href={paths.issue(project, number)}
			text={attention?.reason ?? `review: ${title}`}
		>
			<Link
				className="button"
				href={isReview ? paths.reviewIssue(project, number) : paths.issue(project, number)}
				aria-label={`${isReview ? "Review" : "Open"} ${name}`}
			>
				{isReview ? "Review" : "Open"}
			</Link>
		</Row>
	);
}

function LimitRow({ subscription: { name, coolingUntil } }: { subscription: Subscription }) {
	return (
		<Row glyph="‖" tone="wait" name={name} href={paths.subscriptions()} text="cools down">
			<span className="meta">{coolingUntil !== null && `until ${momentOf(coolingUntil)}`}</span>
		</Row>
	);
}

function NodeRow({ node }: { node: Inbox["nodes"][number] }) {
	return (
		<Row glyph="✗" tone="bad" name={`node ${node.name}`} href={paths.overview()} text="stopped answering">
			<span className="meta">{node.agents.map(({ handle }) => handle).join(", ")}</span>
			<code>{fallenNodeHint(node)}</code>
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
	/** wrapped instead of cut off */
	isWhole?: boolean;
	children: ReactNode;
}

function Row({ glyph, tone, name, href, text, mono = false, isWhole = false, children }: RowProps) {
	return (
		<li className="row">
			<span className={`glyph tone-${tone}`} aria-hidden="true">
				{glyph}
			</span>
			<Link href={href} className="row-name clip">
				{name}
			</Link>
			<span className={`row-line${mono ? " mono" : ""} ${isWhole ? "row-whole" : "clip"}`} title={text}>
				{text}
			</span>
			<span className="row-actions">{children}</span>
		</li>
	);
}
