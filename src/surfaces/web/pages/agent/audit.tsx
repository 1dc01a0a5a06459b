// What happened to this agent and who did it: its events other than its conversation.
import type { Agent, WireEvent } from "#contract/wire.ts";
import { useRead } from "../../store/hooks.ts";
import { clockOf, momentOf } from "../../ui/age.tsx";
import { Empty, Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";

const kinds = "agent,turn,prompt,mail,approval,wait,workspace,git";

/** the newest ones */
const shownMax = 1000;

export function Audit({ agent }: { agent: Agent }) {
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
					<span className="audit-kind">{event.kind}</span>
					<span className="meta clip">{event.actor.split(":")[0]}</span>
					<span className="audit-data mono">{detailsOf(event)}</span>
				</li>
			))}
		</ul>
	);
}

const detailsOf = ({ text, data }: WireEvent): string =>
	[text, data === null ? null : fieldsOf(data)].filter((part) => part !== null && part !== "").join(" ");

/** `position: 1, until: 14:20`: fields on one line, with times in words. */
function fieldsOf(data: unknown): string {
	if (typeof data !== "object" || data === null || Array.isArray(data)) return JSON.stringify(data);
	return Object.entries<unknown>({ ...data })
		.map(([name, value]) => `${name}: ${fieldText(value)}`)
		.join(", ");
}

function fieldText(value: unknown): string {
	if (typeof value === "string") return value;
	return isTime(value) ? momentOf(new Date(value).toISOString()) : JSON.stringify(value);
}

/** Milliseconds since 1970: no count or position is as large. */
const isTime = (value: unknown): value is number => typeof value === "number" && value > 1e12 && value < 1e13;
