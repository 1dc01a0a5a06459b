// One agent on the time axis: where it was forked, its turns, its mail, its end.
import { useLocation } from "wouter";
import type { Agent } from "#contract/wire.ts";
import { waitsForYou } from "#views/state-style.ts";
import type { TimeAxis } from "#views/time-axis.ts";
import { paths } from "../../ui/paths.ts";
import type { AgentTimeline, TurnBar } from "./timelines.ts";

/** the newest ones; more would only cover each other */
const barsMax = 150;

export function Bars({ agent, axis, timeline }: { agent: Agent; axis: TimeAxis; timeline: AgentTimeline | undefined }) {
	const born = axis.at(Date.parse(agent.createdAt));
	const ended = agent.endedAt === null ? 1 : axis.at(Date.parse(agent.endedAt));
	return (
		<>
			<span className="life" style={{ left: percent(born), width: percent(Math.max(0, ended - born)) }} />
			{born > 0 && <span className="fork-point" style={{ left: percent(born) }} />}
			{(timeline?.bars ?? []).slice(-barsMax).map((bar) => (
				<Bar key={bar.turn} agent={agent} bar={bar} axis={axis} />
			))}
			{(timeline?.mails ?? []).slice(-barsMax).map((time) => (
				<span key={time} className="mail-pulse" style={{ left: percent(axis.at(time)) }} title="mail">
					✉
				</span>
			))}
			{agent.endedAt !== null && <span className="life-end" style={{ left: percent(ended) }} />}
		</>
	);
}

function Bar({ agent, bar, axis }: { agent: Agent; bar: TurnBar; axis: TimeAxis }) {
	const [, go] = useLocation();
	const from = axis.at(bar.from);
	const to = bar.to === null ? 1 : axis.at(bar.to);
	const asks = bar.to === null && waitsForYou(agent);
	if (to <= 0) return null;
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the mouse; the agent's page has the same
		<span
			className={asks ? "turn-bar turn-asks" : `turn-bar turn-${bar.state}`}
			style={{ left: percent(from), width: `max(3px, ${percent(to - from)})` }}
			title={`turn ${bar.turn}, ${bar.state}: open it, and fork from there`}
			onClick={() => go(paths.agentAt(agent.id, bar.turn))}
		/>
	);
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
