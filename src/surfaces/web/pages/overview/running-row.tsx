import { Link } from "wouter";
import type { Agent } from "#contract/wire.ts";
import { useLastLine } from "../../store/hooks.ts";
import { Age } from "../../ui/age.tsx";
import { paths } from "../../ui/paths.ts";
import { Counters, StateGlyph, stateText } from "../../ui/state.tsx";

export function RunningRow({ agent }: { agent: Agent }) {
	const line = useLastLine(agent.id);
	return (
		<li>
			<Link href={paths.agent(agent.id)} className="row row-link">
				<StateGlyph agent={agent} />
				<span className="row-name clip">{agent.handle}</span>
				<span className="row-project meta clip">{agent.project ?? ""}</span>
				<span className="row-line clip">{line ?? <span className="meta">{stateText(agent)}</span>}</span>
				<Counters agent={agent} />
				{agent.turn !== null && <Age at={agent.turn.startedAt} />}
			</Link>
		</li>
	);
}
