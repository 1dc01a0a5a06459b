import { Link } from "wouter";
import type { Agent } from "#contract/wire.ts";
import { tokensAndCost } from "#views/usage.ts";
import { useSeen } from "../../store/hooks.ts";
import { ActorName } from "../../ui/actor-name.tsx";
import { Age, momentOf, withLocalTimes } from "../../ui/age.tsx";
import { paths } from "../../ui/paths.ts";
import { StateWord } from "../../ui/state.tsx";
import { AgentControls } from "./agent-controls.tsx";

export function AgentHeader({ agent }: { agent: Agent }) {
	const { type, model, workspace, project, waitingFor } = agent;
	const fields = [
		...[project, model === null ? type : `${type} ${model}`, useSeen().nodeOf(agent)],
		...[workspace?.branch, tokensAndCost(agent.spent)],
	];
	return (
		<header className="page-header agent-header">
			<Path agent={agent} />
			<StateWord agent={agent} />
			{agent.turn !== null && <Age at={agent.turn.startedAt} />}
			<span className="meta clip agent-fields">{fields.filter(Boolean).join(" · ")}</span>
			<span className="spread" />
			<AgentControls agent={agent} />
			{waitingFor !== null && agent.holds.length === 0 && (agent.turn === null || agent.turn.phase === "slot") && (
				<p className="agent-waits tone-wait">Waits: {withLocalTimes(waitingFor)}</p>
			)}
			<Holds agent={agent} />
		</header>
	);
}

/** The agent, after those above it. */
function Path({ agent }: { agent: Agent }) {
	const seen = useSeen();
	const above: Agent[] = [];
	for (let next = agent.supervisor; next !== null; ) {
		const one = seen.agent(next);
		if (one === undefined) break;
		above.unshift(one);
		next = one.supervisor;
	}
	return (
		<h1 className="agent-path clip">
			{above.slice(-3).map(({ id, handle }) => (
				<span key={id} className="agent-above">
					<Link href={paths.agent(id)}>{handle}</Link> /{" "}
				</span>
			))}
			{agent.handle}
		</h1>
	);
}

/** Why no turn starts by itself. */
function Holds({ agent: { holds, turn } }: { agent: Agent }) {
	if (holds.length === 0) return null;
	return (
		<ul className="holds">
			{holds.map(({ kind, reason, by, at, until }) => (
				<li key={kind} className="hold">
					<strong>{kind}</strong>
					{reason !== "" && `: ${withLocalTimes(reason)}`}{" "}
					<span className="meta">
						by <ActorName actor={by} />, <Age at={at} suffix=" ago" />
						{kind === "user" && turn !== null && ", after this turn"}
						{until !== undefined && `, until ${momentOf(until)}`}
					</span>
				</li>
			))}
		</ul>
	);
}
