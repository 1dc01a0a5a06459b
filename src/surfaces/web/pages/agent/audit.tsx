// What happened to this agent and who did it: its events other than its conversation.
import type { Agent, WireEvent } from "#contract/wire.ts";
import { withNodeNames } from "#views/event-nodes.ts";
import { useRead, useSeen } from "../../store/hooks.ts";
import { clockOf, momentOf } from "../../ui/age.tsx";
import { detailsOf } from "../../ui/event-text.ts";
import { Empty, Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";
import { ActorName } from "./block.tsx";

const kinds = "agent,turn,prompt,mail,approval,wait,workspace,git";

/** the newest ones */
const shownMax = 1000;

export function Audit({ agent }: { agent: Agent }) {
	const seen = useSeen();
	const named = (event: WireEvent): WireEvent => withNodeNames(event, (node) => seen.nodeName(node));
	const again = `${agent.label}${agent.turn?.id ?? ""}${agent.queueLength}${agent.holds.length}`;
	const read = useRead("journal", { query: { agent: agent.id, kind: kinds, limit: 10_000 } }, again);
	if (read.data === undefined)
		return read.state === "failed" ? <RefusedPlaceholder refusal={read.refusal} /> : <Loading what="the audit" />;
	const events = read.data.events.toReversed().slice(0, shownMax);
	if (events.length === 0) return <Empty title="No events yet." />;
	const isPart = read.data.next !== null || read.data.events.length > shownMax;
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
