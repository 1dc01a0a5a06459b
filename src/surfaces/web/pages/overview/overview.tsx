import { Link } from "wouter";
import type { Agent } from "#contract/wire.ts";
import { useNeeds, useSeen } from "../../store/hooks.ts";
import { useLastLines } from "../../store/lines.ts";
import { paths } from "../../ui/paths.ts";
import { Empty, Loading } from "../../ui/placeholder.tsx";
import { DaemonBar } from "./daemon-bar.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { Nodes } from "./nodes.tsx";
import { RunningRow } from "./running-row.tsx";
import { Slots } from "./slots.tsx";

export function Overview() {
	const seen = useSeen();
	const running = seen.agents.filter(({ turn }) => turn !== null);
	useNeeds({ boards: seen.projects.map(({ slug }) => slug) });
	useLastLines(running.map(({ id }) => id));
	if (!seen.isLoaded) return <Loading what="the overview" isPage />;
	return (
		<>
			<DaemonBar />
			<div className="overview">
				<NeedsYou />
				<RunningList agents={running} />
				<Slots />
				<Nodes />
			</div>
		</>
	);
}

function RunningList({ agents }: { agents: readonly Agent[] }) {
	const count = useSeen().agents.length;
	return (
		<section className="panel" aria-labelledby="running">
			<h2 id="running" className="panel-title">
				Running <span className="panel-count">{agents.length}</span>
			</h2>
			{agents.length === 0 ? (
				<Empty title="No turns are running.">
					{count > 1 ? (
						"Queue a prompt on an agent to start a turn."
					) : (
						<>
							<p>
								<Link className="button" href={paths.projectAdd()}>
									Add a project
								</Link>{" "}
								<Link className="button" href={paths.agentAdd()}>
									Add an agent
								</Link>
							</p>
							<p>
								or run <code>brood demo</code>
							</p>
						</>
					)}
				</Empty>
			) : (
				<ul className="rows">
					{agents.map((agent) => (
						<RunningRow key={agent.id} agent={agent} />
					))}
				</ul>
			)}
		</section>
	);
}
