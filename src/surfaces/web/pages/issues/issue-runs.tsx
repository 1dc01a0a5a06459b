import { Link } from "wouter";
import type { Run } from "#contract/issue-wire.ts";
import { paths } from "../../paths.ts";
import { Age } from "../../ui/age.tsx";

export function IssueRuns({ runs }: { runs: readonly Run[] }) {
	return (
		<section className="panel" aria-labelledby="runs">
			<h2 id="runs" className="panel-title">
				Runs <span className="panel-count">{runs.length}</span>
			</h2>
			{runs.length === 0 && <p className="meta panel-note">No agent has worked on it yet.</p>}
			<ul className="rows">
				{runs.map((run) => (
					<li key={run.id} className="row">
						<span className="clip">{run.stage}</span>
						<Link href={paths.agent(run.agent)} className="clip">
							{run.handle ?? "an agent"}
						</Link>
						<span className="spread" />
						<span className="meta">
							{run.durationMs === null ? "running" : `${Math.round(run.durationMs / 1000)} s`}
						</span>
						<Age at={run.startedAt} />
					</li>
				))}
			</ul>
		</section>
	);
}
