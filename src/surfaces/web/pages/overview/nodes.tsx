// The nodes that share the database, where there are several.
import { counted } from "#contract/counted.ts";
import { nodeStateText } from "#contract/node-state-text.ts";
import { useSeen } from "../../store/hooks.ts";
import { Meter } from "./slots.tsx";

export function Nodes() {
	const { nodes } = useSeen();
	if (nodes.length === 0) return null;
	return (
		<section className="panel" aria-labelledby="nodes">
			<h2 id="nodes" className="panel-title">
				Nodes <span className="panel-count">{nodes.length}</span>
			</h2>
			<ul className="rows">
				{nodes.map(({ id, name, state, turns, turnsMax, agents }) => (
					<li key={id} className="row">
						<span className="row-name clip">{name}</span>
						<span className={state === "up" ? "tone-ok" : state === "down" ? "tone-bad" : "tone-wait"}>
							{nodeStateText(state)}
						</span>
						<Meter used={turns} max={turnsMax} what={`turns at work at ${name}`} />
						<span className="meta">{counted(agents, "agent")}</span>
					</li>
				))}
			</ul>
		</section>
	);
}
