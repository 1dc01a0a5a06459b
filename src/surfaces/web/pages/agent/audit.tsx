// What happened to this agent and who did it: its events other than its conversation.
import { useEffect, useState } from "react";
import type { Agent, WireEvent } from "#contract/wire.ts";
import { withNodeNames } from "#views/event-nodes.ts";
import { useRead, useSeen } from "../../store/hooks.ts";
import { ActorName } from "../../ui/actor-name.tsx";
import { clockOf, momentOf } from "../../ui/age.tsx";
import { detailsOf } from "../../ui/event-text.ts";
import { Empty, Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";

const kinds = "agent,turn,prompt,mail,approval,wait,workspace";

/** the newest ones */
const shownMax = 1000;
const pageSize = 10_000;

export function Audit({ agent }: { agent: Agent }) {
	const seen = useSeen();
	const named = (event: WireEvent): WireEvent => withNodeNames(event, (node) => seen.nodeName(node));
	const again = `${agent.label}${agent.turn?.id ?? ""}${agent.queueLength}${agent.holds.length}`;
	const [after, setAfter] = useState(0);
	const read = useRead("journal", { query: { agent: agent.id, kind: kinds, limit: pageSize, after } }, again);
	// the journal is read forwards: page by page to the newest events, each with as many as are shown of the one before
	const next = read.data?.next == null ? null : (read.data.events.at(-shownMax - 1)?.id ?? read.data.next);
	useEffect(() => {
		if (next !== null) setAfter(next);
	}, [next]);
	if (read.data === undefined || next !== null)
		return read.state === "failed" ? (
			<RefusedPlaceholder refusal={read.refusal} again={read.again} />
		) : (
			<Loading what="the audit" />
		);
	const events = read.data.events.toReversed().slice(0, shownMax);
	if (events.length === 0) return <Empty title="No events yet." />;
	const isPart = after > 0 || read.data.events.length > shownMax;
	return (
		<ul className="audit">
			{isPart && <li className="meta">Not all events are shown. `brood events` prints them.</li>}
			{events.map((event) => (
				<li key={event.id} className="audit-row">
					<time className="meta" dateTime={event.at} title={new Date(event.at).toLocaleString()}>
						{clockOf(event.at)}
					</time>
					<Kind kind={event.kind} />
					<span className="meta clip">
						<ActorName actor={event.actor} />
					</span>
					<span className="audit-data mono">{detailsOf(named(event), momentOf)}</span>
				</li>
			))}
		</ul>
	);
}

/** A long one is broken where its noun ends. */
function Kind({ kind }: { kind: string }) {
	const [noun, verb] = kind.split(".");
	return (
		<span className="audit-kind">
			{noun}.<wbr />
			{verb}
		</span>
	);
}
